package io.holdfast;

/** What stands behind a {@link DistributedLock}: one server ({@link Client}), or a quorum of them ({@link QuorumClient}). */
interface Engine {
    /** What its parts share. */
    Kit kit();

    /**
     * Refuses options that mean nothing here.
     *
     * @throws IllegalArgumentException with the option, its value and the rule
     */
    void accept(LockOptions options);

    /** A request that has not asked yet. */
    Asking<Attempt> newRequest(Demand demand);

    /** Who holds a lock. Blocks for the answers. */
    LockInfo look(Keys keys);
}
