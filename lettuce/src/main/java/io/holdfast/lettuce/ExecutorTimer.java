package io.holdfast.lettuce;

import io.holdfast.spi.DriverCallbacks;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.EventExecutor;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Netty's timer interface on a thread that is there anyway. The usual wheel has a thread of its own, wakes ten times a
 * second for nothing, and rounds short reconnect delays up to 100 ms.
 */
final class ExecutorTimer implements Timer {
    private final EventExecutor executor;

    ExecutorTimer(EventExecutor executor) {
        this.executor = executor;
    }

    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
        Scheduled scheduled = new Scheduled(task);
        try {
            scheduled.future = executor.schedule(scheduled, delay, unit);
        } catch (RejectedExecutionException e) {
            // The driver is closing; nobody waits for what was to come.
            scheduled.future = executor.newSucceededFuture(null);
        }
        return scheduled;
    }

    /** The executor ends the timer. */
    @Override
    public Set<Timeout> stop() {
        return Set.of();
    }

    private final class Scheduled implements Timeout, Runnable {
        private final TimerTask task;
        private volatile boolean begun;
        private volatile @Nullable Future<?> future;

        Scheduled(TimerTask task) {
            this.task = task;
        }

        @Override
        public void run() {
            begun = true;
            DriverCallbacks.run(() -> {
                try {
                    task.run(this);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }

        @Override
        public Timer timer() {
            return ExecutorTimer.this;
        }

        @Override
        public TimerTask task() {
            return task;
        }

        @Override
        public boolean isExpired() {
            return begun;
        }

        @Override
        public boolean isCancelled() {
            Future<?> running = future;
            return running != null && running.isCancelled();
        }

        @Override
        public boolean cancel() {
            Future<?> running = future;
            return running != null && running.cancel(false);
        }
    }
}
