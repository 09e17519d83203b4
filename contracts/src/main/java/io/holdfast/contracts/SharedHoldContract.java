package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static io.holdfast.contracts.Outcomes.isRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Revocation;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.testkit.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Holds that leases of one client share, in turns or kept, against a real server. */
public class SharedHoldContract extends LockSuite {
    private static final LockOptions TURNS = LockOptions.defaults().withLocalHandoffs(100, Duration.ofMillis(10));
    private static final LockOptions KEPT = LockOptions.defaults().withKeepFor(Duration.ofMinutes(1));
    /** Belongs to its thread, which enters it again. */
    private static final LockOptions NESTED = LockOptions.defaults().withReentrancy(LockOptions.Reentrancy.REENTER);

    private static final int CLIENTS = 3;
    private static final int THREADS = 4;
    private static final int ROUNDS = 150;

    /** Some clients take turns, some keep, some do neither: the same lock all the same. */
    @Test
    final void acquire_clientsWithAndWithout_neverOverlapAndTokensRise() throws Exception {
        contend(false);
    }

    /** In each client one thread shares nothing and enters its hold again, and one extends its leases now and then. */
    @Test
    final void acquire_nestedAndExtendedBesideSharedOnes_neverOverlapAndTokensRise() throws Exception {
        contend(true);
    }

