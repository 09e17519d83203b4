package io.holdfast.internal.lease;

import io.holdfast.internal.wire.Trouble;
import io.holdfast.spi.Timers;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Timers on one daemon thread. Tasks stand in a sorted map by due time, so that adding and withdrawing one cost O(log n)
 * without a lock, and a withdrawn one leaves nothing behind.
 */
final class SystemTimers implements Timers {
    /** @param tries how often the task has thrown */
    private record Due(long nanos, long number, int tries) {
        static int compare(Due a, Due b) {
            int byTime = Long.signum(a.nanos - b.nanos); // the difference, because nanoTime may overflow
            return byTime != 0 ? byTime : Long.compare(a.number, b.number);
        }
    }

    private static final long FIRST_PAUSE_NANOS = 10_000_000L;
    private static final int MOST_DOUBLED = 6;
    private static final int MOST_TRIES = 1_000;
    /** After an error outside of a task, such as a shortage of memory. */
    private static final long REST_NANOS = 1_000_000L;

    private final ConcurrentSkipListMap<Due, Runnable> tasks = new ConcurrentSkipListMap<>(Due::compare);
    private final AtomicLong numbers = new AtomicLong();
    private final Thread thread;
    private volatile boolean closed;
    /** When the thread will look again; tasks that are due earlier wake it. */
    private volatile long wakeNanos;

    SystemTimers(String name) {
        wakeNanos = System.nanoTime();
        thread = new Thread(this::work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public Runnable schedule(long delayNanos, Runnable task) {
        if (closed) {
            return () -> {};
        }
        Due due = new Due(System.nanoTime() + Math.max(0, delayNanos), numbers.incrementAndGet(), 0);
        tasks.put(due, task);
        if (due.nanos() - wakeNanos < 0) {
            LockSupport.unpark(thread);
        }
        return () -> tasks.remove(due);
    }

    /** Nothing ends this thread but the closing: without it no lease would be renewed, or learn of its end. */
    private void work() {
        while (!closed) {
            try {
                turn();
            } catch (Throwable e) {
                Trouble.report("the timers continue after an error", e);
                LockSupport.parkNanos(this, REST_NANOS);
            }
        }
    }

    private void turn() {
        Map.Entry<Due, Runnable> first = tasks.firstEntry();
        long now = System.nanoTime();
        long until = first == null ? now + 3_600_000_000_000L : first.getKey().nanos();
        if (first != null && until - now <= 0) {
            run(first.getKey(), first.getValue());
            return;
        }
        wakeNanos = until;
        // Looked at again after wakeNanos was written: a task added before that did not wake us.
        Map.Entry<Due, Runnable> again = tasks.firstEntry();
        if (again == null || again.getKey().nanos() - until >= 0) {
            LockSupport.parkNanos(this, until - now);
        }
    }

    /** A task stands here until it has returned, or stands here again for later: whatever throws meanwhile, it is not lost. */
    private void run(Due due, Runnable task) {
        if (tasks.get(due) != task) {
            return; // withdrawn just now
        }
        try {
            task.run();
        } catch (Throwable e) {
            Trouble.report("a timer task failed", e);
            if (due.tries < MOST_TRIES) {
                long pause = FIRST_PAUSE_NANOS << Math.min(due.tries, MOST_DOUBLED);
                tasks.put(new Due(System.nanoTime() + pause, numbers.incrementAndGet(), due.tries + 1), task);
            }
        }
        tasks.remove(due, task);
    }

    @Override
    public void close() {
        closed = true;
        tasks.clear();
        LockSupport.unpark(thread);
        if (Thread.currentThread() != thread) {
            boolean interrupted = false;
            try {
                thread.join(1_000);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
