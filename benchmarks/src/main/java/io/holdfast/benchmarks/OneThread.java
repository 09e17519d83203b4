package io.holdfast.benchmarks;

import io.holdfast.spi.Entropy;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.Timers;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The timers of very many clients, on one thread in place of one for each. Safe for use by several threads. */
final class OneThread implements AutoCloseable {
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread timers = new Thread(task, "timers");
        timers.setDaemon(true);
        return timers;
    });

    /** What a client gets; closing the client leaves the thread to the others. */
    Environment environment() {
        return new Environment(Ticker.system(), Shared::new, Entropy.system());
    }

    private final class Shared implements Timers {
        @Override
        public Runnable schedule(long delayNanos, Runnable task) {
            ScheduledFuture<?> scheduled = thread.schedule(task, Math.max(0, delayNanos), TimeUnit.NANOSECONDS);
            return () -> scheduled.cancel(false);
        }

        @Override
        public void close() {
            // The thread is closed with its owner.
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