    private void contend(boolean mixed) throws Exception {
        TestServer server = startLockServer();
        List<LockOptions> ways = List.of(TURNS, KEPT, LockOptions.defaults(), TURNS.withKeepFor(KEPT.keepFor()), TURNS);
        AtomicInteger inside = new AtomicInteger();
        AtomicLong newest = new AtomicLong();
        AtomicLong count = new AtomicLong();
        List<Throwable> failures = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int c = 0; c < ways.size(); c++) {
            Holdfast client = client(server);
            for (int t = 0; t < THREADS; t++) {
                boolean nested = mixed && t == 0;
                boolean extending = mixed && t == 1;
                DistributedLock lock = client.lock("a", (nested ? NESTED : ways.get(c)).withWaitLimit(Wait.forever()));
                threads.add(new Thread(() -> {
                    try {
                        for (int i = 0; i < ROUNDS; i++) {
                            try (Lease lease = lock.acquire()) {
                                assertEquals(1, inside.incrementAndGet(), "somebody else is inside");
                                long token = lease.token();
                                assertTrue(token > newest.get(), () -> token + " after " + newest);
                                newest.set(token);
                                count.set(count.get() + 1); // would lose updates
                                if (nested) {
                                    try (Lease inner = lock.acquire()) {
                                        assertEquals(token, inner.token());
                                    }
                                } else if (extending && i % 10 == 0) {
                                    lease.extend(lock.options().leaseDuration().multipliedBy(100));
                                }
                                assertTrue(lease.isValid());
                                inside.decrementAndGet();
                            }
                        }
                    } catch (Throwable e) {
                        synchronized (failures) {
                            failures.add(e);
                        }
                    }
                }));
            }
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join(PATIENCE.toMillis() * 3);
            assertTrue(!thread.isAlive(), "a thread hangs");
        }
        assertEquals(List.of(), failures);
        assertEquals((long) ways.size() * THREADS * ROUNDS, count.get());
    }

    @Test
    final void turn_otherClientWaits_isOvertakenByTwoIntervalsAndAClosedLineAtMost() throws Exception {
        TestServer server = startLockServer();
        overtake(server, client(server), 50);
    }

    /** The busy client hears of the other only by asking. */
    @Test
    final void turn_messagesAreSwallowed_othersAreOvertakenForTwoIntervalsAndByAClosedLineAtMost() throws Exception {
        RedisServer server = startServer();
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        Holdfast busy = client(proxy.address(), HoldfastOptions.defaults());
        busy.lock("a", LockOptions.defaults().withLocalHandoffs()).acquire().release();
        proxy.dropReplies(TcpProxy.Kind.MESSAGES);
        overtake(server, busy, 3);
    }

    /**
     * Threads of one client take the lock all the time, and one of another client asks for it now and then. From two intervals
     * after it was queued on, no more than a closed line is served before it.
     */
    private void overtake(TestServer server, Holdfast client, int rounds) throws Exception {
        int most = 3;
        DistributedLock busy = client.lock(
                "a",
                LockOptions.defaults()
                        .withLocalHandoffs(most, Duration.ofMinutes(1))
                        .withWaitLimit(Wait.forever()));
        Holdfast other = client(server);
        DistributedLock patient = other.lock("a");
        Queue<Long> begun = new ConcurrentLinkedQueue<>(); // sections of the busy client
        AtomicLong newest = new AtomicLong();
        AtomicBoolean stop = new AtomicBoolean();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int t = 0; t < 2 * most; t++) {
            threads.add(CompletableFuture.runAsync(
                    () -> {
                        try {
                            while (!stop.get()) {
                                try (Lease lease = busy.acquire()) {
                                    begun.add(System.nanoTime());
                                    long token = lease.token();
                                    assertTrue(token > newest.getAndSet(token));
                                }
                            }
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    task -> new Thread(task).start()));
        }
        for (int i = 0; i < rounds; i++) {
            CompletableFuture<Lease> mine = patient.acquireAsync(Wait.upTo(PATIENCE));
            await("it is queued", () -> queuedOrDone(server, other, patient, mine));
            long known = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
            try (Lease lease = mine.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                long token = lease.token();
                assertTrue(token > newest.getAndSet(token));
                // One may have been served before, and have begun since.
                long late = begun.stream().filter(at -> at - known > 0).count();
                assertTrue(late <= most + 1, () -> late + " sections, two intervals after it was queued");
            }
            begun.clear();
        }
        stop.set(true);
        for (CompletableFuture<Void> thread : threads) {
            thread.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private static boolean queuedOrDone(
            TestServer server, Holdfast client, DistributedLock lock, CompletableFuture<Lease> request) {
        return request.isDone()
                || server.command("ZRANGE", lock.key() + ":q", "0", "-1").asList().stream()
                        .anyMatch(owner -> owner.asString().startsWith(client.id() + "."));
    }

    @Test
    final void recall_keptByAnother_isGrantedWithoutWaitingForItsTime() throws Exception {
        TestServer server = startLockServer();
        Holdfast keeper = client(server);
        Holdfast other = client(server);
        DistributedLock kept = keeper.lock("a", KEPT);
        for (int i = 0; i < 20; i++) {
            Lease first = kept.acquire();
            long token = first.token();
            assertEquals(ReleaseResult.KEPT, first.release());
            assertEquals(0, keeper.leaseCount());
            try (Lease lease = other.lock("a").acquire(Wait.upTo(PATIENCE))) {
                assertTrue(lease.token() > token);
            }
        }
    }

    /** The keeper uses the lock all the time, and answers the server; only what the server says by itself is swallowed. */
    @Test
    final void recall_messagesAreSwallowed_isGrantedWithinATermOfTheKeeper() throws Exception {
        RedisServer server = startServer();
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        LockOptions kept = KEPT.withLeaseDuration(Duration.ofSeconds(3)).withWaitLimit(Wait.forever());
        DistributedLock busy =
                client(proxy.address(), HoldfastOptions.defaults()).lock("a", kept);
        assertEquals(ReleaseResult.KEPT, busy.acquire().release());
        proxy.dropReplies(TcpProxy.Kind.MESSAGES);
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Void> keeping = CompletableFuture.runAsync(() -> {
            try {
                while (!stop.get()) {
                    busy.acquire().release();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try (Lease lease = client(server).lock("a").acquire(Wait.upTo(PATIENCE))) {
            assertTrue(lease.waited().compareTo(kept.leaseDuration()) < 0, () -> "only after " + lease.waited());
        }
        stop.set(true);
        keeping.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Test
    final void revoke_heldOrKept_isLostAtOnce() throws Exception {
        TestServer server = startLockServer();
        Holdfast keeper = client(server);
        Holdfast operator = client(server);
        LockOptions kept =
                KEPT.withLeaseDuration(PATIENCE.multipliedBy(10)); // by its renewal nobody would learn of it in time
        Lease held = keeper.lock("a", kept).acquire();
        CompletableFuture<LossReason> lost = held.whenLost().toCompletableFuture();
        assertEquals(
                Revocation.Outcome.RELEASED,
                operator.admin()
                        .release("a", held.token(), Admin.Waiters.HAND_OFF)
                        .outcome());
        assertEquals(LossReason.REVOKED, lost.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        assertEquals(ReleaseResult.KEPT, keeper.lock("a", kept).acquire().release());
        operator.admin().release("a", Admin.Waiters.HAND_OFF);
        try (Lease theirs = operator.lock("a").acquire()) {
            await("the keeper knows that it has nothing to lend", () -> {
                Attempt<Lease> attempt =
                        keeper.lock("a", kept).attemptAsync(Wait.none()).join();
                attempt.asOptional().ifPresent(Lease::release);
                return isRefused(Reason.TAKEN, attempt);
            });
            assertTrue(theirs.isValid());
        }
    }

    @Test
    final void release_afterAnExtension_freesTheLock() throws Exception {
        TestServer server = startLockServer();
        DistributedLock lock = client(server).lock("a", KEPT);
        Lease lease = lock.acquire();
        lease.extend(Duration.ofHours(10));
        assertEquals(ReleaseResult.RELEASED, lease.release());
        assertEquals(1, lock.acquire().attempts());
    }

    /** What it keeps for nobody it has, also where it asks in another way. */
    @Test
    final void attempt_ownKeptLockAskedForWithoutKeeping_isObtained() throws Exception {
        TestServer server = startLockServer();
        Holdfast keeper = client(server);
        for (int i = 0; i < 20; i++) {
            assertEquals(ReleaseResult.KEPT, keeper.lock("a", KEPT).acquire().release());
            keeper.lock("a").attempt(Wait.none()).orElseThrow().release();
        }
    }

    @Test
    final void recall_byOneThatDoesNotWait_freesTheLock() throws Exception {
        TestServer server = startLockServer();
        client(server).lock("a", KEPT).acquire().release();
        DistributedLock other = client(server).lock("a");
        assertNotObtained(Reason.TAKEN, other.attempt(Wait.none()));
        await("the lock is recalled", () -> !other.isLocked());
    }

    @Test
    final void close_whileKept_leavesNothing() throws Exception {
        TestServer server = startLockServer();
        for (int c = 0; c < CLIENTS; c++) {
            try (Holdfast closing = client(server.address(), HoldfastOptions.defaults())) {
                closing.lock("a" + c, KEPT).acquire().release();
            }
        }
        awaitNothingLeft(server);
    }
}
