package io.holdfast;

/** What stands behind a {@link DistributedLock}: one server ({@link Client}), or a quorum of them ({@link QuorumClient}). */
interface Engine extends Kit {
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

    /** To be called by a thread of the user's before it blocks; see {@link io.holdfast.spi.Ticker#beforeWaiting}. */
    default void beforeWaiting() {}
}
