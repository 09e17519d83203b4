package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseSet;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.LockRefusedException;
import io.holdfast.LockSet;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** What happens to an actor that asks for a lock that it holds already; and the view as a lock of {@code java.util.concurrent}. */
@SuppressWarnings("LockNotBeforeTry") // the lock itself is under test
public class OwnConflictContract extends FaultSuite {
    /** For the classes of the drivers. */
    protected OwnConflictContract() {}

    private static LockOptions with(Reentrancy policy) {
        return STRICT.withReentrancy(policy);
    }

    /** How many scripts the server has run. */
    private long scripts() {
        long calls = 0;
        for (String line : server.command("INFO", "commandstats").asString().split("\r\n", -1)) {
            if (line.startsWith("cmdstat_eval")) {
                String counted = line.substring(line.indexOf("calls=") + 6);
                calls += Long.parseLong(counted.substring(0, counted.indexOf(',')));
            }
        }
        return calls;
    }

    private static boolean taken(Callable<Boolean> tryLock) throws Exception {
        return elsewhere(tryLock);
    }

    /** Runs something in another thread, which has ended afterwards. */
    private static <T> T elsewhere(Callable<T> body) throws Exception {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = new Thread(task, "elsewhere");
        thread.start();
        T result = task.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        thread.join();
        return result;
    }

    @Test
    void wait_ownHold_waitsLikeAnybody() throws Exception {
        DistributedLock lock = local(EACH_QUEUED).lock("a");
        Lease lease = lock.acquire();
        assertNotObtained(Reason.TAKEN, lock.attempt(Wait.none()));
        CompletableFuture<Lease> next = lock.acquireAsync(Wait.forever());
        awaitQueued(1);
        lease.release();
        assertTrue(get(next).token() > lease.token());
    }

    @Test
    void reenter_ownHold_sharesTheTokenAsksNobodyAndIsCounted() throws Exception {
        DistributedLock lock = local(EACH_QUEUED).lock("a", with(Reentrancy.REENTER));
        Lease outer = lock.acquire();
        long before = scripts();
        Lease middle = lock.acquire();
        Lease inner = lock.tryAcquire().orElseThrow();
        assertEquals(before, scripts());
        assertEquals(outer.token(), middle.token());
        assertEquals(outer.token(), inner.token());
        assertEquals(ReleaseResult.STILL_HELD, inner.release());
        assertEquals(ReleaseResult.ALREADY_GONE, inner.release(), "one lease counts once");
        assertFalse(inner.isValid());
        assertThrows(LeaseLostException.class, inner::requireValid);
        assertFalse(inner.isHeldOnServer());
        assertTrue(outer.isValid());
        // In any order: a lease is not a stack.
        assertEquals(ReleaseResult.STILL_HELD, outer.release());
        assertEquals(before, scripts());
        assertHeldBy(middle);
        assertEquals(ReleaseResult.RELEASED, middle.release());
        awaitNothingLeft(server);
    }

    @Test
    void reenterAndReleaseToRest_innermost_restsWhenTheLastOneHasLeft() throws Exception {
        DistributedLock lock = local(EACH_QUEUED).lock("a", with(Reentrancy.REENTER));
        Lease outer = lock.acquire();
        Lease inner = lock.acquire();
        long begin = System.nanoTime();
        assertEquals(ReleaseResult.STILL_HELD, inner.releaseToRest(Duration.ofSeconds(1)));
        assertTrue(outer.isValid());
        assertEquals(ReleaseResult.RELEASED, outer.releaseToRest(Duration.ofMillis(1)));
        assertNotObtained(Reason.TAKEN, lock.attempt(Wait.none()));
        lock.acquire(Wait.upTo(PATIENCE)).release();
        assertTrue(System.nanoTime() - begin >= 1_000_000_000L, "the longest of what they asked for");
    }

    @Test
    void reenter_otherThread_waits() throws Exception {
        DistributedLock lock = local(EACH_QUEUED).lock("a", with(Reentrancy.REENTER));
        Lease lease = lock.acquire();
        assertTrue(taken(() -> lock.tryAcquire().isEmpty()));
        lease.release();
    }

