package io.holdfast.faults.simulation;

import java.util.EnumSet;
import java.util.Set;

/**
 * Draws and checks that wait for a mend of the product: plans leave them out, unless the command is told {@code --pending}.
 * Whoever mends one takes it out of {@link #WAITING}, and the build draws it from then on.
 */
enum Pending {
    /** The giver of a hand-over stands still, is cut off or dies before it has detached, and comes back. */
    LATE_GIVER,
    /** A node of a quorum comes back with data of some seconds ago. */
    OLDER_DATA,
    /** A keeper hears no messages for long: it has to learn in another way that others want the lock. */
    UNHEARD_RECALL,
    /** A lease that was extended is kept or handed on by its client. */
    EXTENDED_AND_KEPT,
    /** A re-entry is interrupted in the moment of its answer. */
    INTERRUPTED_REENTRY,
    /** A body is interrupted in time, also if bodies of the same hold were nested in it. */
    NESTED_BODIES,
    /** Who waits itself cleans the queue. */
    CLEANING_WAITER,
    /** A kept lock is released by name, and is lent to nobody any more. */
    KEPT_AND_REVOKED,
    /** A lease of a shared hold is released by name with the token that it tells. */
    TOKEN_OF_A_SHARED_HOLD,
    /** Requests of a cluster ask for a lock in the moment in which its messages are given up. */
    MAILBOX_CLOSED_UNDER_A_REQUEST,
    /** More requests at a silent master than the client lets out at a time. */
    CROWD_AT_A_SILENT_MASTER,
    /** Nothing is subscribed any more when nobody waits. */
    SUBSCRIPTIONS_LEFT,
    /** A lease that was handed over bears a silence from {@link Silences#BEARS_EARLY} on. */
    EARLY_SILENCE;

    /** What the product does not bear yet. */
    static final Set<Pending> WAITING = EnumSet.allOf(Pending.class);
}
