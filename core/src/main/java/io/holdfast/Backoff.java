package io.holdfast;

import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.Objects;
import java.util.function.IntFunction;

/**
 * The time to wait before asking again (polling), if no message reports that a lock became free. Immutable, if its function is.
 *
 * <p>Every wait is at least 1 ms and at most an hour, even if a function returns another value.
 */
public final class Backoff {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);
    /** Doubling an hour's worth of milliseconds this many times is beyond any limit, and does not overflow yet. */
    private static final int MOST_DOUBLINGS = 30;

    private final IntFunction<Duration> delays;
    private final double jitter;
    private final String words;

    private Backoff(IntFunction<Duration> delays, double jitter, String words) {
        this.delays = delays;
        this.jitter = jitter;
        this.words = words;
    }

    /**
     * Returns a backoff with a constant wait after each attempt.
     *
     * @param delay 1 ms to 1 h
     */
    public static Backoff fixed(Duration delay) {
        Require.between("delay", delay, SHORTEST, LONGEST);
        return new Backoff(attempt -> delay, 0, "fixed " + delay);
    }

    /**
     * Returns a backoff with a wait that doubles after each attempt.
     *
     * @param first the wait after the first attempt; 1 ms to 1 h
     * @param longest the maximum wait; from {@code first} to 1 h
     */
    public static Backoff exponential(Duration first, Duration longest) {
        Require.between("first", first, SHORTEST, LONGEST);
        Require.between("longest", longest, first, LONGEST);
        return new Backoff(
                attempt -> {
                    Duration delay = first.multipliedBy(1L << Math.min(MOST_DOUBLINGS, attempt - 1));
                    return delay.compareTo(longest) < 0 ? delay : longest;
                },
                0,
                "exponential from " + first + " to " + longest);
    }

    /**
     * Returns a backoff whose wait is computed from the number of attempts so far, which is 1 after the first. The function is
     * called on a thread of the client, or on a thread that is blocked in a call of this library, and must not block. If it
     * throws, the request ends with that exception, and the lock is not held.
     */
    public static Backoff of(IntFunction<Duration> delays) {
        return new Backoff(delays, 0, "a function of the attempt");
    }

    /**
     * Returns a copy that subtracts a random part from each wait, so that clients that were refused together do not retry
     * together.
     *
     * @param share the largest part that may be subtracted: 0 (none) to 1 (all but a millisecond)
     */
    public Backoff withJitter(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share is " + share + ", must be from 0 to 1");
        }
        return new Backoff(delays, share, words);
    }

    /**
     * Returns how long to wait after the given number of attempts, in nanoseconds. The result is from 1 ms to 1 h.
     *
     * @param attempt how often the server was asked, from 1
     * @param random a random number from 0 to 1, drawn by the caller: the part of the jitter that is subtracted from the wait
     */
    public long nanos(int attempt, double random) {
        Duration delay = Objects.requireNonNull(delays.apply(attempt), "the function of the backoff returned null");
        // Compared first: a huge duration has no nanoseconds in a long.
        long nanos = delay.isNegative() ? 0 : delay.compareTo(LONGEST) > 0 ? LONGEST.toNanos() : delay.toNanos();
        return Math.max(SHORTEST.toNanos(), nanos - (long) (nanos * jitter * random));
    }

    @Override
    public String toString() {
        return words + (jitter == 0 ? "" : ", less up to " + Math.round(jitter * 100) + " %");
    }
}
