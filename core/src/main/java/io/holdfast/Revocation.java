package io.holdfast;

import java.time.Duration;
import java.util.Optional;

/**
 * The answer to a release by name.
 *
 * @param lockName the lock's name
 * @param key the key of the hold
 * @param queueKey the key of the queue
 * @param outcome what happened to the hold
 * @param holder whose hold ended, or was left alone
 * @param dropped how many waiters were dropped
 * @param next who holds the lock now
 * @param took how long it took
 */
public record Revocation(
        String lockName,
        String key,
        String queueKey,
        Outcome outcome,
        Optional<Holder> holder,
        int dropped,
        Optional<Holder> next,
        Duration took) {

    /** What happened to the hold. */
    public enum Outcome {
        /** It ended. */
        RELEASED,
        /** There was none. */
        NOTHING_TO_RELEASE,
        /** It is not the one that was meant, or belongs to another program: it was left alone. */
        LEFT_ALONE
    }
}
