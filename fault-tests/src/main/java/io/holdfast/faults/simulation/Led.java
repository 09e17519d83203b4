package io.holdfast.faults.simulation;

import io.holdfast.Leadership;
import io.holdfast.Lease;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** One leadership as the world sees it. Times are nanoseconds of the world. */
final class Led {
    final Candidate candidate;
    final Leadership leadership;
    final Lease lease;
    final long token;
    final long since;

    /** In whose thread its leader is, or was, at work; null if it has not begun. */
    @Nullable
    WorkThread thread;

    /** Its candidate was told that it is over. */
    boolean told;

    /** Its own leader has ended it, which is not interrupted for that. */
    boolean endedByItself;

    /** It was seen beside another that was valid, too. */
    boolean overlaps;

    /** The nodes of a quorum that had a hold of somebody else's meanwhile. */
    final BitSet rivals = new BitSet();

    long overSince = Asked.NEVER;
    /** Since when its leader should have been interrupted; never if that is not due. */
    long dueSince = Asked.NEVER;

    Led(Candidate candidate, Leadership leadership, long since) {
        this.candidate = candidate;
        this.leadership = leadership;
        this.lease = LeaseLook.leaseOf(leadership);
        this.token = leadership.token();
        this.since = since;
    }

    int election() {
        return candidate.item.election();
    }

    boolean isAtWork() {
        return candidate.atWork == leadership;
    }

    String hold() {
        return leadership.owner() + " " + token;
    }

    /** How long it is still good, in nanoseconds of the world; without running any code of its client. */
    double leftInWorld() {
        return candidate.machine.inWorld(LeaseLook.remaining(lease).toNanos());
    }

    @Override
    public String toString() {
        return "leadership of " + candidate + ", " + ElectionPlan.nameOf(election()) + ", token " + token;
    }
}
