package io.holdfast;

import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Holding;

/** What tests in other packages of core need of public types, and no user does. */
public final class Faces {
    private Faces() {}

    /** A lease over a handle. */
    public static Lease lease(Handle handle) {
        return new Lease(handle);
    }

    /** What stands behind a lease. */
    public static Holding holding(Lease lease) {
        return lease.hold;
    }
}
