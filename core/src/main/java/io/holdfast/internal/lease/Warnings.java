package io.holdfast.internal.lease;

import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** The listeners that a renewed hold warns a third of the term before its deadline, when renewals have failed for so long: once for each deadline. */
final class Warnings {
    private final boolean wanted;
    private final long beforeNanos;
    private volatile List<Consumer<Duration>> listeners = List.of(); // written under this lock
    private volatile long warnedOf = LeaseState.NEVER; // the deadline of the last warning; the timers' thread writes it

    Warnings(LockOptions options) {
        this.wanted = options.renewal();
        this.beforeNanos = options.leaseDuration().toNanos() / 3;
    }

    /** One more listener; returns what removes it. */
    Runnable add(Consumer<Duration> listener) {
        Objects.requireNonNull(listener);
        change(all -> all.add(listener));
        return () -> change(all -> all.remove(listener));
    }

    private synchronized void change(Consumer<List<Consumer<Duration>>> how) {
        List<Consumer<Duration>> all = new ArrayList<>(listeners);
        how.accept(all);
        listeners = List.copyOf(all);
    }

    /** When it is to be warned of this deadline; the deadline itself if that was done. */
    long firstBefore(long deadline) {
        return wanted && warnedOf != deadline ? deadline - beforeNanos : deadline;
    }

    /** @param deadline read once: it may be moved meanwhile, and is to be warned of then by itself */
    void look(long now, long deadline, Executor executor) {
        if (wanted && warnedOf != deadline && deadline - beforeNanos - now <= 0) {
            warnedOf = deadline;
            Duration left = Duration.ofNanos(deadline - now);
            for (Consumer<Duration> listener : listeners) {
                executor.execute(() -> listener.accept(left));
            }
        }
    }
}
