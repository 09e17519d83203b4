package io.holdfast.internal.lease;

import io.holdfast.spi.Timers;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads for the user's callbacks: as few as keep up, and as many as there are callbacks that block.
 *
 * <p>Tasks stand in one queue, and a thread that has begun takes one after the other until none is left: a thread for each
 * task would be woken and put to sleep for each, which takes longer than most tasks do. A task that blocks holds up those
 * behind it only until the next look, a millisecond later: while the first in the queue has waited for longer than that, and
 * the threads get through few tasks, each look doubles their number.
 */
final class CallbackThreads implements Executor {
    private record Task(Runnable body, long queuedNanos) {}

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** A thread that takes fewer tasks than this from one look to the next is blocked, or has long ones. */
    private static final int FEW = 8;

    private final Timers timers;
    private final ThreadPoolExecutor threads;
    private final Queue<Task> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicLong taken = new AtomicLong();
    private final AtomicBoolean watched = new AtomicBoolean();
    private long takenBefore; // of looks only, which come one after the other

    CallbackThreads(String name, Timers timers) {
        this.timers = timers;
        AtomicLong number = new AtomicLong();
        threads = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Runs a task soon.
     *
     * @throws RejectedExecutionException after the shutdown, if no thread is left that would run it
     */
    @Override
    public void execute(Runnable body) {
        Task task = new Task(body, System.nanoTime());
        tasks.add(task);
        // After the adding: a thread that is about to end then either sees the task, or is no longer counted here.
        if (running.compareAndSet(0, 1)) {
            try {
                threads.execute(this::work);
            } catch (RuntimeException | Error e) { // shut down, or there is no memory for a thread
                running.decrementAndGet();
                if (tasks.remove(task)) {
                    throw e;
                }
            }
        } else {
            watch();
        }
    }

    /** Takes tasks until there are none. Those who begin it have counted this thread among those that run. */
    private void work() {
        takeAll();
        // What was added while this thread was still counted may have begun no other.
        while (!tasks.isEmpty()) {
            running.incrementAndGet();
            takeAll();
        }
    }

    private void takeAll() {
        try {
            for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
                taken.incrementAndGet();
                try {
                    task.body.run();
                } catch (RuntimeException | Error e) {
                    Thread thread = Thread.currentThread();
                    thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                }
            }
        } finally {
            running.decrementAndGet();
        }
    }

    private void watch() {
        if (watched.compareAndSet(false, true)) {
            try {
                timers.schedule(LOOK_NANOS, this::look);
            } catch (RuntimeException | Error e) {
                watched.set(false); // the next task sees to it
            }
        }
    }

    private void look() {
        watched.set(false);
        long all = taken.get();
        long since = all - takenBefore;
        takenBefore = all;
        Task first = tasks.peek();
        if (first == null) {
            return;
        }
        int present = running.get();
        if (System.nanoTime() - first.queuedNanos >= LOOK_NANOS && since < (long) FEW * present) {
            for (int i = 0; i < Math.max(1, present); i++) {
                running.incrementAndGet();
                try {
                    threads.execute(this::work);
                } catch (RejectedExecutionException e) {
                    running.decrementAndGet(); // shut down: those that run get through with what is left
                    return;
                } catch (RuntimeException | Error e) {
                    running.decrementAndGet();
                    throw e; // and looks again a moment later
                }
            }
        }
        watch();
    }

    /** Takes no more tasks than there are; these still get their turn. */
    void shutdown() {
        threads.shutdown();
    }
}
