package io.holdfast.internal.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SystemTimersTest {
    private static final long MS = 1_000_000;
    private static final long PATIENCE_SECONDS = 20;

    private final SystemTimers timers = new SystemTimers("timers-under-test");

    @AfterEach
    void close() {
        timers.close();
    }

    @Test
    void schedule_anyDelay_runsNoEarlierOnTheTimersThread() throws Exception {
        long begin = System.nanoTime();
        CompletableFuture<Long> ran = new CompletableFuture<>();
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        timers.schedule(20 * MS, () -> {
            thread.complete(Thread.currentThread());
            ran.complete(System.nanoTime());
        });
        assertTrue(ran.get(PATIENCE_SECONDS, TimeUnit.SECONDS) - begin >= 20 * MS);
        assertEquals("timers-under-test", thread.get().getName());
        assertTrue(thread.get().isDaemon());
    }

    @Test
    void schedule_zeroOrNegativeDelay_isNotRunByTheCaller() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        timers.schedule(-5, () -> thread.complete(Thread.currentThread()));
        assertNotSame(Thread.currentThread(), thread.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void schedule_sameTime_runInTheOrderOfTheirAdding() throws Exception {
        BlockingQueue<Integer> order = new LinkedBlockingQueue<>();
        CountDownLatch go = holdTheThread();
        for (int i = 0; i < 100; i++) {
            int number = i;
            timers.schedule(0, () -> order.add(number));
        }
        go.countDown();
        for (int i = 0; i < 100; i++) {
            assertEquals(i, order.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
    }

    @Test
    void schedule_laterOneAddedFirst_runsLast() throws Exception {
        BlockingQueue<String> order = new LinkedBlockingQueue<>();
        timers.schedule(700 * MS, () -> order.add("late"));
        timers.schedule(0, () -> order.add("early"));
        assertEquals("early", order.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertEquals("late", order.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void schedule_earlierThanWhatIsAwaited_wakesTheThread() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        timers.schedule(TimeUnit.HOURS.toNanos(1), late::countDown);
        CountDownLatch early = new CountDownLatch(1);
        timers.schedule(MS, early::countDown);
        assertTrue(early.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertEquals(1, late.getCount());
    }

    @Test
    void cancel_beforeItsTime_isNeverRun() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch go = holdTheThread();
        Runnable cancel = timers.schedule(0, runs::incrementAndGet);
        CountDownLatch after = new CountDownLatch(1);
        timers.schedule(0, after::countDown);
        cancel.run();
        cancel.run();
        go.countDown();
        assertTrue(after.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertEquals(0, runs.get());
    }

    @Test
    void task_thatThrows_doesNotEndTheThread() throws Exception {
        timers.schedule(0, () -> {
            throw new IllegalStateException("thrown on purpose by a test");
        });
        timers.schedule(0, () -> {
            throw new AssertionError("an error, thrown on purpose by a test");
        });
        CountDownLatch after = new CountDownLatch(1);
        timers.schedule(MS, after::countDown);
        assertTrue(after.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void task_thatThrows_isRunAgainUntilItReturns() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(1);
        timers.schedule(0, () -> {
            if (runs.incrementAndGet() < 4) {
                throw new OutOfMemoryError("thrown on purpose by a test");
            }
            done.countDown();
        });
        assertTrue(done.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        CountDownLatch after = new CountDownLatch(1);
        timers.schedule(100 * MS, after::countDown);
        assertTrue(after.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertEquals(4, runs.get(), "run again although it had returned");
    }

    /** As where memory is short: to tell of the first error is the next. */
    @Test
    void task_thatThrowsWhatCannotBeTold_doesNotEndTheThread() throws Exception {
        AtomicInteger told = new AtomicInteger();
        Handler failing = new Handler() {
            @Override
            public void publish(LogRecord logged) {
                told.incrementAndGet();
                throw new OutOfMemoryError("thrown on purpose by a test");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger log = Logger.getLogger("io.holdfast");
        log.addHandler(failing);
        try {
            AtomicInteger runs = new AtomicInteger();
            CountDownLatch done = new CountDownLatch(1);
            timers.schedule(0, () -> {
                if (runs.incrementAndGet() < 2) {
                    throw new OutOfMemoryError("thrown on purpose by a test");
                }
                done.countDown();
            });
            assertTrue(done.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
            assertEquals(1, told.get());
        } finally {
            log.removeHandler(failing);
        }
    }

    @Test
    void close_withTasksLeft_dropsThemAndEndsTheThread() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        timers.schedule(0, () -> thread.complete(Thread.currentThread()));
        AtomicInteger runs = new AtomicInteger();
        timers.schedule(TimeUnit.HOURS.toNanos(1), runs::incrementAndGet);
        Thread worker = thread.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        timers.close();
        assertFalse(worker.isAlive());
        timers.schedule(0, runs::incrementAndGet).run();
        timers.close();
        assertEquals(0, runs.get());
    }

    @Test
    void close_byATask_endsTheThread() throws Exception {
        CompletableFuture<Thread> thread = new CompletableFuture<>();
        timers.schedule(0, () -> {
            timers.close();
            thread.complete(Thread.currentThread());
        });
        Thread worker = thread.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        worker.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        assertFalse(worker.isAlive());
    }

    /** Keeps the timers' thread busy until the returned latch is opened. */
    private CountDownLatch holdTheThread() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch held = new CountDownLatch(1);
        timers.schedule(0, () -> {
            held.countDown();
            awaitQuietly(go);
        });
        assertTrue(held.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        return go;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
