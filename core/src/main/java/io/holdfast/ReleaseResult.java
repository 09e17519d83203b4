package io.holdfast;

/** What became of a release. In each case this lease is over. */
public enum ReleaseResult {
    /** The lock was held until now and is free, or was handed to the next in line. */
    RELEASED,
    /** The lock was not held by this lease any more: it was released before, or lost. */
    ALREADY_GONE,
    /** The actor entered the lock more than once, and has not released it as often yet: it stays held. */
    STILL_HELD,
    /** The client keeps the lock for its next request, until another client wants it: see {@link LockOptions#withKeepFor}. */
    KEPT,
    /**
     * The server did not answer. The client repeats the release in the background until it is confirmed; at the latest the
     * lock becomes free at the end of its lease duration.
     */
    UNCONFIRMED
}
