package io.holdfast;

import io.holdfast.internal.wire.OwnerIds;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A queued request.
 *
 * @param owner the public part of the owner id
 * @param application the application's name
 * @param host the host's name
 * @param pid the process id
 * @param actor the id that the caller gave, or the name of the thread that asked
 * @param metadata what the caller put beside the request
 * @param since when it was queued, by the server's clock
 * @param priority its priority
 * @param mode what else may be held beside what it asks for
 * @param permits how many it asks for of a semaphore; 1 in the other modes
 * @param limit how many permits of the semaphore may be out with these, by what it says; 0 in the other modes
 * @param order where it entered the queue
 * @param state what the server thinks of its client
 */
public record Waiter(
        String owner,
        String application,
        String host,
        String pid,
        String actor,
        Map<String, String> metadata,
        Instant since,
        LockMode mode,
        int permits,
        int limit,
        int priority,
        LockOptions.Order order,
        State state) {

    /** What the server thinks of a waiter's client. */
    public enum State {
        /** It can be notified of a grant. */
        HERE,
        /** It listens nowhere at present: its waiters keep their positions, and others pass. */
        AWAY,
        /** It was handed a lock and did not take it up: its waiters keep their positions until it reports again. */
        SUSPECT,
        /** It has not reported in time: its waiters are removed when they are met. */
        GONE
    }

    /** Copies the map. */
    public Waiter {
        metadata = Map.copyOf(metadata);
    }

    /** Its group, see {@link LockOptions#withGroup(String, int)}; empty for none. */
    public Optional<String> group() {
        return Optional.ofNullable(metadata.get(Holder.GROUP));
    }

    /** The id of the client that asked. */
    public String client() {
        return OwnerIds.clientOf(owner);
    }
}
