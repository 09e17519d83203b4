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

    /** Returns a wait of zero: the request does not wait, and is not queued. */
    public static Wait none() {
        return NONE;
    }

    /**
     * Returns a wait for at most this long, counted from the call. After that the request is withdrawn from the queue, which
     * takes another round trip, or the client's command timeout if the server does not answer. A request for a plain lock, or
     * for a lock of a {@link Quorum}, has no queue, and asks a last time instead.
     *
     * @param limit zero is equivalent to {@link #none()}; otherwise 1 ms to 365 days
     */
    public static Wait upTo(Duration limit) {
        Require.zeroOrMore("wait", limit);
        return limit.isZero() ? NONE : new Wait(limit, Kind.LIMITED);
    }

    /** Returns a wait without a limit. */
    public static Wait forever() {
        return FOREVER;
    }

    /**
     * Returns a wait that ends when the lock is stuck, that is, when one holder has kept it for the given time while this
     * request waited. As long as the lock changes hands, the wait continues. The server's clock determines how long the holder
     * has kept the lock.
     *
     * @param limit 1 ms to 365 days
     */
    public static Wait untilStuck(Duration limit) {
        return new Wait(Require.between("wait", limit, Duration.ofMillis(1), Require.LONGEST), Kind.UNTIL_STUCK);
    }

    /**
     * Returns a wait like this one, which at its end takes the lock over from the stuck holder. The lock goes to the next
     * waiter, with a newer token. The holder is notified, or learns of it at its next renewal. Until then, only a store that
     * compares tokens can refuse what it does. The lease reports the holder from which it was taken
     * ({@link Lease#takenOverFrom()}), and there is an event ({@link LockEvent.TookOver}).
     *
     * @throws IllegalStateException if this wait does not end when the lock is stuck
     */
    public Wait thenTakeOver() {
        if (kind == Kind.LIMITED) {
            throw new IllegalStateException("only a wait that ends when the lock is stuck can take it over: " + this);
        }
        return new Wait(limit, Kind.TAKE_OVER);
    }

    /** Returns whether the request does not wait, and so is not queued. */
    public boolean isNone() {
        return limit != null && limit.isZero();
    }

    /** Returns whether the wait lasts until one holder has kept the lock for {@link #limit}. */
    public boolean untilStuck() {
        return kind != Kind.LIMITED;
    }

    /** Returns whether a holder that has kept the lock for {@link #limit} loses it. */
    public boolean takesOver() {
        return kind == Kind.TAKE_OVER;
    }

    /** Returns how long to wait, or how long one holder may keep the lock; null for no limit. */
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
