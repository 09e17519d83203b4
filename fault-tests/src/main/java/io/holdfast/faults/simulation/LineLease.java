package io.holdfast.faults.simulation;

import io.holdfast.Lease;
import io.holdfast.LockMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One lease of a read/write lock, or of permits. Times are nanoseconds of the world. */
final class LineLease {
    final LineRequest request;
    final Lease lease;
    final String owner;
    final LockMode mode;
    final int permits;
    final List<Integer> slots;
    final long obtainedAt;

    /** The caller has released it, or goes on with another. */
    boolean ended;

    /** What is promised of the work under it; null as long as it is being made. */
    @Nullable
    Work work;

    /** Since when its hold is not on the server any more; never if it is. */
    long goneSince = Asked.NEVER;

    LineLease(LineRequest request, Lease lease, long obtainedAt) {
        this.request = request;
        this.lease = lease;
        this.owner = lease.owner();
        this.mode = lease.mode();
        this.permits = lease.permits();
        this.slots = lease.slots();
        this.obtainedAt = obtainedAt;
    }

    /** Names what stands behind it on the server. */
    String hold() {
        return owner + " " + lease.token();
    }

    int line() {
        return request.item.line();
    }

    /** How long it is still good, in nanoseconds of the world; without running any code of its client. */
    double leftInWorld() {
        return request.machine.inWorld(LeaseLook.remaining(lease).toNanos());
    }

    @Override
    public String toString() {
        return "lease of " + request + ", " + LinePlan.nameOf(line()) + " " + mode + ", token " + lease.token()
                + (slots.isEmpty() ? "" : ", slots " + slots);
    }
}
