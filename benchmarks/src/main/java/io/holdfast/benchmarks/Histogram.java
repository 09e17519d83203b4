package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;

/**
 * Counts of durations, in buckets no wider than a 64th of what they hold. Nanoseconds. For use by one thread; those of
 * several are added together afterwards.
 */
final class Histogram {
    private static final int EXACT = 128; // below this each value has its own bucket
    private static final int STEPS = 64; // buckets for each doubling above

    private final long[] counts = new long[EXACT + STEPS * 57];
    private long total;
    private long max;

    /** From {@link #sparse()}. */
    static Histogram of(List<Long> sparse) {
        Histogram result = new Histogram();
        result.max = sparse.get(0);
        for (int i = 1; i < sparse.size(); i += 2) {
            result.counts[sparse.get(i).intValue()] = sparse.get(i + 1);
            result.total += sparse.get(i + 1);
        }
        return result;
    }

    void add(long nanos) {
        long value = Math.max(0, nanos);
        counts[bucket(value)]++;
        total++;
        max = Math.max(max, value);
    }

    Histogram add(Histogram other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
        total += other.total;
        max = Math.max(max, other.max);
        return this;
    }

    private static int bucket(long value) {
        if (value < EXACT) {
            return (int) value;
        }
        int doublings = 63 - Long.numberOfLeadingZeros(value) - 6; // 1 for 128 to 255
        return EXACT + (doublings - 1) * STEPS + (int) (value >>> doublings) - STEPS;
    }

    /** The largest value of a bucket. */
    private static long ceiling(int bucket) {
        if (bucket < EXACT) {
            return bucket;
        }
        int doublings = (bucket - EXACT) / STEPS + 1;
        return ((long) ((bucket - EXACT) % STEPS + STEPS + 1) << doublings) - 1;
    }

    long total() {
        return total;
    }

    long max() {
        return max;
    }

    /**
     * The value that the given part of all does not exceed.
     *
     * @param part from 0 to 1
     */
    long at(double part) {
        long rank = Math.max(1, (long) Math.ceil(part * total));
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= rank) {
                return Math.min(max, ceiling(i));
            }
        }
        return max;
    }

    /** The maximum, then pairs of bucket and count. */
    List<Long> sparse() {
        List<Long> list = new ArrayList<>();
        list.add(max);
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                list.add((long) i);
                list.add(counts[i]);
            }
        }
        return list;
    }
}
