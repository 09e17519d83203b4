package io.holdfast.routing;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The threads of a routed driver: one on which things are done in turn, the lane, and some for what blocks, the workers.
 *
 * <p>What the lane owns is read and written by its steps only, and needs no lock. A step never blocks. Every thread may
 * call every method; {@link #close} not one of these.
 */
final class Lane {
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final long END_MILLIS = 1_000;
    private static final AtomicLong NUMBERS = new AtomicLong();

    /** Rejects what comes once the driver is closed. */
    final ExecutorService workers;

    private final ScheduledThreadPoolExecutor steps;

    Lane() {
        long number = NUMBERS.incrementAndGet();
        steps = new ScheduledThreadPoolExecutor(1, daemons("holdfast-routes-" + number));
        steps.setRemoveOnCancelPolicy(true);
        workers = Executors.newCachedThreadPool(daemons("holdfast-routes-work-" + number));
    }

    private static ThreadFactory daemons(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Does something in its turn, never at once. False once the driver is closed. */
    boolean enter(Runnable step) {
        return enterIn(0, step);
    }

    /** Runs the task after some time. */
    boolean enterIn(long millis, Runnable step) {
        try {
            steps.schedule(
                    () -> {
                        try {
                            step.run();
                        } catch (RuntimeException e) {
                            // A defect of ours, which must not stop the lane.
                            LOG.log(System.Logger.Level.ERROR, "routing failed", e);
                        }
                    },
                    millis,
                    TimeUnit.MILLISECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Does something that blocks. False once the driver is closed. */
    boolean work(Runnable task) {
        try {
            workers.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** No step begins from now on. */
    void stop() {
        steps.shutdownNow();
    }

    /** Interrupts the workers, too, and waits for all these threads for a short time. */
    void close() {
        stop();
        workers.shutdownNow();
        try {
            if (!steps.awaitTermination(END_MILLIS, TimeUnit.MILLISECONDS)
                    || !workers.awaitTermination(END_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.log(System.Logger.Level.DEBUG, "threads that open connections will end a little later");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
