package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A lock as it stands on the server at one instant.
 *
 * @param name the lock's name
 * @param holder who holds it; empty if it is free
 * @param confirmed whether the holder has taken up the lock; false for the short time after it was handed to a waiter
 * @param term the term (lease duration) that the holder asked for; zero if it is free
 * @param remaining how long the hold will last without renewal
 * @param waiters how many requests are queued, also where not all are listed; 0 if there is no queue
 * @param queue the queued requests in the server's order, as far as they were asked for
 */
public record LockInfo(
        String name,
        Optional<Holder> holder,
        boolean confirmed,
        Duration term,
        Duration remaining,
        int waiters,
        List<Waiter> queue) {

    /** Copies the list. */
    public LockInfo {
        queue = List.copyOf(queue);
    }

    /** Whether the lock is held, or rests (see {@link Holder#resting()}). */
    public boolean isLocked() {
        return holder.isPresent();
    }

    /** Whether a request waits for the lock. */
    public boolean isQueued() {
        return waiters > 0;
    }
}
