package io.holdfast.internal.queue;

import org.jspecify.annotations.Nullable;

/**
 * What the looks at a line's hold have seen of leases that leave. A lease that has ended is about to be handed on, and a hold that the line
 * has no more is about to go back: neither was forgotten, and to renew the hold once more does no harm. If the next look, a third of a term
 * later, sees the same, an error has kept it from that.
 */
final class LeavingSeen {
    private @Nullable Object before;

    /**
     * Whether a lease was dropped, or a hold left without a lease.
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
