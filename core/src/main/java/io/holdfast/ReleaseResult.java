package io.holdfast;

/** The result of a release. In each case the lease is over. */
public enum ReleaseResult {
    /** The lock was held until now. It is now free, or was handed to the next waiter. */
    RELEASED,
    /** The lease did not hold the lock any more: it was released before, or lost. */
    ALREADY_GONE,
    /** The actor entered the lock more than once, and has not released it as often yet. The lock stays held. */
    STILL_HELD,
    /** The client keeps the lock for its next request, until another client wants it; see {@link LockOptions#withKeepFor}. */
    KEPT,
    /**
     * The server did not answer. The client repeats the release in the background until it is confirmed. The lock becomes free at
     * the end of its lease duration at the latest.
     */
    UNCONFIRMED
}
