package io.holdfast.shedlock;

import java.time.Duration;
import net.javacrumbs.shedlock.core.LockConfiguration;

/**
 * How long a lock is held at most and at least, from a moment of the monotonic clock on.
 *
 * @param sinceNanos when they began
 * @param atMost in whole milliseconds
 * @param atLeast in whole milliseconds; zero where the server sees to it
 */
record Times(long sinceNanos, Duration atMost, Duration atLeast) {
    static Times of(LockConfiguration configuration) {
        return new Times(
                System.nanoTime(), millis(configuration.getLockAtMostFor()), millis(configuration.getLockAtLeastFor()));
    }

    /** Rounded up. */
    static Duration millis(Duration any) {
        Duration floor = Duration.ofMillis(any.toMillis());
        return floor.equals(any) ? floor : floor.plusMillis(1);
    }

    Times withoutRest() {
        return new Times(sinceNanos, atMost, Duration.ZERO);
    }

    /** How long the lock has to rest if it is unlocked now: zero, or a millisecond and more. */
    Duration rest() {
        return left(atLeast);
    }

    /** How long it may still be held; zero if that is over. */
    Duration leftAtMost() {
        return left(atMost);
    }

    private Duration left(Duration whole) {
        Duration left = whole.minusNanos(System.nanoTime() - sinceNanos);
        return left.isNegative() ? Duration.ZERO : millis(left);
    }
}
