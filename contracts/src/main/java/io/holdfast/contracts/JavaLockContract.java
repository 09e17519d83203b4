package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.junit.jupiter.api.Test;

/**
 * What {@link ReentrantLock} and {@link ReentrantReadWriteLock} promise, as scenarios for anything that is used in their place. They
 * run against those two as well: a scenario that these do not fulfil is no promise of theirs.
 */
@SuppressWarnings("LockNotBeforeTry") // the locks themselves are under test
public abstract class JavaLockContract extends LockSuite {
    /** For the classes of the drivers. */
    protected JavaLockContract() {}

    /** A lock, always the same one; where several views are one lock, another view each time. */
    protected abstract Lock lock();

    /** The same of a read/write lock. */
    protected abstract ReadWriteLock readWriteLock();

    /** Whether so many threads wait for {@link #lock}. */
    protected abstract boolean waiting(int threads);

    /** Whether so many threads wait for a side of {@link #readWriteLock}. */
    protected abstract boolean waitingForASide(int threads);

    // ---- threads

    private static <T> FutureTask<T> begin(Callable<T> body) {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = new Thread(task, "another");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    static <T> T get(FutureTask<T> task) throws Exception {
        return task.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Runs something in another thread, and waits for it. */
    static <T> T elsewhere(Callable<T> body) throws Exception {
        return get(begin(body));
    }

    private static boolean isFree(Lock lock) throws Exception {
        return elsewhere(() -> {
            boolean free = lock.tryLock();
            if (free) {
                lock.unlock();
            }
            return free;
        });
    }

    private void assertHeld(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            assertFalse(isFree(lock()), count - i + " times yet");
            lock().unlock();
        }
        assertTrue(isFree(lock()));
        assertThrows(IllegalMonitorStateException.class, lock()::unlock);
    }

    // ---- one lock, one thread

    @Test
    final void lock_again_countsAcrossAllViews() throws Exception {
        lock().lock();
        lock().lockInterruptibly();
        assertTrue(lock().tryLock());
        assertTrue(lock().tryLock(0, TimeUnit.SECONDS));
        assertTrue(lock().tryLock(1, TimeUnit.MINUTES));
        assertHeld(5);
    }

    @Test
    final void unlock_notHeld_isRefusedAndChangesNothing() throws Exception {
        assertThrows(IllegalMonitorStateException.class, lock()::unlock);
        lock().lock();
        elsewhere(() -> assertThrows(IllegalMonitorStateException.class, lock()::unlock));
        assertHeld(1);
    }

    @Test
    final void tryLock_taken_doesNotWait() throws Exception {
        lock().lock();
        assertFalse(elsewhere(() -> lock().tryLock()));
        assertFalse(elsewhere(() -> lock().tryLock(0, TimeUnit.SECONDS)));
        assertFalse(elsewhere(() -> lock().tryLock(-1, TimeUnit.DAYS)));
        assertHeld(1);
    }

    @Test
    final void tryLock_freeWithoutTime_isHeld() throws Exception {
        assertTrue(lock().tryLock(0, TimeUnit.SECONDS));
        assertTrue(lock().tryLock(-1, TimeUnit.DAYS));
        assertHeld(2);
    }

    @Test
    final void tryLock_notFreeInTime_isFalseAfterThatTime() throws Exception {
        lock().lock();
        long waited = elsewhere(() -> {
            long begin = System.nanoTime();
            assertFalse(lock().tryLock(50, TimeUnit.MILLISECONDS));
            assertThrows(IllegalMonitorStateException.class, lock()::unlock);
            return System.nanoTime() - begin;
        });
        assertTrue(waited >= 50_000_000, waited + " ns");
        assertHeld(1);
    }

    @Test
    final void waiting_unlockedByTheOwner_goOnOneAfterTheOther() throws Exception {
        lock().lock();
        List<FutureTask<Boolean>> waiters = new ArrayList<>();
        int[] inside = {0};
        Callable<Boolean> section = () -> {
            inside[0]++;
            boolean alone = inside[0] == 1;
            inside[0]--;
            lock().unlock();
            return alone;
        };
        waiters.add(begin(() -> {
            lock().lock();
            return section.call();
        }));
        waiters.add(begin(() -> {
            lock().lockInterruptibly();
            return section.call();
        }));
        waiters.add(begin(() -> lock().tryLock(1, TimeUnit.MINUTES) && section.call()));
        await("three wait", () -> waiting(3));
        lock().unlock();
        for (FutureTask<Boolean> waiter : waiters) {
            assertTrue(get(waiter));
        }
        assertHeld(0);
    }

    @Test
    final void sections_ofManyThreads_excludeEachOther() throws Exception {
        int[] counter = {0};
        List<FutureTask<Boolean>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(begin(() -> {
                for (int n = 0; n < 25; n++) {
                    lock().lock();
                    lock().lock();
                    counter[0]++;
                    lock().unlock();
                    lock().unlock();
                }
                return true;
            }));
        }
        for (FutureTask<Boolean> thread : threads) {
            assertTrue(get(thread));
        }
        assertEquals(100, counter[0]);
        assertHeld(0);
    }

