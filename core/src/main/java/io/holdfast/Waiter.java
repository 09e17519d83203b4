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
 * @param actor the id that the caller gave, or the name of the thread that made the request
 * @param metadata the metadata that the caller stored with the request
 * @param since the time at which it was queued, by the server's clock
 * @param mode the mode in which it asks to hold the lock
 * @param permits how many permits of a semaphore it asks for; 1 in the other modes
 * @param limit how many permits of the semaphore may be in use, including its own, by the request's own limit; 0 in the other
 *     modes
 * @param priority its priority
 * @param order its queue order, which determines where it entered the queue
 * @param state the state of its client, as the server sees it
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

    /** The state of a waiter's client, as the server sees it. */
    public enum State {
        /** The client can be notified of a grant. */
        HERE,
        /** The client is not listening at present. Its waiters keep their positions, and others pass them. */
        AWAY,
        /**
         * The client was handed a lock and did not confirm it. Its waiters keep their positions, and others pass them until it
         * reports again.
         */
        SUSPECT,
        /** The client has not reported in time. Its waiters are removed when the server comes across them. */
        GONE
    }

    /** Copies the map. */
    public Waiter {
        metadata = Map.copyOf(metadata);
    }

    /** Returns the waiter's group, see {@link LockOptions#withGroup(String, int)}; empty if it has none. */
    public Optional<String> group() {
        return Optional.ofNullable(metadata.get(Holder.GROUP));
    }

    /** Returns the id of the waiter's client. */
    public String client() {
        return OwnerIds.clientOf(owner);
    }
}