    @Test
    void reenter_namedActors_areWhoTheySayInAnyThread() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED);
        DistributedLock one = holdfast.lock("a", with(Reentrancy.REENTER)).withActor("order-1");
        DistributedLock other = holdfast.lock("a", with(Reentrancy.REENTER)).withActor("order-2");
        Lease lease = one.acquire();
        assertEquals(
                "order-1", holdfast.inspect().lock("a").holder().orElseThrow().actor());
        assertNotObtained(Reason.TAKEN, other.attempt(Wait.none()), "another actor of the same thread");
        Lease again = elsewhere(one::acquire);
        assertEquals(lease.token(), again.token());
        assertEquals(ReleaseResult.STILL_HELD, again.release());
        assertEquals(ReleaseResult.RELEASED, lease.release());
        // The same id in another client is another actor.
        Lease elsewhere = local(EACH_QUEUED)
                .lock("a", with(Reentrancy.REENTER))
                .withActor("order-1")
                .acquire();
        assertNotObtained(Reason.TAKEN, one.attempt(Wait.none()));
        elsewhere.release();
    }

    @Test
    void asUnlessNamed_lockAndSet_leavesActorsThatAreNamed() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED);
        DistributedLock named = holdfast.lock("a").withActor("order-1");
        LockSet set = holdfast.allOf(named, holdfast.lock("b")).withDefaultActor("billing");
        try (LeaseSet leases = set.acquire()) {
            assertTrue(leases.isValid());
            assertEquals("order-1", holderOf(holdfast, "a"));
            assertEquals("billing", holderOf(holdfast, "b"));
        }
        named.withDefaultActor("billing").call(lease -> {
            assertEquals("order-1", holderOf(holdfast, "a"));
            return lease;
        });
        holdfast.lock("a").withDefaultActor("billing").call(lease -> {
            assertEquals("billing", holderOf(holdfast, "a"));
            return lease;
        });
    }

    private static String holderOf(Holdfast holdfast, String name) {
        return holdfast.inspect().lock(name).holder().orElseThrow().actor();
    }

    @Test
    void refuse_ownHold_namesTheHolderAsTheServerWould() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED.withApplication("billing"));
        Lease lease = holdfast.lock("a").withActor("order-1").acquire();
        DistributedLock lock = holdfast.lock("a", with(Reentrancy.REFUSE)).withActor("order-1");
        Attempt.NotObtained<Lease> conflict = assertNotObtained(Reason.HELD_BY_CALLER, lock.attempt(Wait.none()));
        Holder told = conflict.contention().holder().orElseThrow();
        Holder known = holdfast.inspect().lock("a").holder().orElseThrow();
        assertEquals(known.describe(), told.describe());
        assertEquals(known.owner(), told.owner());
        lease.release();
    }

    @Test
    void reenter_bothWaitAtOnce_shareTheHoldThatOneGets() throws Exception {
        Lease before = local(EACH_QUEUED).lock("a").acquire();
        // The hold is to be confirmed in its claim window, also by a machine that stands still for a second.
        DistributedLock lock = local(EACH_QUEUED)
                .lock("a", with(Reentrancy.REENTER).withHandoffTimeout(Duration.ofSeconds(5)))
                .withActor("order-1");
        CompletableFuture<Lease> one = lock.acquireAsync(Wait.forever());
        awaitQueued(1);
        CompletableFuture<Lease> two = lock.acquireAsync(Wait.forever());
        awaitQueued(2);
        before.release();
        assertEquals(get(one).token(), get(two).token());
        awaitNobodyQueued();
        assertEquals(ReleaseResult.STILL_HELD, get(one).release());
        assertEquals(ReleaseResult.RELEASED, get(two).release());
        awaitNothingButTombstones();
    }

    @Test
    void reenter_afterALoss_isANewLeaseWithANewerToken() throws Exception {
        DistributedLock lock = local(EACH_QUEUED).lock("a", with(Reentrancy.REENTER));
        Lease lost = lock.with(lock.options().withLeaseDuration(BRIEF.leaseDuration()))
                .acquire();
        server.command("DEL", "hf:{a}");
        assertEquals(LossReason.NOT_ON_SERVER, get(lost.whenLost()));
        Lease fresh = lock.acquire();
        assertTrue(fresh.token() > lost.token());
        assertFalse(lost.isValid());
        assertEquals(ReleaseResult.ALREADY_GONE, lost.release());
        assertHeldBy(fresh);
        assertEquals(ReleaseResult.RELEASED, fresh.release());
    }

    @Test
    void reenterAndExtend_ownHold_lastsAtLeastATermFromNow() throws Exception {
        LockOptions options = with(Reentrancy.REENTER_AND_EXTEND)
                .withLeaseDuration(Duration.ofSeconds(10))
                .withRenewal(false);
        DistributedLock lock = local(EACH_QUEUED).lock("a", options);
        Lease outer = lock.acquire();
        await("some of it passes", () -> outer.remaining().toMillis() < 9_000);
        Lease inner = lock.acquire();
        assertTrue(inner.remaining().toMillis() > 9_000);
        assertEquals(outer.token(), inner.token());
        inner.release();
        assertTrue(outer.remaining().toMillis() > 8_000);
        assertEquals(ReleaseResult.RELEASED, outer.release());
    }

    @Test
    void reenterAndExtend_serverGone_isUnknownAndTheHoldStays() throws Exception {
        DistributedLock lock =
                remote(EAGER.withCloseTimeout(Duration.ZERO)).lock("a", with(Reentrancy.REENTER_AND_EXTEND));
        Lease outer = lock.acquire();
        proxy.stall(TcpProxy.Kind.ANY);
        assertInstanceOf(Attempt.Unknown.class, lock.attempt(Wait.none()));
        assertTrue(outer.isValid());
        proxy.resume();
        assertEquals(ReleaseResult.RELEASED, outer.release(), "the failed entry does not count");
    }

    @Test
    void refuse_ownHold_isAnAnswerOfItsOwnWithoutAsking() throws Exception {
        DistributedLock lock = local(EACH_QUEUED).lock("a", with(Reentrancy.REFUSE));
        Lease lease = lock.acquire();
        long before = scripts();
        Attempt.NotObtained<Lease> refused = assertNotObtained(Reason.HELD_BY_CALLER, lock.attempt(Wait.forever()));
        Holder self = refused.contention().holder().orElseThrow();
        assertEquals(lease.owner(), self.owner());
        assertFalse(self.since().isAfter(Instant.now()));
        assertThrows(LockRefusedException.class, () -> lock.acquire(Wait.forever()));
        assertThrows(LockRefusedException.class, lock::tryAcquire);
        assertEquals(before, scripts());
        assertHeldBy(lease);
        lease.release();
        // Released, it is no conflict any more; nor expired.
        Lease brief = lock.with(lock.options()
                        .withLeaseDuration(LockOptions.MIN_LEASE_DURATION)
                        .withRenewal(false))
                .acquire();
        assertEquals(LossReason.LEASE_LIMIT_REACHED, get(brief.whenLost()));
        lock.acquire().release();
    }

    // ---- java.util.concurrent.locks.Lock

    @Test
    void javaLock_lockedTwice_isUnlockedByTheSecondUnlock() throws Exception {
        DistributedLock lock = local(EACH_QUEUED).lock("a");
        Lock view = lock.asJavaLock();
        view.lock();
        long token = lock.name().length() + holderToken();
        view.lock();
        assertTrue(view.tryLock());
        assertTrue(view.tryLock(1, TimeUnit.SECONDS));
        view.lockInterruptibly();
        assertEquals(token, lock.name().length() + holderToken(), "the token does not change");
        for (int i = 0; i < 4; i++) {
            view.unlock();
            assertTrue(lock.isLocked());
            assertFalse(taken(view::tryLock));
        }
        view.unlock();
        assertFalse(lock.isLocked());
        assertThrows(IllegalMonitorStateException.class, view::unlock);
    }

    private long holderToken() {
        return Long.parseLong(server.command("GET", "hf:{a}").asString().split(" ", -1)[1]);
    }

    @Test
    void javaLock_otherThread_cannotUnlockAndWaits() throws Exception {
        Lock view = local(EACH_QUEUED).lock("a").asJavaLock();
        view.lock();
        boolean refused = elsewhere(() -> {
            try {
                view.unlock();
                return false;
            } catch (IllegalMonitorStateException e) {
                return true;
            }
        });
        assertTrue(refused);
        // Long enough for an answer: a request that ends without one leaves a tombstone for its copies.
        assertFalse(taken(() -> view.tryLock(500, TimeUnit.MILLISECONDS)));
        assertFalse(taken(() -> view.tryLock(0, TimeUnit.MILLISECONDS)));
        assertFalse(taken(() -> view.tryLock(-1, TimeUnit.DAYS)));
        CompletableFuture<Boolean> locked = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            view.lock();
            view.unlock();
            locked.complete(true);
        });
        thread.start();
        awaitQueued(1);
        view.unlock();
        assertTrue(get(locked));
        thread.join();
        awaitNothingLeft(server);
    }

    @Test
    void javaLock_interrupted_lockKeepsWaitingAndTheOthersThrow() throws Exception {
        Lock view = local(EACH_QUEUED).lock("a").asJavaLock();
        view.lock();
        CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            view.lock();
            stillInterrupted.complete(Thread.currentThread().isInterrupted());
            view.unlock();
        });
        waiting.start();
        awaitQueued(1);
        waiting.interrupt();
        assertFalse(completesSoon(stillInterrupted));
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread interruptible = new Thread(() -> {
            try {
                view.lockInterruptibly();
            } catch (InterruptedException e) {
                thrown.complete(e);
            }
        });
        interruptible.start();
        awaitQueued(2);
        interruptible.interrupt();
        assertInstanceOf(InterruptedException.class, get(thrown));
        awaitQueued(1);
        // On entry, too, and before anything else.
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, view::lockInterruptibly);
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> view.tryLock(1, TimeUnit.SECONDS));
        Thread.currentThread().interrupt();
        assertTrue(view.tryLock(), "tryLock() does not heed interrupts");
        assertTrue(Thread.interrupted());
        view.unlock();
        view.unlock();
        assertTrue(get(stillInterrupted));
        waiting.join();
        interruptible.join();
    }

    @Test
    void javaLock_leaseLost_isToldByUnlockAndByLockingAgain() throws Exception {
        Lock view = local(EACH_QUEUED).lock("a", BRIEF).asJavaLock();
        view.lock();
        server.command("DEL", "hf:{a}");
        await("the loss is noticed", () -> {
            try {
                view.lock();
                view.unlock();
                return false;
            } catch (LeaseLostException e) {
                return true;
            }
        });
        assertThrows(LeaseLostException.class, view::tryLock);
        assertThrows(LeaseLostException.class, view::unlock);
        assertThrows(IllegalMonitorStateException.class, view::unlock);
        view.lock();
        view.unlock();
    }

    @Test
    void javaLock_conditions_areNotSupported() {
        Lock view = local(EACH_QUEUED).lock("a").asJavaLock();
        assertThrows(UnsupportedOperationException.class, view::newCondition);
    }

    @Test
    void javaLock_virtualThreads_ownItLikeAnyThread() throws Exception {
        Lock view = local(EACH_QUEUED).lock("a").asJavaLock();
        int[] counter = {0};
        Runnable work = () -> {
            for (int i = 0; i < 10; i++) {
                view.lock();
                view.lock();
                counter[0]++;
                view.unlock();
                view.unlock();
            }
        };
        Thread[] threads = new Thread[8];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = virtualIfPossible(work);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(80, counter[0]);
        awaitNothingLeft(server);
    }

    /** A started virtual thread where the platform has them, else one of the platform's. */
    private static Thread virtualIfPossible(Runnable work) throws ReflectiveOperationException {
        if (Runtime.version().feature() >= 21) {
            return (Thread)
                    Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
        }
        Thread thread = new Thread(work);
        thread.start();
        return thread;
    }
}
