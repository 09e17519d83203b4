package io.holdfast.internal.queue;

import io.holdfast.ReleaseResult;
import io.holdfast.internal.deadlock.BlockedFlows;
import io.holdfast.internal.lease.Holding;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The holds that several leases of this client share, as the engine of queues sees them. */
public interface Kept {
    /** Others want a lock, of whose holds leases of this client share the one with this token. */
    void recalled(String hold, long token);

    /** A renewal of such a hold, which left then, was answered: nobody else had wanted the lock since the grant. */
    void nobodyElse(String hold, long token, long sentNanos);

    /**
     * A request of this client is about to ask the server for a lock: what is kept for nobody goes back.
     *
     * @return the answer to that; null if nothing is kept
     */
    @Nullable
    CompletableFuture<ReleaseResult> giveBackKept(String hold);

    /** An operator has dropped those that wait for a lock that this owner was granted, or will be told to have been granted. */
    void dropped(String hold, String owner);

    /** The valid lease that a flow of control, as {@code Demand.flowId} tells it, has of such a hold; null if there is none. */
    @Nullable
    Holding lentTo(String hold, String flow);

    /** A request that asks on behalf of others stands in the server's queue: they wait. */
    void queued(String hold);

    /** Shows who of this client waits for such holds, and who has leases of them. */
    void show(BlockedFlows to);

    /** Adds the locks for whose messages this client has to listen because of them. */
    void addKept(Set<String> holds);
}