    /** A lock without a holder is free, however many threads try at once: a try fails only where another thread holds it. */
    @Test
    final void tryLock_byManyThreadsAtOnce_oneOfThemSucceeds() throws Exception {
        for (int round = 0; round < 25; round++) {
            CyclicBarrier allHaveTried = new CyclicBarrier(3);
            List<FutureTask<Boolean>> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                threads.add(begin(() -> {
                    boolean held = lock().tryLock();
                    allHaveTried.await();
                    if (held) {
                        lock().unlock();
                    }
                    return held;
                }));
            }
            int held = 0;
            for (FutureTask<Boolean> thread : threads) {
                held += get(thread) ? 1 : 0;
            }
            assertEquals(1, held);
        }
        assertHeld(0);
    }

    // ---- interrupts

    private static void assertInterruptedOnEntry(Callable<?> ask) {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, ask::call);
        assertFalse(Thread.interrupted(), "thrown, and cleared");
    }

    private static Callable<Boolean> done(Interruptible step) {
        return () -> {
            step.run();
            return true;
        };
    }

    private interface Interruptible {
        void run() throws InterruptedException;
    }

    @Test
    final void interrupted_onEntry_isThrownAlsoWhereItCouldEnter() throws Exception {
        assertInterruptedOnEntry(done(lock()::lockInterruptibly));
        assertInterruptedOnEntry(() -> lock().tryLock(1, TimeUnit.MINUTES));
        assertInterruptedOnEntry(() -> lock().tryLock(0, TimeUnit.MINUTES));
        lock().lock();
        assertInterruptedOnEntry(done(lock()::lockInterruptibly));
        assertInterruptedOnEntry(() -> lock().tryLock(1, TimeUnit.MINUTES));
        assertInterruptedOnEntry(() -> lock().tryLock(0, TimeUnit.MINUTES));
        assertHeld(1);
    }

    @Test
    final void interrupted_lockAndTryLock_areHeldAndItStaysSet() throws Exception {
        Thread.currentThread().interrupt();
        lock().lock();
        assertTrue(Thread.currentThread().isInterrupted());
        assertTrue(lock().tryLock());
        lock().lock();
        assertTrue(Thread.interrupted());
        assertHeld(3);
    }

    @Test
    final void interrupted_whileLockWaits_waitsOnAndItStaysSet() throws Exception {
        lock().lock();
        FutureTask<Boolean> done = new FutureTask<>(() -> {
            lock().lock();
            boolean set = Thread.currentThread().isInterrupted();
            lock().unlock();
            return set;
        });
        Thread thread = new Thread(done, "interrupted");
        thread.start();
        await("it waits", () -> waiting(1));
        thread.interrupt();
        await("it has noticed, and waits on", () -> waiting(1) && !done.isDone());
        lock().unlock();
        assertTrue(get(done));
        assertHeld(0);
    }

    @Test
    final void interrupted_whileOthersWait_theyThrowAndHoldNothing() throws Exception {
        lock().lock();
        for (Callable<?> ask : List.of(
                done(() -> lock().lockInterruptibly()), (Callable<?>) () -> lock().tryLock(1, TimeUnit.MINUTES))) {
            FutureTask<Boolean> done = new FutureTask<>(() -> {
                assertThrows(InterruptedException.class, ask::call);
                assertThrows(IllegalMonitorStateException.class, lock()::unlock);
                return !Thread.currentThread().isInterrupted();
            });
            Thread thread = new Thread(done, "interrupted");
            thread.start();
            await("it waits", () -> waiting(1));
            thread.interrupt();
            assertTrue(get(done));
            await("it has left", () -> waiting(0));
        }
        assertHeld(1);
    }

    // ---- readers and writers

    private Lock reading() {
        return readWriteLock().readLock();
    }

    private Lock writing() {
        return readWriteLock().writeLock();
    }

    private void assertNobodyReadsOrWrites() throws Exception {
        assertTrue(isFree(writing()));
        assertThrows(IllegalMonitorStateException.class, reading()::unlock);
        assertThrows(IllegalMonitorStateException.class, writing()::unlock);
    }

    @Test
    final void reader_beside_letsOthersReadAndNobodyWrite() throws Exception {
        reading().lock();
        reading().lock();
        assertTrue(isFree(reading()));
        assertFalse(isFree(writing()));
        elsewhere(() -> assertThrows(IllegalMonitorStateException.class, reading()::unlock));
        assertThrows(IllegalMonitorStateException.class, writing()::unlock);
        reading().unlock();
        assertFalse(isFree(writing()), "it reads yet");
        reading().unlock();
        assertNobodyReadsOrWrites();
    }

    @Test
    final void writer_twice_keepsEverybodyOutUntilTheLastUnlock() throws Exception {
        writing().lock();
        assertTrue(writing().tryLock());
        assertThrows(IllegalMonitorStateException.class, reading()::unlock);
        elsewhere(() -> assertThrows(IllegalMonitorStateException.class, writing()::unlock));
        writing().unlock();
        assertFalse(isFree(reading()));
        assertFalse(isFree(writing()));
        writing().unlock();
        assertNobodyReadsOrWrites();
    }

    @Test
    final void writer_thatReads_goesOnAsAReaderBesideOthers() throws Exception {
        writing().lock();
        writing().lock();
        reading().lock();
        assertTrue(reading().tryLock(1, TimeUnit.MINUTES));
        writing().unlock();
        assertFalse(isFree(reading()), "it writes yet");
        writing().unlock();
        assertTrue(isFree(reading()));
        assertFalse(isFree(writing()), "it reads yet");
        assertThrows(IllegalMonitorStateException.class, writing()::unlock);
        reading().unlock();
        assertFalse(isFree(writing()), "it reads yet");
        reading().unlock();
        assertNobodyReadsOrWrites();
    }

    @Test
    final void writer_thatReadsWhileAnotherWriterWaits_isFollowedByThatOneOnlyAfterItsReading() throws Exception {
        int[] written = {1};
        writing().lock();
        FutureTask<Boolean> next = begin(() -> {
            writing().lock();
            written[0] = 2;
            writing().unlock();
            return true;
        });
        await("another writer waits", () -> waitingForASide(1));
        reading().lock();
        writing().unlock();
        assertEquals(1, written[0]);
        assertFalse(next.isDone());
        reading().unlock();
        assertTrue(get(next));
        assertNobodyReadsOrWrites();
    }

    @Test
    final void writer_thatReads_mayUnlockReadingFirst() throws Exception {
        writing().lock();
        reading().lock();
        reading().unlock();
        assertFalse(isFree(reading()));
        writing().unlock();
        assertNobodyReadsOrWrites();
    }

    @Test
    final void reader_whileAWriterWaits_entersAgain() throws Exception {
        reading().lock();
        FutureTask<Boolean> writer = begin(() -> {
            writing().lock();
            writing().unlock();
            return true;
        });
        await("a writer waits", () -> waitingForASide(1));
        reading().lock();
        reading().unlock();
        assertFalse(writer.isDone());
        reading().unlock();
        assertTrue(get(writer));
        assertNobodyReadsOrWrites();
    }

    @Test
    final void reader_triesToWrite_isRefusedAndReadsOn() throws Exception {
        reading().lock();
        assertFalse(writing().tryLock());
        assertFalse(writing().tryLock(10, TimeUnit.MILLISECONDS));
        assertThrows(IllegalMonitorStateException.class, writing()::unlock);
        assertTrue(isFree(reading()));
        reading().unlock();
        assertNobodyReadsOrWrites();
    }

    @Test
    final void reader_hasNoConditions() {
        assertThrows(UnsupportedOperationException.class, reading()::newCondition);
    }
}
