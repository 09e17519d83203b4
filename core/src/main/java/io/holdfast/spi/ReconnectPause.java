package io.holdfast.spi;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The pause of a driver before it opens a connection again.
 *
 * <p>Pauses grow from 10 ms to 1 s, and double with each failure. Each is shortened by a random part of up to a half, so that
 * many clients do not reconnect at the same time. A driver that uses this class should start again with short pauses once a
 * connection has lasted for {@link #HELD_NANOS}.
 */
public final class ReconnectPause {
    /** The time in nanoseconds (1 s) after which a connection counts as one that has worked. */
    public static final long HELD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long FIRST_MILLIS = 10;
    private static final long LONGEST_MILLIS = 1_000;
    private static final int DOUBLINGS = 7;

    private ReconnectPause() {}

    /**
     * Returns the next pause in milliseconds, drawn at random, from 5 to 1,000.
     *
     * @param failures the number of consecutive failures before this pause, 0 or more
     */
    public static long millis(int failures) {
        long longest = Math.min(LONGEST_MILLIS, FIRST_MILLIS << Math.min(failures, DOUBLINGS));
        return ThreadLocalRandom.current().nextLong(longest / 2, longest + 1);
    }
}
