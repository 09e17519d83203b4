package io.holdfast.internal.lease;

import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.internal.wire.Keys;
import java.util.concurrent.CompletableFuture;

/** What stands behind a {@code DistributedLock}: one server ({@code Client}), or a quorum of them ({@code QuorumClient}). */
public interface Engine {
    /** What its parts share. */
    Kit kit();

    /**
     * Refuses options that mean nothing here.
     *
     * @throws IllegalArgumentException with the option, its value and the rule
     */
    void accept(LockOptions options);

    /** A request that has not asked yet. */
    Question<Handle> newRequest(Demand demand);

    /** Who holds a lock. Blocks for the answers. */
    LockInfo look(Keys keys);

    /** The same without blocking; fails with exceptions of the library. */
    CompletableFuture<LockInfo> lookAsync(Keys keys);

    /** Whether requests are served in an order, so that a new one comes after those that wait. */
    boolean hasQueue();

    /** What this client tells others, and hears from them. */
    ChangeNotifications bulletins();
}
