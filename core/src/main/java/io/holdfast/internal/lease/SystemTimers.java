package io.holdfast.internal.lease;

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
    private record Due(long nanos, long number) {
        static int compare(Due a, Due b) {
            int byTime = Long.signum(a.nanos - b.nanos); // the difference, because nanoTime may overflow
            return byTime != 0 ? byTime : Long.compare(a.number, b.number);
        }
    }

    private static final System.Logger LOG = System.getLogger("io.holdfast");

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
        Due due = new Due(System.nanoTime() + Math.max(0, delayNanos), numbers.incrementAndGet());
        tasks.put(due, task);
        if (due.nanos() - wakeNanos < 0) {
            LockSupport.unpark(thread);
        }
        return () -> tasks.remove(due);
    }

    private void work() {
        while (!closed) {
            Map.Entry<Due, Runnable> first = tasks.firstEntry();
            long now = System.nanoTime();
            long until =
                    first == null ? now + 3_600_000_000_000L : first.getKey().nanos();
            if (until - now > 0) {
                wakeNanos = until;
                // Looked at again after wakeNanos was written: a task added before that did not wake us.
                Map.Entry<Due, Runnable> again = tasks.firstEntry();
                if (again == null || again.getKey().nanos() - until >= 0) {
                    LockSupport.parkNanos(this, until - now);
                }
                continue;
            }
            if (first != null && tasks.remove(first.getKey(), first.getValue())) {
                try {
                    first.getValue().run();
                } catch (Throwable e) {
                    // An Error too: without this thread no lease would learn of its end.
                    LOG.log(System.Logger.Level.ERROR, "a timer task failed", e);
                }
            }
        }
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
