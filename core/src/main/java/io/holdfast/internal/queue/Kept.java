package io.holdfast.internal.queue;

import io.holdfast.ReleaseResult;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What this client keeps of locks between two leases, as the engine of queues sees it. */
interface Kept {
    /** Others want a lock, of whose holds the client keeps the one with this token. */
    void recalled(String hold, long token);

    /**
     * A request of this client is about to ask the server for a lock: what is kept for nobody goes back.
     *
     * @return the answer to that; null if nothing is kept
     */
    @Nullable
    CompletableFuture<ReleaseResult> giveBackKept(String hold);

    /** Adds the locks for whose messages this client has to listen. */
    void addKept(Set<String> holds);
}
