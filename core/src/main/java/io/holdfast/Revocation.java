package io.holdfast;

import java.time.Duration;
import java.util.Optional;

/**
 * The result of a release by name, or of dropping a waiter; see {@link Admin}.
 *
 * @param lockName the lock's name
 * @param key the key of the hold
 * @param queueKey the key of the queue
 * @param outcome what happened to the hold
 * @param holder the holder whose hold ended, or was left alone; empty if there was none
 * @param dropped how many waiters were dropped
 * @param next the holder afterwards; empty if there is none
 * @param took how long the operation took
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

    /** The outcome for the hold. */
    public enum Outcome {
        /** The hold ended. */
        RELEASED,
        /** There was no hold. */
        NOTHING_TO_RELEASE,
        /**
         * The hold was left alone: it was not the requested one, it belongs to another program, or only a waiter was to be
         * dropped.
         */
        LEFT_ALONE
    }
}
