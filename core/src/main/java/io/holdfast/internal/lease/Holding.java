package io.holdfast.internal.lease;

import io.holdfast.Holder;
import io.holdfast.LeaseTicket;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.NodeFailure;
import io.holdfast.ReleaseResult;
import io.holdfast.internal.wire.Asked;
import io.holdfast.internal.wire.Keys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The state behind a {@code Lease}: a hold of its own ({@link Hold}), or one that leases of its client share ({@code LocalHold}). */
public interface Holding {
    Keys keys();

    /** The whole owner id. */
    String owner();

    long token();

    LockOptions options();

    /** What of the lock it has. */
    default Asked what() {
        return Asked.ALONE;
    }

    boolean isValid();

    Duration remaining();

    /** As {@link #remaining}, but ends nothing: a deadline that has passed is left to the timer. */
    Duration peek();

    /** Why it was lost; null while active and after any other end. */
    @Nullable
    LossReason lossReason();

    /** Whether it has ended because another process goes on with it. */
    default boolean isHandedOver() {
        return false;
    }

    /** When it was granted, by the server's clock. */
    Instant since();

    /** The stuck holder whom its request took the lock from. */
    default Optional<Holder> takenOverFrom() {
        return Optional.empty();
    }

    /** Blocks for the answers. */
    boolean isHeldOnServer();

    /**
     * What another process needs to go on with it.
     *
     * @throws UnsupportedOperationException if none can
     */
    LeaseTicket ticket();

    Duration waited();

    int initialPosition();

    int attempts();

    CompletableFuture<LossReason> lost();

    Runnable onWarning(Consumer<Duration> listener);

    /**
     * Does something of the library's own when it is lost, on the thread that learns of it: no code of the user's can hold that up.
     * At once if it was lost before.
     */
    void onLoss(Consumer<LossReason> action);

    /**
     * Asks for at least so much from now.
     *
     * @return true if the hold has it, false if it is over; fails with an exception of the library
     */
    CompletableFuture<Boolean> extend(Duration atLeast);

    /**
     * Asks for a full term, and leaves the hold to it.
     *
     * @return true if it lives on without this client, by itself or in the process that has adopted it; false if it is over;
     *     fails with an exception of the library
     */
    CompletableFuture<Boolean> detach();

    /**
     * Refuses to let the lock rest after its release.
     *
     * @throws UnsupportedOperationException with the reason, if it cannot
     */
    default void acceptRest() {}

    /**
     * A caller has a lease of it from now on. What no caller has had leaves no rest: nothing was done under it.
     *
     * @param change 1; or -1 if the caller turns out to have gone before
     */
    void used(int change);

    /**
     * Leaves once; the last one releases.
     *
     * @param resting how long the lock is to rest from now on after its release, at least; zero for no wish
     */
    CompletableFuture<ReleaseResult> leave(Duration resting);

    /** The same without such a wish. */
    default CompletableFuture<ReleaseResult> leave() {
        return leave(Duration.ZERO);
    }

    /**
     * Does something of the library's own, once, so long before the deadline; at the latest when the hold is lost.
     *
     * @return takes that back
     */
    Runnable beforeEnding(Duration before, Runnable action);

    /**
     * Its lease is to be handed out. One that is not renewed is good for its whole term from then on, and any for as long as its
     * options ask for.
     *
     * @return whether it holds; fails with an exception of the library
     */
    default CompletableFuture<Boolean> handOut() {
        return CompletableFuture.completedFuture(isValid());
    }

    List<NodeFailure> nodeFailures();

    /** How many replicas had the grant before it was handed out. */
    int replicas();

    /** Where stages complete. */
    Executor executor();
}
