package io.holdfast;

/** How a lock is held: what else may be held beside it. */
public enum LockMode {
    /** Alone: an exclusive lock, or a read/write lock for writing. */
    EXCLUSIVE,
    /** Beside others of this mode: a read/write lock for reading. */
    SHARED,
    /** Beside others, as long as no more permits are out than the limit allows: a semaphore. */
    PERMITS
}
