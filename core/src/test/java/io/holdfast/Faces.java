package io.holdfast;

import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;

/** What tests in other packages of core need of public types, and no user does. */
public final class Faces {
    private Faces() {}

    /** A lease over a handle. */
    public static Lease lease(Handle handle) {
        return new Lease(handle);
    }

    /** What stands behind a lease. */
    public static Hold hold(Lease lease) {
        return lease.hold;
    }
}
