package io.holdfast;

import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How long a request may wait for its lock. Immutable. */
public final class Wait {
    private enum Kind {
        /** Until a time after the call. */
        LIMITED,
        /** Until one holder has kept the lock for too long. */
        UNTIL_STUCK,
        /** Waits until stuck; then the lock is taken from this holder. */
        TAKE_OVER
    }

    private static final Wait NONE = new Wait(Duration.ZERO, Kind.LIMITED);
    private static final Wait FOREVER = new Wait(null, Kind.LIMITED);

    private final @Nullable Duration limit;
    private final Kind kind;

    private Wait(@Nullable Duration limit, Kind kind) {
        this.limit = limit;
        this.kind = kind;
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
        return limit.isZero() ? NONE : new Wait(limit, Kind.LIMITED);
    }

    /** Waits its turn, however long that takes. */
    public static Wait forever() {
        return FOREVER;
    }

    /**
     * Waits as long as the lock is busy, and ends when it is stuck: when one holder has kept it for this long, while this
     * request waited. As long as the lock changes hands, the wait goes on. How long the holder has kept the lock is
     * decided by the server's clock.
     *
     * @param limit 1 ms to 365 days
     */
    public static Wait untilStuck(Duration limit) {
        return new Wait(Require.between("wait", limit, Duration.ofMillis(1), Require.LONGEST), Kind.UNTIL_STUCK);
    }

    /**
     * Waits like this, but when the limit is over, the lock is taken from the holder that has kept it for so long, and goes
     * to the next in line, with a newer token. The holder is notified, or learns of it at its next renewal: only a store
     * that compares tokens can refuse what it does until then. The lease reports whom it was taken from
     * ({@link Lease#takenOverFrom()}), and there is an event ({@link LockEvent.TookOver}).
     */
    public Wait thenTakeOver() {
        if (kind == Kind.LIMITED) {
            throw new IllegalStateException("only a wait that ends when the lock is stuck can take it over: " + this);
        }
        return new Wait(limit, Kind.TAKE_OVER);
    }

    /** Whether the answer to the first attempt is the last word. */
    public boolean isNone() {
        return limit != null && limit.isZero();
    }

    /** Whether the wait lasts until one holder has kept the lock for {@link #limit}. */
    public boolean untilStuck() {
        return kind != Kind.LIMITED;
    }

    /** Whether a holder that has kept the lock for so long loses it to the waiter. */
    public boolean takesOver() {
        return kind == Kind.TAKE_OVER;
    }

    /** How long to wait, or how long one holder may keep the lock; null for ever. */
    public @Nullable Duration limit() {
        return limit;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Wait that && kind == that.kind && Objects.equals(limit, that.limit);
    }

    @Override
    public int hashCode() {
        return Objects.hash(limit, kind);
    }

    @Override
    public String toString() {
        if (limit == null) {
            return "forever";
        }
        return switch (kind) {
            case LIMITED -> limit.isZero() ? "none" : "up to " + limit;
            case UNTIL_STUCK -> "until stuck for " + limit;
            case TAKE_OVER -> "until stuck for " + limit + ", then taking over";
        };
    }
}
