package io.holdfast;

import java.time.Duration;
import java.util.Optional;

/**
 * What the last answer of the server said about a lock that was not obtained.
 *
 * @param holder who holds it; empty if no answer has come, or it was not held
 * @param remaining how long the hold will last without renewal; zero if unknown
 * @param position the request's place when it was queued, 1 for next in line; 0 if it was not queued
 * @param waiters how many requests are queued, this one included; 0 if unknown
 */
public record Contention(Optional<Holder> holder, Duration remaining, int position, int waiters) {
    /** Nothing is known of the others, as where no server has answered. */
    public static final Contention NOTHING_KNOWN = new Contention(Optional.empty(), Duration.ZERO, 0, 0);

    /** For people. */
    public String describe() {
        String who = holder.map(h -> "held by " + h.describe() + " since " + h.since() + ", for another "
                        + remaining.toMillis() + " ms unless renewed")
                .orElse("holder not known");
        return who
                + (position > 0
                        ? "; place " + position + " of " + waiters
                        : waiters > 0 ? "; " + waiters + " waiting" : "");
    }
}
