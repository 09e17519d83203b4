package io.holdfast.lettuce;

import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * From 10 ms to 1 s, doubling, of which the second half is random so that the clients of a restarted server do not all
 * come at once.
 */
final class ReconnectDelay extends Delay {
    private static final long SHORTEST_NANOS = 10_000_000;
    private static final long LONGEST_NANOS = 1_000_000_000;
    private static final int MOST_DOUBLINGS = 7;

    /** @param attempt from 1 */
    @Override
    public Duration createDelay(long attempt) {
        int doublings = (int) Math.max(0, Math.min(attempt - 1, MOST_DOUBLINGS));
        long ceiling = Math.min(SHORTEST_NANOS << doublings, LONGEST_NANOS);
        return Duration.ofNanos(ThreadLocalRandom.current().nextLong(ceiling / 2, ceiling + 1));
    }
}
