package io.holdfast.faults.simulation;

import io.holdfast.Lease;
import io.holdfast.LossReason;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** One lease, as the world sees it. Times are nanoseconds of the world. */
final class Held {
    final Asked asked;

    /** The request of which this lease shares the hold with others; null if it has one of its own. */
    final @Nullable Shared shared;

    final Machine machine;
    final Lease lease;
    final int lock;
    final long token;
    final String owner;
    final long obtainedAt;

    /** The caller has released it. */
    boolean released;

    /** Another client has adopted it: who gave it away does not count it any more. */
    boolean given;

    boolean detached;

    /** An operator, or somebody who took over, has ended its hold: its client learns of it later. */
    boolean revoked;

    /** The nodes of a quorum that had a hold of somebody else's since. */
    final BitSet rivals = new BitSet();

    /** Its owner has asked for more than a term. */
    boolean extended;

    /** The owner that was granted the lock: another than this one's if the lease was handed over. */
    final String origin;

    /** What is promised of the work under it; null if it was adopted. */
    @Nullable
    Work work;

    @Nullable
    LossReason lost;

    /** Since when it has nothing left; {@link Asked#NEVER} as long as it has. */
    long overSince = Asked.NEVER;

    /** What it read of the guarded value when it began; negative if it reads nothing. */
    long unfencedRead = -1;

    long fencedRead = -1;

    Held(Asked asked, @Nullable Shared shared, Machine machine, Lease lease, long obtainedAt) {
        this(asked, shared, machine, lease, obtainedAt, lease.owner());
    }

    /** Whether it has entered the hold of another request, with that one's term. */
    boolean entered() {
        return shared == null && !origin.equals(asked.owner);
    }

    Held(Asked asked, @Nullable Shared shared, Machine machine, Lease lease, long obtainedAt, String origin) {
        this.origin = origin;
        this.asked = asked;
        this.shared = shared;
        this.machine = machine;
        this.lease = lease;
        this.lock = asked.item.lock();
        this.token = lease.token();
        this.owner = lease.owner();
        this.obtainedAt = obtainedAt;
    }

    /** Whether both are one lease: entered again, or adopted. Leases that share a hold one after the other are two. */
    boolean isOneWith(Held other) {
        return this == other
                || (shared == null
                        && other.shared == null
                        && lock == other.lock
                        && token == other.token
                        && origin.equals(other.origin));
    }

    /** How long it is still good, in nanoseconds of the world; without running any code of its client. */
    double leftInWorld() {
        return machine.inWorld(LeaseLook.remaining(lease).toNanos());
    }

    @Override
    public String toString() {
        return "lease of " + asked + (machine == asked.machine ? "" : " at " + machine) + ", lock" + lock + ", token "
                + token;
    }
}
