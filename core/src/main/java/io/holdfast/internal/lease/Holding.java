package io.holdfast.internal.lease;

import io.holdfast.LeaseTicket;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one lease has of its {@link Hold}: the whole of it, as the hold itself, or a part of its time ({@code LocalHold}). All else
 * that a lease tells is the hold's.
 */
public interface Holding {
    long token();

    boolean isValid();

    /** Why it was lost; null while active and after any other end. */
    @Nullable
    LossReason lossReason();

    /** Whether it has ended because another process goes on with it. */
    boolean isHandedOver();

    /** When it was granted, by the server's clock. */
    Instant since();

    /** Blocks for the answers. */
    boolean isHeldOnServer();

    /**
     * What another process needs to go on with it.
     *
     * @throws UnsupportedOperationException if none can
     */
    LeaseTicket ticket();

    /**
     * Leaves a note with the hold, and for holders after it; an empty one removes it.
     *
     * @return whether it holds; fails with an exception of the library
     * @throws UnsupportedOperationException if it has no notes
     */
    CompletableFuture<Boolean> note(String text);

    /**
     * Completed when others wait for the lock; never if the lease ends before.
     *
     * @param lasts whether its handle has not left
     * @throws UnsupportedOperationException if the lock has no queue
     */
    CompletableFuture<Void> wanted(BooleanSupplier lasts);

    Duration waited();

    int initialPosition();

    CompletableFuture<LossReason> lost();

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
     * Its lease is to be handed out. One that is not renewed is good for its whole term from then on, and any for as long as its
     * options ask for.
     *
     * @return whether it holds; fails with an exception of the library
     */
    CompletableFuture<Boolean> handOut();

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
}
