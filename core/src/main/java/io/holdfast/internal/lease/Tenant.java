package io.holdfast.internal.lease;

import io.holdfast.LossReason;

/** Whoever has several leases of one {@code Hold}, one after the other. */
public interface Tenant {
    /** Whether the present lease was dropped without a release. */
    boolean forgotten();

    /** Whether the present lease has lasted as long as it may be renewed. */
    boolean overLongest();

    /** The hold is lost. Called on the thread that learns of it. */
    void lost(Holding hold, LossReason reason);

    /** Another process goes on with the hold, of which a lease had a ticket. */
    default void handedOver() {}
}
