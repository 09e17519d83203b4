package io.holdfast;

/** The mode in which a lock is held: it says whether other owners may hold the lock at the same time. */
public enum LockMode {
    /** Held by one owner alone: an exclusive lock, or a read/write lock for writing. */
    EXCLUSIVE,
    /** Held together with others of this mode: a read/write lock for reading. */
    SHARED,
    /** Held together with others, as long as no more permits are in use than the limit allows: a semaphore. */
    PERMITS
}
