package io.holdfast.internal.turns;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The hold of a {@link LocalLine} without a lease: how long it was kept, and whether a lease left it there. Guarded by the lock of the line. */
final class Idle {
    final boolean keeps; // at all
    private final long mostNanos;
    private long sinceNanos;
    private boolean timed; // a timer looks whether it was kept long enough
    private @Nullable Object before; // the leaving that the last look has seen

    /** @param most for how long a hold is kept */
    Idle(Duration most) {
        this.keeps = !most.isZero();
        this.mostNanos = most.toNanos();
    }

    void since(long now) {
        sinceNanos = now;
    }

    long left(long now) {
        return mostNanos - (now - sinceNanos);
    }

    /** A timer is to be set; false if there is one. */
    boolean begin() {
        boolean first = !timed;
        timed = true;
        return first;
    }

    /** The timer has come. */
    void over() {
        timed = false;
    }

    /**
     * Whether a lease was dropped, or a hold left without a lease. A lease that has ended is about to be handed on, and a hold that the
     * line has no more is about to go back: neither was forgotten, and to renew the hold once more does no harm. If the next look, a third
     * of a term later, sees the same, an error has kept it from that.
     *
     * @param lent the lease that has the line's hold; null if none has
     * @param gone whether the line has no hold
     * @param kept whether it keeps its hold on purpose
     */
    boolean isForgotten(@Nullable LocalHold lent, boolean gone, boolean kept) {
        Object leaving = null;
        if (lent == null) {
            leaving = gone ? this : null;
        } else if (lent.hasEnded()) {
            leaving = lent;
        }
        boolean again = leaving != null && leaving == before;
        before = leaving;
        if (leaving != null) {
            return again;
        }
        return lent == null ? !kept : lent.isUnreachable();
    }
}
