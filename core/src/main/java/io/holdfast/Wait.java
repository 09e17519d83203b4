package io.holdfast;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long a request may wait for its lock. Immutable. */
public final class Wait {
    private static final Wait NONE = new Wait(Duration.ZERO);
    private static final Wait FOREVER = new Wait(null);

    private final @Nullable Duration limit;

    private Wait(@Nullable Duration limit) {
        this.limit = limit;
    }

    /** Asks once and does not queue. */
    public static Wait none() {
        return NONE;
    }

    /**
     * Waits its turn, at most this long, counted from the call. Then the request is withdrawn, which takes a round trip
     * more; if the server does not answer, the command timeout of the client.
     *
     * @param limit zero is the same as {@link #none()}; otherwise 1 ms to 365 days
     */
    public static Wait upTo(Duration limit) {
        Require.zeroOrMore("wait", limit);
        return limit.isZero() ? NONE : new Wait(limit);
    }

    /** Waits its turn, however long that takes. */
    public static Wait forever() {
        return FOREVER;
    }

    boolean isNone() {
        return limit != null && limit.isZero();
    }

    /** The limit, or null for none. */
    @Nullable
    Duration limit() {
        return limit;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Wait that
                && (limit == null ? that.limit == null : that.limit != null && limit.equals(that.limit));
    }

    @Override
    public int hashCode() {
        return limit == null ? 1 : limit.hashCode();
    }

    @Override
    public String toString() {
        return limit == null ? "forever" : limit.isZero() ? "none" : "up to " + limit;
    }
}
