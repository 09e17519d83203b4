package io.holdfast.dashboard;

import java.util.Arrays;

/** A number for each ten seconds of the last hour; of older ones nothing is kept. Not thread-safe. */
final class Hour {
    static final long STEP_MILLIS = 10_000;
    static final int BINS = 360;
    private static final int NOTHING = -1;

    private final int[] bins = new int[BINS];
    private long last = Long.MIN_VALUE; // the newest bin there is, counted from the epoch

    Hour() {
        Arrays.fill(bins, NOTHING);
    }

    /** Adds to what was noted for this time; 0 says that somebody has watched. */
    void add(long at, int number) {
        int bin = bin(at);
        bins[bin] = Math.max(0, bins[bin]) + number;
    }

    /** Notes the greatest. */
    void most(long at, int number) {
        int bin = bin(at);
        bins[bin] = Math.max(bins[bin], number);
    }

    private int bin(long at) {
        long now = Math.max(last, at / STEP_MILLIS); // a clock that went back writes where it was
        long first = Math.max(last + 1, now - BINS + 1);
        for (long bin = last == Long.MIN_VALUE ? now : first; bin <= now; bin++) {
            bins[(int) (bin % BINS)] = NOTHING;
        }
        last = now;
        return (int) (now % BINS);
    }

    /** What was noted for the bin that begins at this time; negative if nobody watched. */
    int at(long begin) {
        long bin = begin / STEP_MILLIS;
        return bin > last || bin <= last - BINS ? NOTHING : bins[(int) (bin % BINS)];
    }

    /** The sum of an hour until now. */
    long sum(long now) {
        long sum = 0;
        for (long bin = now / STEP_MILLIS - BINS + 1; bin <= now / STEP_MILLIS; bin++) {
            sum += Math.max(0, at(bin * STEP_MILLIS));
        }
        return sum;
    }
}
