package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import io.holdfast.LockTimeoutException;
import io.holdfast.Wait;
import io.holdfast.testkit.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An actor that waits for a lock which it has itself is told so: by a line of the log at once, and by what it is refused with. */
@SuppressWarnings("NullAway.Init") // the server is started before each test
public class SelfWaitContract extends LockSuite {
    private static final LockOptions KEPT = STRICT.withKeepFor(Duration.ofSeconds(5));
    private static final LockOptions REENTRANT = STRICT.withReentrancy(LockOptions.Reentrancy.REENTER);
    private static final String WORDS = "the actor that waited has itself been a holder since ";

    private final Queue<String> warnings = new ConcurrentLinkedQueue<>();
    private final Logger log = Logger.getLogger("io.holdfast");
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (entry.getMessage().contains("waits for itself")) {
                warnings.add(entry.getLevel() + " " + entry.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private TestServer server;
    private Holdfast holdfast;

    /** For the classes of the drivers. */
    protected SelfWaitContract() {}

    @BeforeEach
    final void startAndListen() {
        server = startLockServer();
        holdfast = client(server);
        log.addHandler(handler);
    }

    @AfterEach
    final void listenNoMore() {
        log.removeHandler(handler);
    }

    private static Contention refusal(Attempt<?> attempt) {
        return assertInstanceOf(Attempt.NotObtained.class, attempt).contention();
    }

    private interface Step {
        void run() throws Exception;
    }

    /**
     * A thread that has a lease of the lock asks for it: it is told in each refusal, and by one line of the log while it waits. Then
     * another thread releases its lease, and it goes on.
     */
    private void assertTold(DistributedLock held, DistributedLock asked) throws Exception {
        warnings.clear();
        CompletableFuture<Lease> outer = new CompletableFuture<>();
        CompletableFuture<Lease> inner = new CompletableFuture<>();
        Step ask = () -> {
            Lease lease = held.acquire(Wait.upTo(PATIENCE));
            for (Wait wait : List.of(Wait.none(), IN_VAIN)) {
                LockTimeoutException refused = assertThrows(LockTimeoutException.class, () -> asked.acquire(wait));
                assertEquals(Optional.of(lease.since()), refused.contention().heldByCallerSince());
                assertTrue(String.valueOf(refused.getMessage()).contains(WORDS + lease.since()), refused::toString);
            }
            outer.complete(lease);
            inner.complete(asked.acquire(Wait.forever()));
        };
        Thread thread = new Thread(
                () -> {
                    try {
                        ask.run();
                    } catch (Throwable e) {
                        outer.completeExceptionally(e);
                        inner.completeExceptionally(e);
                    }
                },
                "asker");
        thread.start();
        Lease lease = get(outer);
        await("it is told", () -> !warnings.isEmpty());
        assertFalse(inner.isDone());
        lease.release();
        get(inner).release();
        thread.join();
        assertEquals(1, warnings.size(), "a lock is told of once in a while: " + warnings);
        for (String part : List.of(
                "WARNING lock '" + asked.name() + "' is awaited by asker, which has itself been a holder since "
                        + lease.since(),
                "withReentrancy")) {
            assertTrue(warnings.element().contains(part), warnings::toString);
        }
    }

    private void assertNotTold(Contention contention) {
        assertEquals(Optional.empty(), contention.heldByCallerSince());
        assertFalse(contention.describe().contains("itself"), contention.describe());
        assertEquals(List.of(), List.copyOf(warnings));
    }

    // ---- exclusive locks

    @Test
    final void acquire_ownLock_isToldHoweverItIsHeldAndAskedFor() throws Exception {
        List<LockOptions> all = List.of(LockOptions.defaults(), STRICT, KEPT);
        for (int held = 0; held < all.size(); held++) {
            for (int asked = 0; asked < all.size(); asked++) {
                String name = "lock " + held + " " + asked;
                assertTold(holdfast.lock(name, all.get(held)), holdfast.lock(name, all.get(asked)));
            }
        }
    }

    /** A hold that leases of several threads share is entered by no single one of them. */
    @Test
    final void acquire_ownSharedHoldReentrantly_isTold() throws Exception {
        assertTold(holdfast.lock("turns"), holdfast.lock("turns", REENTRANT));
        assertTold(holdfast.lock("kept", KEPT), holdfast.lock("kept", REENTRANT));
    }

    @Test
    final void acquire_lockOfAnotherThread_isNotTold() throws Exception {
        for (LockOptions options : List.of(LockOptions.defaults(), STRICT, KEPT)) {
            DistributedLock lock = holdfast.lock("a", options);
            Lease lease = lock.acquire();
            CompletableFuture<Attempt<Lease>> other = new CompletableFuture<>();
            Thread thread = new Thread(() -> {
                try {
                    other.complete(lock.attempt(IN_VAIN));
                } catch (InterruptedException | RuntimeException e) {
                    other.completeExceptionally(e);
                }
            });
            thread.start();
            assertNotTold(refusal(get(other)));
            thread.join();
            lease.release();
        }
    }

    @Test
    final void acquire_ofAnotherActorOrClient_isNotTold() throws Exception {
        Lease lease = holdfast.lock("a").acquire();
        assertNotTold(refusal(holdfast.lock("a").withActor("order-1").attempt(IN_VAIN)));
        assertNotTold(refusal(client(server).lock("a").attempt(IN_VAIN)));
        lease.release();
        Lease named = holdfast.lock("a").withActor("order-2").acquire();
        assertNotTold(refusal(holdfast.lock("a").attempt(IN_VAIN)));
        named.release();
    }

    // ---- without blocking

    @Test
    final void acquireAsync_namedActor_isTold() throws Exception {
        for (LockOptions options : List.of(LockOptions.defaults(), STRICT, KEPT)) {
            warnings.clear();
            DistributedLock lock =
                    holdfast.lock("async " + options.hashCode(), options).withActor("order-1");
            Lease lease = get(lock.acquireAsync());
            for (Wait wait : List.of(Wait.none(), IN_VAIN)) {
                Contention contention = refusal(get(lock.attemptAsync(wait)));
                assertEquals(Optional.of(lease.since()), contention.heldByCallerSince());
            }
            CompletableFuture<Lease> next = lock.acquireAsync(Wait.forever());
            await("it is told", () -> !warnings.isEmpty());
            assertTrue(warnings.element().contains("order-1"), warnings::toString);
            lease.release();
            get(next).release();
        }
    }

    /** Its thread goes on, and may release. */
    @Test
    final void acquireAsync_threadThatHoldsIt_isNotTold() throws Exception {
        for (LockOptions options : List.of(LockOptions.defaults(), STRICT, KEPT)) {
            Lease lease = holdfast.lock("a", options).acquire();
            assertNotTold(refusal(get(holdfast.lock("a", options).attemptAsync(IN_VAIN))));
            lease.release();
        }
    }

    // ---- what several may hold

    @Test
    final void readWriteLock_ownSideThatExcludesIt_isTold() throws Exception {
        DistributedReadWriteLock reading = holdfast.readWriteLock("read");
        assertTold(reading.read(), reading.write());
        DistributedReadWriteLock writing = holdfast.readWriteLock("write");
        assertTold(writing.write(), writing.write());
        DistributedReadWriteLock both = holdfast.readWriteLock("both");
        assertTold(both.write(), both.read());
    }

    @Test
    final void read_besideItsOwnReadingBehindAWriter_isNotTold() throws Exception {
        DistributedReadWriteLock lock = holdfast.readWriteLock("a");
        Lease reading = lock.read().acquire();
        CompletableFuture<Lease> writer =
                client(server).readWriteLock("a").write().acquireAsync(Wait.forever());
        await("a writer waits", () -> lock.info().waiters() == 1);
        assertNotTold(refusal(lock.read().attempt(IN_VAIN)));
        reading.release();
        get(writer).release();
    }

    @Test
    final void permits_ownLeaveTooFew_isTold() throws Exception {
        DistributedSemaphore permits = holdfast.semaphore("permits", 5);
        assertTold(permits.permits(3), permits.permits(3));
        DistributedSemaphore several = holdfast.semaphore("several", 5);
        try (Lease first = several.permits(2).acquire();
                Lease second = several.permits(2).acquire()) {
            assertTrue(second.isValid());
            Contention contention = refusal(several.permits(2).attempt(IN_VAIN));
            assertEquals(Optional.of(first.since()), contention.heldByCallerSince(), "each leaves enough alone");
            several.permits(1).acquire(Wait.none()).release();
        }
    }

    @Test
    final void permits_othersLeaveTooFew_isNotTold() throws Exception {
        DistributedSemaphore permits = holdfast.semaphore("a", 5);
        Lease own = permits.permits(2).acquire();
        Lease theirs = client(server).semaphore("a", 5).permits(2).acquire();
        assertNotTold(refusal(permits.permits(2).attempt(IN_VAIN)));
        theirs.release();
        own.release();
    }

    @Test
    final void set_oneOfItsLocksIsOwn_isTold() throws Exception {
        Lease lease = holdfast.lock("b").acquire();
        LockSet set = holdfast.locks("a", "b");
        assertEquals(
                Optional.of(lease.since()),
                refusal(set.attempt(Wait.upTo(Duration.ofSeconds(2)))).heldByCallerSince());
        assertEquals(1, warnings.size(), warnings::toString);
        assertTrue(warnings.element().contains("lock 'b'"), warnings::toString);
        assertThrows(LockTimeoutException.class, () -> set.acquire(Wait.none()));
        lease.release();
        set.acquire().release();
    }
}
