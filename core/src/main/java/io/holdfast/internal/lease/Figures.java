package io.holdfast.internal.lease;

import io.holdfast.Attempt;
import io.holdfast.LockFigures;
import io.holdfast.LockFigures.Times;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Trouble;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts what becomes of the requests of this client, and of its leases, for each lock. Any thread; what is counted of one lock is
 * guarded by its place in the map.
 */
public final class Figures {
    /** When there are more, the half is dropped that was not used for longest. What it counted goes on in the total. */
    static final int MOST_LOCKS = 1_000;

    private final Map<String, Tally> locks = new ConcurrentHashMap<>();
    private final AtomicBoolean dropping = new AtomicBoolean();
    private final AtomicReference<LockFigures> dropped = new AtomicReference<>(LockFigures.NONE);

    /** Of one lock. */
    private static final class Tally {
        final Sum waits = new Sum();
        final Sum holds = new Sum();
        long handoffs;
        long timedOut;
        long refused;
        long lost;
        long answered;
        long givenUp;
        long usedNanos;

        LockFigures figures() {
            return new LockFigures(waits.times(), holds.times(), handoffs, timedOut, refused, lost, answered, givenUp);
        }
    }

    private static final class Sum {
        private final long[] bins = new long[Times.MOST_BINS];
        private long count;
        private long totalMicros;
        private long longestMicros;

        void add(Duration time) {
            long micros = Math.max(0, time.toNanos() / 1_000);
            int bin = Long.SIZE - Long.numberOfLeadingZeros(micros / 1_000);
            count++;
            totalMicros += micros;
            longestMicros = Math.max(longestMicros, micros);
            bins[Math.min(bin, bins.length - 1)]++;
        }

        Times times() {
            int used = bins.length;
            while (used > 0 && bins[used - 1] == 0) {
                used--;
            }
            List<Long> histogram = new ArrayList<>(used);
            for (int i = 0; i < used; i++) {
                histogram.add(bins[i]);
            }
            return new Times(
                    count, Duration.ofNanos(totalMicros * 1_000), Duration.ofNanos(longestMicros * 1_000), histogram);
        }
    }

    // ---- counting

    /**
     * A request has the lock.
     *
     * @param waited since it was asked for
     * @param inLine whether it was queued
     */
    void obtained(Keys keys, long now, Duration waited, boolean inLine) {
        count(keys, now, tally -> {
            tally.waits.add(waited);
            tally.handoffs += inLine ? 1 : 0;
        });
    }

    /** A lease is over. */
    void ended(Keys keys, long now, Duration held, boolean lost) {
        count(keys, now, tally -> {
            tally.holds.add(held);
            tally.lost += lost ? 1 : 0;
        });
    }

    /** A request has ended without the lock. That its caller withdrew it, or nothing is known of the lock, is not counted. */
    void notObtained(Keys keys, long now, Attempt.Reason reason) {
        switch (reason) {
            case TIMED_OUT, TRIES_EXHAUSTED -> count(keys, now, tally -> tally.timedOut++);
            case TAKEN, QUEUE_FULL, DROPPED, HELD_BY_CALLER, UPGRADE, DEADLOCK ->
                count(keys, now, tally -> tally.refused++);
            case DONE -> count(keys, now, tally -> tally.answered++);
            case GIVEN_UP -> count(keys, now, tally -> tally.givenUp++);
            case TOO_FEW_REPLICAS, QUARANTINE, UNKNOWN, REFUSED, WITHDRAWN, CLOSED -> {}
        }
    }

    /** No lock waits for its figures: an error here is logged, and that is all. */
    private void count(Keys keys, long now, Consumer<Tally> what) {
        if (keys.isPlain()) {
            return;
        }
        try {
            locks.compute(keys.hold(), (key, known) -> {
                Tally tally = known == null ? new Tally() : known;
                what.accept(tally);
                tally.usedNanos = now;
                return tally;
            });
            if (locks.size() > MOST_LOCKS && dropping.compareAndSet(false, true)) {
                try {
                    drop(now);
                } finally {
                    dropping.set(false);
                }
            }
        } catch (RuntimeException | Error e) {
            Trouble.report("something was not counted", e);
        }
    }

    private void drop(long now) {
        Map<String, Long> unusedFor = new TreeMap<>();
        eachLock((key, tally) -> unusedFor.put(key, now - tally.usedNanos));
        unusedFor.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .limit(MOST_LOCKS / 2)
                .forEach(each -> locks.computeIfPresent(each.getKey(), this::dropped));
    }

    private @Nullable Tally dropped(String key, Tally tally) {
        dropped.accumulateAndGet(tally.figures(), LockFigures::plus);
        return null;
    }

    // ---- what was counted

    /** What is said of one lock. */
    private interface Look {
        void at(String key, Tally tally);
    }

    private void eachLock(Look look) {
        for (String key : locks.keySet()) {
            locks.computeIfPresent(key, (same, tally) -> {
                look.at(key, tally);
                return tally;
            });
        }
    }

    /** What was counted of each lock, by the key of its hold. */
    public Map<String, LockFigures> byLock() {
        Map<String, LockFigures> figures = new TreeMap<>();
        eachLock((key, tally) -> figures.put(key, tally.figures()));
        return figures;
    }

    /** What was counted of locks that {@link #byLock} tells nothing of any more. */
    public LockFigures dropped() {
        return Objects.requireNonNull(dropped.get());
    }
}
