package io.holdfast.spi;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * How long a driver pauses before it opens a connection again.
 *
 * <p>Pauses grow from 10 ms to 1 s, doubling with each failure, and each is shortened by a random part of up to a half, so
 * that many clients do not come back in step. They begin small again once a connection has held for {@link #HELD_NANOS}.
 */
public final class ReconnectPause {
    /** A connection that lasted for longer than this, a second, counts as one that has worked. In nanoseconds. */
    public static final long HELD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long FIRST_MILLIS = 10;
    private static final long LONGEST_MILLIS = 1_000;
    private static final int DOUBLINGS = 7;

    private ReconnectPause() {}

    /**
     * Draws the next pause, in milliseconds, from 5 to 1,000.
     *
     * @param failures in a row before this pause, from 0 on
     */
    public static long millis(int failures) {
        long longest = Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(failures, DOUBLINGS));
        return ThreadLocalRandom.current().nextLong(longest / 2, longest + 1);
    }
}
