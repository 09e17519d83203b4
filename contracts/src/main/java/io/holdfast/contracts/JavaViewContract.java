package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LockRefusedException;
import io.holdfast.Revocation;
import io.holdfast.Wait;
import io.holdfast.testkit.TestServer;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The views of a client's locks: what those of the JDK promise, and what differs because other processes lock, too. */
@SuppressWarnings({"LockNotBeforeTry", "NullAway.Init"
}) // the locks are under test; the server is started before each test
public class JavaViewContract extends JavaLockContract {
    private static final LockOptions BRIEF = STRICT.withLeaseDuration(Duration.ofMillis(600));

    private TestServer server;
    private Holdfast holdfast;

    /** For the classes of the drivers. */
    protected JavaViewContract() {}

    /** The options of the lock. */
    protected LockOptions options() {
        return LockOptions.defaults();
    }

    @BeforeEach
    final void startServerAndClient() {
        server = startLockServer();
        holdfast = client(server);
    }

    @Override
    protected final Lock lock() {
        return holdfast.lock("a", options()).asJavaLock();
    }

    @Override
    protected final ReadWriteLock readWriteLock() {
        return holdfast.readWriteLock("a").asJavaLock();
    }

    @Override
    protected final boolean waiting(int threads) {
        return holdfast.waiterCount() == threads;
    }

    @Override
    protected final boolean waitingForASide(int threads) {
        return waiting(threads);
    }

    // ---- whose

    @Test
    final void views_withOtherOptions_areTheSameLock() throws Exception {
        Lock brief = holdfast.lock("a", BRIEF).asJavaLock();
        Lock kept =
                holdfast.lock("a", STRICT.withKeepFor(Duration.ofSeconds(5))).asJavaLock();
        lock().lock();
        assertTrue(brief.tryLock());
        assertTrue(kept.tryLock());
        assertEquals(1, holdfast.leaseCount());
        lock().unlock();
        brief.unlock();
        assertFalse(elsewhere(() -> kept.tryLock()));
        kept.unlock();
        assertThrows(IllegalMonitorStateException.class, brief::unlock);
    }

    @Test
    final void views_ofTheSidesAlone_areThoseOfTheWhole() throws Exception {
        DistributedReadWriteLock catalogue = holdfast.readWriteLock("a");
        catalogue.write().asJavaLock().lock();
        catalogue.read().asJavaLock().lock();
        readWriteLock().readLock().lock();
        readWriteLock().writeLock().unlock();
        DistributedReadWriteLock elsewhere = client(server).readWriteLock("a");
        elsewhere.read().acquire(Wait.none()).release(); // it goes on as a reader
        assertTrue(elsewhere.write().tryAcquire().isEmpty());
        catalogue.read().asJavaLock().unlock();
        catalogue.read().asJavaLock().unlock();
        elsewhere.write().acquire(Wait.none()).release();
    }

    @Test
    final void views_ofLocksOfOtherKindsNamesAndClients_areOtherLocks() throws Exception {
        Lock theirs = client(server).lock("a").asJavaLock();
        lock().lock();
        assertFalse(theirs.tryLock(), "of another client");
        assertThrows(IllegalMonitorStateException.class, theirs::unlock);
        for (Lock other :
                new Lock[] {readWriteLock().writeLock(), holdfast.lock("b").asJavaLock()}) {
            assertThrows(IllegalMonitorStateException.class, other::unlock);
            assertTrue(other.tryLock());
            other.unlock();
        }
        lock().unlock();
    }

    /** A thread owns the lock, whatever actor it works for. */
    @Test
    final void views_ofOneActor_excludeEachOthersThreads() throws Exception {
        Lock view = holdfast.lock("a", options()).withActor("order-7").asJavaLock();
        view.lock();
        assertTrue(lock().tryLock());
        assertFalse(elsewhere(() -> view.tryLock()));
        view.unlock();
        lock().unlock();
    }

    @Test
    final void view_besideALeaseOfItsThread_entersItsHold() throws Exception {
        LockOptions strict = STRICT.withReentrancy(LockOptions.Reentrancy.REENTER);
        Lock view = holdfast.lock("b", STRICT).asJavaLock();
        try (Lease lease = holdfast.lock("b", strict).acquire()) {
            assertTrue(view.tryLock());
            assertTrue(view.tryLock());
            view.unlock();
            view.unlock();
            assertTrue(lease.isHeldOnServer());
        }
        assertFalse(holdfast.lock("b").isLocked());
    }

    // ---- the end

    private void lose(String name) {
        assertEquals(
                Revocation.Outcome.RELEASED,
                client(server).admin().release(name).outcome());
    }

    @Test
    final void lost_lockedTwice_isToldByEachCallUntilItIsUnlocked() throws Exception {
        lock().lock();
        lock().lock();
        lose("a");
        await("the client knows", () -> holdfast.leaseCount() == 0);
        assertThrows(LeaseLostException.class, lock()::lock);
        assertThrows(LeaseLostException.class, lock()::lockInterruptibly);
        assertThrows(LeaseLostException.class, lock()::tryLock);
        assertThrows(LeaseLostException.class, () -> lock().tryLock(1, TimeUnit.MINUTES));
        assertTrue(elsewhere(() -> {
            boolean free = lock().tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            lock().unlock();
            return free;
        }));
        assertThrows(LeaseLostException.class, lock()::unlock);
        assertThrows(LeaseLostException.class, lock()::unlock);
        assertThrows(IllegalMonitorStateException.class, lock()::unlock);
        lock().lock();
        lock().unlock();
        assertThrows(IllegalMonitorStateException.class, lock()::unlock);
    }

    @Test
    final void writer_waitsForItsOwnReading_isRefused() throws Exception {
        Lock reading = readWriteLock().readLock();
        Lock writing = readWriteLock().writeLock();
        reading.lock();
        assertThrows(LockRefusedException.class, writing::lock);
        assertThrows(LockRefusedException.class, writing::lockInterruptibly);
        assertFalse(writing.tryLock(1, TimeUnit.HOURS));
        reading.unlock();
        writing.lock();
        writing.unlock();
    }

    /** With one of the JDK's no thread could ever lock it again. */
    @Test
    final void thread_endsWithoutUnlocking_itsLeaseEndsWithItsTerm() throws Exception {
        Lock view = holdfast.lock("b", options().withLeaseDuration(BRIEF.leaseDuration()))
                .asJavaLock();
        FutureTask<Boolean> ends = new FutureTask<>(() -> {
            view.lock();
            return view.tryLock();
        });
        Thread thread = new Thread(ends, "ends");
        thread.start();
        assertTrue(get(ends));
        thread.join();
        assertEquals(1, holdfast.leaseCount());
        await("nothing renews it", () -> {
            System.gc();
            return holdfast.leaseCount() == 0;
        });
        assertTrue(view.tryLock(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        view.unlock();
    }

    @Test
    final void view_inWords_tellsWhetherItsThreadHasLockedIt() throws Exception {
        Lock view = lock();
        String free = view.toString();
        assertTrue(free.endsWith("[not locked by this thread]"), free);
        view.lock();
        lock().lock();
        assertTrue(view.toString().endsWith("[locked by this thread, 2 deep]"), view.toString());
        assertEquals(free, elsewhere(view::toString));
        view.unlock();
        view.unlock();
    }
}
