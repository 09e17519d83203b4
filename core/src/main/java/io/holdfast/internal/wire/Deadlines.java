package io.holdfast.internal.wire;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * When a lease ends, as seen from its client. Pure arithmetic on readings of the client's monotonic clock ({@code …Nanos})
 * and of the server's wall clock ({@code …Micros}), by which expiries on the server run.
 *
 * <p>The rule of leases (Gray and Cheriton, 1989): the holder counts its term from before it asked, the server from when
 * it granted, so the holder's end comes first. A drift allowance of 1 % of the term and 2 ms covers clocks that run at
 * different rates and the server's rounding to milliseconds. It covers no wall clock that is set forward, or slewed faster.
 * A server whose clock was seen to run faster ({@link ClockRate}) has its terms divided by that rate besides.
 */
public final class Deadlines {
    /** The server's clock may run so much faster than ours: within 99 % of a term it has not passed the term. */
    static final double ALLOWED_RATE = 1 / 0.99;

    private static final long FIXED_DRIFT_NANOS = 2_000_000;

    private Deadlines() {}

    /** A reading of the server's clock, and a reading of ours from before the request that brought it. */
    public record ClockPair(long sentNanos, long serverMicros) {}

    public static long drift(long nanos) {
        return nanos / 100 + FIXED_DRIFT_NANOS;
    }

    /** The end of a term that the server granted or renewed no earlier than when our request left. */
    public static long ofReply(long sentNanos, long termNanos) {
        return sentNanos + termNanos - drift(termNanos);
    }

    /**
     * The same, of a server whose clock runs fast.
     *
     * @param rate at most how fast; 1 for one within the allowance
     */
    static long ofReply(long sentNanos, long termNanos, double rate) {
        return sentNanos + divided(termNanos - drift(termNanos), rate);
    }

    private static long divided(long nanos, double rate) {
        return rate == 1 ? nanos : (long) (nanos / rate);
    }

    /**
     * The end of a claim that came by message. The server's clock has moved by {@code grantedMicros - pair.serverMicros}
     * since it was read for a request that left at {@code pair.sentNanos}; so the grant was made no earlier than that much
     * after it.
     *
     * @param rate as for a reply
     * @return empty if nothing safe can be said: there is no pair, the grant seems to lie in the future (the server's clock
     *     jumped), or the claim is over. Then the grant is to be confirmed before anybody sees it
     */
    public static OptionalLong ofHandoff(
            @Nullable ClockPair pair, long grantedMicros, long claimNanos, long receivedNanos, double rate) {
        if (pair == null) {
            return OptionalLong.empty();
        }
        long elapsed = (grantedMicros - pair.serverMicros()) * 1_000;
        // What passed before the pair is not divided: the grant would come later by that.
        long granted = pair.sentNanos() + (elapsed > 0 ? divided(elapsed, rate) : elapsed);
        if (granted - receivedNanos > 0) {
            return OptionalLong.empty();
        }
        long deadline = granted + divided(claimNanos - drift(Math.max(0, elapsed) + claimNanos), rate);
        return deadline - receivedNanos <= 0 ? OptionalLong.empty() : OptionalLong.of(deadline);
    }
}
