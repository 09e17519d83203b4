package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossReason;
import io.holdfast.MigrationLease;
import io.holdfast.MigrationLock;
import io.holdfast.PlainLease;
import io.holdfast.PlainLock;
import io.holdfast.PlainOptions;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** What a lock of an old and a new lock must do, on every driver. */
public class MigrationLockContract extends FaultSuite {
    private static final PlainOptions PLAIN =
            PlainOptions.defaults().withLeaseDuration(Duration.ofMinutes(10)).withRenewal(false);

    private Holdfast holdfast() {
        return local(EACH_QUEUED);
    }

    private static Optional<Lease> held(DistributedLock lock) throws InterruptedException {
        return lock.tryAcquire();
    }

    @Test
    void acquire_overAPlainLock_excludesBothSidesAndReleasesBoth() throws Exception {
        Holdfast holdfast = holdfast();
        PlainLock old = holdfast.plainLock("old", PLAIN);
        DistributedLock next = holdfast.lock("a");
        MigrationLock both = MigrationLock.of(old, next);
        MigrationLease lease = both.acquire();
        assertTrue(lease.isValid());
        assertEquals(lease.next().token(), lease.token());
        assertEquals(Optional.empty(), old.tryAcquire(), "who knows the old lock only is excluded");
        assertEquals(Optional.empty(), held(next), "who knows the new lock only is excluded");
        assertEquals(Optional.empty(), both.tryAcquire());
        lease.release();
        lease.release();
        assertFalse(lease.isValid());
        awaitNothingLeft(server);
    }

