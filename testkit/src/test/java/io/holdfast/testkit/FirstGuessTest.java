package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Candidacy;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Election;
import io.holdfast.FencedValue;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LeaseTicket;
import io.holdfast.LockEvent;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossReason;
import io.holdfast.PlainLease;
import io.holdfast.PlainLock;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.Wait;
import io.holdfast.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Small tasks, each written as a Java developer would first write it, from the names that completion offers. */
@Timeout(60)
final class FirstGuessTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Holdfast holdfast = TestHoldfast.inMemory();
    private final DistributedLock lock = holdfast.lock("a");
    private final List<String> done = new ArrayList<>();

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void acquire_andClose() throws Exception {
        try (Lease lease = lock.acquire()) {
            assertTrue(lease.isValid());
        }
        assertFalse(lock.isLocked());
    }

    @Test
    void acquire_withATimeLimit() throws Exception {
        Optional<Lease> first = lock.tryAcquire(SECOND);
        assertTrue(first.isPresent());
        assertThrows(LockTimeoutException.class, () -> lock.acquire(Wait.upTo(Duration.ofMillis(10))));
    }

    @Test
    void tryOnce() throws Exception {
        Optional<Lease> lease = lock.tryAcquire();
        assertTrue(lease.isPresent());
        assertTrue(lock.tryAcquire().isEmpty());
    }

    @Test
    void runWork() throws Exception {
        lock.run(lease -> done.add("work"));
        assertEquals(List.of("work"), done);
    }

    @Test
    void runWork_onlyIfNobodyElseIsAtIt() throws Exception {
        Lease other = lock.acquire();
        boolean ran = lock.tryRun(lease -> done.add("work"));
        assertFalse(ran);
        other.release();
        assertTrue(lock.tryRun(lease -> done.add("work")));
    }

    @Test
    void callWork_thatReturnsSomething() throws Exception {
        int answer = lock.call(lease -> 42);
        assertEquals(42, answer);
    }

    @Test
    void callWork_withATimeLimit() throws Exception {
        assertEquals("x", lock.call(Wait.upTo(SECOND), lease -> "x"));
        assertEquals(Optional.of("x"), lock.tryCall(Wait.upTo(SECOND), lease -> "x"));
    }

    @Test
    void read_twoValuesTogether() throws Exception {
        DistributedReadWriteLock catalogue = holdfast.readWriteLock("catalogue");
        List<String> both = catalogue.read().call(lease -> List.of("one", "two"));
        assertEquals(2, both.size());
        catalogue.write().run(lease -> done.add("written"));
    }

    @Test
    void take_threeOfTenPermits_async() throws Exception {
        DistributedSemaphore permits = holdfast.semaphore("permits", 10);
        CompletableFuture<Lease> three = permits.permits(3).acquireAsync();
        Lease lease = three.get(10, TimeUnit.SECONDS);
        assertEquals(7, permits.available());
        lease.release();
    }

    @Test
    void runWork_underOnePermit() throws Exception {
        holdfast.semaphore("permits", 2).run(lease -> done.add("work"));
        assertEquals(1, done.size());
    }

    @Test
    void hold_twoLocks() throws Exception {
        try (LeaseSet both = holdfast.locks("a", "b").acquire()) {
            assertTrue(both.isValid());
        }
        holdfast.locks("a", "b").run(leases -> done.add("work"));
        assertEquals(1, done.size());
    }

    @Test
    void beToldOfLoss() throws Exception {
        Lease lease = lock.acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        lease.whenLost().thenAccept(told::complete);
        holdfast.admin().release("a");
        assertEquals(LossReason.REVOKED, told.get(10, TimeUnit.SECONDS));
    }

    @Test
    void know_whyNotObtained() throws Exception {
        Lease other = lock.acquire();
        String why = lock.attempt(Wait.none())
                .fold(
                        obtained -> "",
                        notObtained -> notObtained.lockName() + ": "
                                + notObtained.contention().describe(),
                        unknown -> "");
        assertTrue(why.startsWith("a: "), why);
        other.release();
        assertTrue(lock.attempt() instanceof Attempt.Obtained<Lease> obtained
                && obtained.lease().isValid());
    }

    @Test
    void know_whoHoldsIt() throws Exception {
        lock.withActor("order-17").acquire();
        Holder holder = lock.info().holder().orElseThrow();
        assertEquals("order-17", holder.actor());
        assertTrue(lock.isLocked());
    }

    @Test
    void extend_aLease() throws Exception {
        Lease lease = lock.acquire();
        lease.extend(Duration.ofMinutes(5));
        assertTrue(lease.remaining().compareTo(Duration.ofMinutes(4)) > 0);
    }

    @Test
    void release_early() throws Exception {
        try (Lease lease = lock.acquire()) {
            lease.release();
            assertFalse(lock.isLocked());
            assertFalse(lease.isValid());
        }
    }

    @Test
    void lease_thatIsNotRenewed() throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(SECOND).withRenewal(false);
        Lease lease = holdfast.lock("a", brief).acquire();
        assertTrue(lease.remaining().compareTo(SECOND) <= 0);
    }

    @Test
    void once_inAMinute() throws Exception {
        DistributedLock job = holdfast.lock("job", LockOptions.defaults().withMinHold(Duration.ofMinutes(1)));
        assertTrue(job.tryRun(lease -> done.add("work")));
        assertFalse(job.tryRun(lease -> done.add("work")));
    }

    @Test
    void reenter() throws Exception {
        DistributedLock mine = lock.with(LockOptions.defaults().withReentrancy(Reentrancy.REENTER));
        mine.run(outer -> mine.run(inner -> assertEquals(outer.token(), inner.token())));
    }

    @Test
    void fence_whatIsWritten() throws Exception {
        FencedValue value = holdfast.fencedValue("balance", Duration.ofMinutes(1));
        long late = lock.call(Lease::token);
        lock.run(lease -> value.set(lease.token(), "new"));
        assertFalse(value.set(late, "old").accepted());
        assertEquals(Optional.of("new"), value.get());
    }

    @Test
    void tryOnce_async() throws Exception {
        Lease lease = lock.tryAcquireAsync().get(10, TimeUnit.SECONDS).orElseThrow();
        assertTrue(lock.tryAcquireAsync().get(10, TimeUnit.SECONDS).isEmpty());
        lease.release();
    }

    @Test
    void callWork_thatIsAsynchronous() throws Exception {
        CompletableFuture<String> result = lock.callAsync(lease -> CompletableFuture.completedFuture("done"));
        assertEquals("done", result.get(10, TimeUnit.SECONDS));
    }

    @Test
    void lead() throws Exception {
        CountDownLatch led = new CountDownLatch(1);
        try (Candidacy candidacy = holdfast.election("scheduler").campaign(leadership -> led.countDown())) {
            assertTrue(led.await(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void know_whoLeads() throws Exception {
        Election election = holdfast.election("scheduler");
        CompletableFuture<Long> leads = new CompletableFuture<>();
        try (Candidacy candidacy = election.campaign(leadership -> {
            leads.complete(leadership.token());
            leadership.whenOver().toCompletableFuture().join();
        })) {
            long token = leads.get(10, TimeUnit.SECONDS);
            assertTrue(candidacy.isLeader());
            assertEquals(token, election.leader().orElseThrow().token());
        }
    }

    @Test
    void use_asLockOfJavaUtilConcurrent() {
        Lock java = lock.asJavaLock();
        java.lock();
        try {
            assertTrue(lock.isLocked());
        } finally {
            java.unlock();
        }
        assertFalse(lock.isLocked());
    }

    @Test
    void cancel_aWait() throws Exception {
        Lease lease = lock.acquire();
        CompletableFuture<Lease> waiting = lock.acquireAsync();
        waiting.cancel(true);
        lease.release();
        assertTrue(lock.tryAcquire(SECOND).isPresent());
    }

    @Test
    void interrupt_aWait() throws Exception {
        Lease lease = lock.acquire();
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> lock.acquire());
        lease.release();
        assertFalse(lock.isLocked());
    }

    @Test
    void lock_ofPlainFormat() throws Exception {
        PlainLock plain = holdfast.plainLock("other-program:lock");
        try (PlainLease lease = plain.acquire()) {
            assertEquals(lease.value(), plain.holder().orElseThrow().value());
        }
        assertTrue(plain.holder().isEmpty());
    }

    @Test
    void lock_onThreeServers() throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofMillis(1_500));
        QuorumOptions options = QuorumOptions.defaults()
                .withClient(HoldfastOptions.defaults().withLockDefaults(brief))
                .withMaxLeaseDuration(Duration.ofMillis(1_500)); // so long does a new node not vote
        try (MemoryServer one = MemoryServer.start();
                MemoryServer two = MemoryServer.start();
                MemoryServer three = MemoryServer.start();
                Quorum quorum = Quorum.connect(
                        List.of(
                                QuorumNode.over(one.driver()),
                                QuorumNode.over(two.driver()),
                                QuorumNode.over(three.driver())),
                        options)) {
            two.disconnect();
            assertEquals(1, quorum.lock("a").<Integer, RuntimeException>call(lease -> 1));
        }
    }

    @Test
    void handOver_toAnotherProcess() throws Exception {
        try (MemoryServer server = MemoryServer.start();
                Holdfast here = server.client();
                Holdfast there = server.client()) {
            Lease lease = here.lock("a").acquire();
            String text = lease.ticket().encoded();
            Lease adopted = there.adopt(LeaseTicket.decode(text));
            assertEquals(lease.token(), adopted.token());
            assertTrue(adopted.isHeldOnServer());
            assertFalse(lease.isHeldOnServer());
        }
    }

    @Test
    void list_whatIsHeld() throws Exception {
        Lease first = lock.acquire();
        Lease second = holdfast.semaphore("permits", 2).acquire();
        assertEquals(List.of("a"), holdfast.inspect().heldNames().toList());
        List<LockInfo> all = holdfast.inspect().allKinds().locks().toList();
        assertEquals(2, all.size());
        first.release();
        second.release();
        assertEquals(0, holdfast.inspect().allKinds().locks().count());
    }

    @Test
    void see_theQueue() throws Exception {
        Lease lease = lock.acquire();
        CompletableFuture<Lease> waiting = lock.with(
                        LockOptions.defaults().withStrictOrder().withPriority(3))
                .acquireAsync();
        while (!holdfast.inspect().isQueued("a")) {
            Thread.onSpinWait();
        }
        List<Waiter> queue = holdfast.inspect().queue("a");
        assertEquals(3, queue.get(0).priority());
        lease.release();
        waiting.get(10, TimeUnit.SECONDS).release();
        assertEquals(List.of(), holdfast.inspect().queue("a"));
    }

    @Test
    void see_whoReads() throws Exception {
        DistributedReadWriteLock catalogue = holdfast.readWriteLock("catalogue");
        catalogue.read().run(lease -> {
            assertTrue(catalogue.read().isLocked());
            assertFalse(catalogue.write().isLocked());
            assertEquals(1, catalogue.info().shares().size());
        });
    }

    @Test
    void limit_permits_asAnOperator() throws Exception {
        holdfast.admin().of(LockInfo.Kind.SEMAPHORE).limit("permits", 0, Duration.ofMinutes(1));
        assertTrue(holdfast.semaphore("permits", 10).tryAcquire().isEmpty());
        holdfast.admin().of(LockInfo.Kind.SEMAPHORE).unlimit("permits");
        assertTrue(holdfast.semaphore("permits", 10).tryAcquire().isPresent());
    }

    @Test
    void listen_toEvents() throws Exception {
        CompletableFuture<String> told = new CompletableFuture<>();
        try (Holdfast listening =
                TestHoldfast.inMemory(HoldfastOptions.defaults().withListener(event -> {
                    if (event instanceof LockEvent.Obtained obtained) {
                        told.complete(obtained.lockName());
                    }
                }))) {
            listening.lock("a").acquire();
            assertEquals("a", told.get(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void release_bySomebodyElse() throws Exception {
        Lease lease = lock.acquire();
        holdfast.admin().release("a");
        assertFalse(lock.isLocked());
        assertFalse(lease.isHeldOnServer());
    }

    @Test
    void count_whatIsHeldAndWaitsHere() throws Exception {
        Lease lease = lock.acquire();
        CompletableFuture<Lease> waiting = lock.acquireAsync();
        assertEquals(1, holdfast.leaseCount());
        assertEquals(1, holdfast.waiterCount());
        lease.release();
        waiting.get(10, TimeUnit.SECONDS).release();
    }
}
