package io.holdfast.internal.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class CallbackThreadsTest {
    private static final long PATIENCE_SECONDS = 30;

    private final SystemTimers timers = new SystemTimers("timers");
    private final CallbackThreads threads = new CallbackThreads("callbacks-under-test", timers);

    @AfterEach
    void close() {
        threads.shutdown();
        timers.close();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void execute_fromManyThreads_runsEachTaskOnce() {
        int tasks = 20_000;
        int senders = 4;
        AtomicIntegerArray ran = new AtomicIntegerArray(tasks);
        CountDownLatch left = new CountDownLatch(tasks);
        List<Thread> sending = IntStream.range(0, senders)
                .mapToObj(sender -> new Thread(() -> {
                    for (int i = sender; i < tasks; i += senders) {
                        int number = i;
                        threads.execute(() -> {
                            ran.incrementAndGet(number);
                            left.countDown();
                        });
                    }
                }))
                .toList();
        sending.forEach(Thread::start);
        await(left);
        for (int i = 0; i < tasks; i++) {
            assertEquals(1, ran.get(i));
        }
    }

    /** Each of them waits for all others: no number of threads that is fixed beforehand would do. */
    @Test
    void execute_tasksThatBlock_haveAThreadEach() {
        int tasks = 100;
        CountDownLatch together = new CountDownLatch(tasks);
        CountDownLatch done = new CountDownLatch(tasks);
        for (int i = 0; i < tasks; i++) {
            threads.execute(() -> {
                together.countDown();
                await(together);
                done.countDown();
            });
        }
        await(done);
    }

    @Test
    void execute_taskThatThrows_isToldAndTheNextRuns() throws Exception {
        CompletableFuture<Thread> ran = new CompletableFuture<>();
        CompletableFuture<Throwable> told = new CompletableFuture<>();
        threads.execute(() -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> told.complete(thrown));
            throw new IllegalStateException("on purpose");
        });
        threads.execute(() -> ran.complete(Thread.currentThread()));
        assertEquals("on purpose", told.get(PATIENCE_SECONDS, TimeUnit.SECONDS).getMessage());
        Thread thread = ran.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertTrue(thread.isDaemon());
        assertTrue(thread.getName().startsWith("callbacks-under-test-"), thread.getName());
    }

    @Test
    void shutdown_tasksThatWait_stillRunAndLaterOnesAreRejected() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Void> second = new CompletableFuture<>();
        threads.execute(() -> {
            begun.countDown();
            await(goOn);
        });
        await(begun);
        timers.close(); // nobody looks any more, so the second one waits for the first
        threads.execute(() -> second.complete(null));
        threads.shutdown();
        goOn.countDown();
        second.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThrows(RejectedExecutionException.class, () -> {
            while (true) {
                threads.execute(() -> {}); // until the last thread has ended
                Thread.onSpinWait();
            }
        });
    }
}