    @Test
    void acquire_bothOrders_oldIsTakenFirstAndReleasedLast() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults());
        MigrationLock both = MigrationLock.of(holdfast.plainLock("old", PLAIN), holdfast.lock("a"));
        CompletableFuture<TcpProxy.Caught> second = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.STALL_REQUEST);
        CompletableFuture<MigrationLease> taken = CompletableFuture.supplyAsync(() -> {
            try {
                return both.acquire();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        get(second);
        assertEquals(List.of("old"), keysButTokens(server));
        proxy.resume();
        MigrationLease lease = get(taken);
        CompletableFuture<TcpProxy.Caught> release = proxy.onRequest(ScriptCalls.PLAIN_RELEASE, Fault.STALL_REQUEST);
        CompletableFuture<Void> released = CompletableFuture.runAsync(lease::release);
        get(release);
        assertEquals(List.of("old"), keysButTokens(server), "the new one is free already");
        proxy.resume();
        get(released);
        awaitNothingLeft(server);
    }

    @Test
    void acquire_newLockTaken_givesTheOldOneBack() throws Exception {
        Holdfast holdfast = holdfast();
        PlainLock old = holdfast.plainLock("old", PLAIN);
        Lease other = holdfast.lock("a").acquire();
        MigrationLock both = MigrationLock.of(old, holdfast.lock("a"));
        assertEquals(Optional.empty(), both.tryAcquire());
        assertEquals(Optional.empty(), old.holder());
        assertThrows(LockTimeoutException.class, () -> both.acquire(IN_VAIN));
        assertEquals(Optional.empty(), old.holder());
        other.release();
        both.acquire().release();
    }

    @Test
    void acquire_oldLockTaken_doesNotAskForTheNewOne() throws Exception {
        Holdfast holdfast = holdfast();
        PlainLease other = holdfast.plainLock("old", PLAIN).acquire();
        MigrationLock both = MigrationLock.of(holdfast.plainLock("old", PLAIN), holdfast.lock("a"));
        assertEquals(Optional.empty(), both.tryAcquire());
        LockTimeoutException failure = assertThrows(LockTimeoutException.class, () -> both.acquire(IN_VAIN));
        assertTrue(failure.lockName().contains("old"), failure.getMessage());
        assertEquals(List.of("old"), keysButTokens(server));
        other.release();
    }

    @Test
    void acquire_newLockUnknown_givesTheOldOneBack() throws Exception {
        ReentrantLock old = new ReentrantLock();
        MigrationLock both = MigrationLock.of(old, remote(EAGER).lock("a"));
        proxy.onRequest(ScriptCalls.ACQUIRE, Fault.KILL_AFTER);
        assertThrows(ServerUnreachableException.class, () -> both.tryAcquire());
        assertFalse(old.isLocked());
        awaitNothingButTombstones();
    }

    @Test
    void acquire_interruptedInTheSecondWait_givesTheOldOneBack() throws Exception {
        ReentrantLock old = new ReentrantLock();
        Holdfast holdfast = holdfast();
        Lease other = holdfast.lock("a").acquire();
        MigrationLock both = MigrationLock.of(old, holdfast.lock("a"));
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                both.acquire(Wait.forever());
                thrown.completeExceptionally(new AssertionError("not interrupted"));
            } catch (Throwable e) {
                thrown.complete(e);
            }
        });
        thread.start();
        awaitQueued(1);
        assertTrue(old.isLocked());
        thread.interrupt();
        assertEquals(InterruptedException.class, get(thrown).getClass());
        assertFalse(old.isLocked());
        other.release();
    }

    @Test
    void release_ofAThreadOwnedLock_isForItsThreadOnly() throws Exception {
        ReentrantLock old = new ReentrantLock();
        MigrationLease lease = MigrationLock.of(old, holdfast().lock("a")).acquire();
        CompletableFuture<Void> elsewhere =
                CompletableFuture.runAsync(() -> assertThrows(IllegalMonitorStateException.class, lease::release));
        get(elsewhere);
        assertTrue(lease.isValid(), "nothing was released");
        assertTrue(old.isLocked());
        assertEquals("hf:{a}", keysButTokens(server).get(0));
        lease.release();
        assertFalse(old.isLocked());
        awaitNothingLeft(server);
    }

    @Test
    void release_ofPlainLock_isForAnyThread() throws Exception {
        Holdfast holdfast = holdfast();
        MigrationLease lease = MigrationLock.of(holdfast.plainLock("old", PLAIN), holdfast.lock("a"))
                .acquire();
        get(CompletableFuture.runAsync(lease::release));
        awaitNothingLeft(server);
    }

    @Test
    void isValid_oneOfTheTwoLost_isFalseAndTold() throws Exception {
        Holdfast holdfast = holdfast();
        PlainLock old = holdfast.plainLock("old", PLAIN.withLeaseDuration(Duration.ofSeconds(1)));
        MigrationLease first = MigrationLock.of(old, holdfast.lock("a")).acquire();
        assertEquals(LossReason.LEASE_LIMIT_REACHED, get(first.whenLost()));
        assertTrue(first.next().isValid());
        assertFalse(first.isValid(), "the new one alone is not enough");
        assertThrows(LeaseLostException.class, first::requireValid);
        first.release();
        DistributedLock brief = holdfast.lock(
                "a",
                LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(1)).withRenewal(false));
        MigrationLease second =
                MigrationLock.of(holdfast.plainLock("old", PLAIN), brief).acquire();
        assertEquals(LossReason.LEASE_LIMIT_REACHED, get(second.whenLost()));
        assertFalse(second.isValid(), "the old one alone is not enough");
        second.release();
        awaitNothingLeft(server);
    }

    @Test
    void isValid_oldLockCanTell_isAsked() throws Exception {
        AtomicBoolean stillHeld = new AtomicBoolean(true);
        MigrationLease lease = MigrationLock.of(
                        new ReentrantLock(), stillHeld::get, holdfast().lock("a"))
                .acquire();
        assertTrue(lease.isValid());
        stillHeld.set(false);
        assertFalse(lease.isValid());
        lease.release();
    }

    @Test
    void call_work_isDoneUnderBothAndBothAreReleased() throws Exception {
        ReentrantLock old = new ReentrantLock();
        MigrationLock both = MigrationLock.of(old, holdfast().lock("a"));
        assertTrue(both.<Boolean, RuntimeException>call(lease -> old.isLocked() && lease.isValid()));
        assertFalse(old.isLocked());
        IllegalArgumentException own = new IllegalArgumentException("work");
        assertSame(
                own,
                assertThrows(
                        IllegalArgumentException.class,
                        () -> both.call(lease -> {
                            old.unlock(); // the release will throw
                            throw own;
                        })));
        assertEquals(IllegalMonitorStateException.class, own.getSuppressed()[0].getClass());
        awaitNothingLeft(server);
    }

    @Test
    void rollout_oldOnlyBothAndNewOnly_neverOverlapWithTheirNeighbours() throws Exception {
        Holdfast holdfast = holdfast();
        PlainLock old = holdfast().plainLock("old", PLAIN);
        MigrationLock both = MigrationLock.of(holdfast.plainLock("old", PLAIN), holdfast.lock("a"));
        DistributedLock next = holdfast().lock("a");
        for (boolean late : new boolean[] {false, true}) {
            AtomicInteger inside = new AtomicInteger();
            Thread[] threads = new Thread[4];
            CompletableFuture<Void> failed = new CompletableFuture<>();
            for (int t = 0; t < threads.length; t++) {
                boolean migrating = t % 2 == 0;
                threads[t] = new Thread(() -> {
                    try {
                        for (int i = 0; i < 40; i++) {
                            if (migrating) {
                                both.call(lease -> enter(inside));
                            } else if (late) {
                                next.call(lease -> enter(inside));
                            } else {
                                old.call(lease -> enter(inside));
                            }
                        }
                    } catch (Throwable e) {
                        failed.completeExceptionally(e);
                    }
                });
                threads[t].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertFalse(failed.isCompletedExceptionally(), () -> "failed: " + failed);
        }
        awaitNothingLeft(server);
    }

    private static int enter(AtomicInteger inside) {
        assertEquals(1, inside.incrementAndGet());
        LockSupport.parkNanos(50_000);
        return inside.decrementAndGet();
    }
}
