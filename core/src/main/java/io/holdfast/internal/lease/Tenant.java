package io.holdfast.internal.lease;

import io.holdfast.LossReason;

/** Who has the leases of one {@code Hold}: callers, or somebody who has several of them, one after the other. */
public interface Tenant {
    /** Whether the present lease was dropped without a release. */
    boolean forgotten();

    /** Whether the present lease has lasted as long as it may be renewed, where the hold itself does not know. */
    default boolean overLongest() {
        return false;
    }

    /** The hold is lost. Called on the thread that learns of it. */
    default void lost(Holding hold, LossReason reason) {}

    /** Another process goes on with the hold, of which a lease had a ticket. */
    default void handedOver() {}
}
