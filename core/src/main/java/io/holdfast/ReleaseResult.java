package io.holdfast;

/** The result of a release. In each case the lease is over. */
public enum ReleaseResult {
    /**
     * The lease held the lock until now. The lock is now free, or was handed to the next waiter, unless other holders share it or
     * it rests.
     */
    RELEASED,
    /** The lease did not hold the lock any more: it was released before, or lost. */
    ALREADY_GONE,
    /** The actor entered the lock more than once, and has not released it as often yet. The lock stays held. */
    STILL_HELD,
    /**
     * The client keeps the lock for its next request, until another client wants it or the time is over that
     * {@link LockOptions#withKeepFor} gives.
     */
    KEPT,
    /**
     * The server did not confirm the release: it did not answer, or answered with an error. The client repeats the release in the
     * background until it is confirmed, or the client is closed. The lock becomes free at the end of its lease duration at the
     * latest, except for a plain lock whose key does not expire.
     */
    UNCONFIRMED
}
