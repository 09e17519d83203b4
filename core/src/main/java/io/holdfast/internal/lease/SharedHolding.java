package io.holdfast.internal.lease;

/** What a lease knows beside what each {@link Holding} does, if its hold is shared. */
public interface SharedHolding {
    /** The hold at the server. */
    Hold shared();
}
