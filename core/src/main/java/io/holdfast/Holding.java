package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The state behind a {@link Lease}: a hold on one server ({@link Hold}), or on a quorum ({@link QuorumHold}). */
interface Holding {
    Keys keys();

    /** The whole owner id. */
    String owner();

    long token();

    LockOptions options();

    boolean isValid();

    Duration remaining();

    /** As {@link #remaining}, but ends nothing: a deadline that has passed is left to the timer. */
    Duration peek();

    /** Why it was lost; null while active and after a release. */
    @Nullable
    LossReason lossReason();

    /** Blocks for the answers. */
    boolean isHeldOnServer();

    /**
     * What another process needs to go on with it.
     *
     * @throws UnsupportedOperationException if none can
     */
    LeaseTicket ticket();

    Duration waited();

    int initialPlace();

    int attempts();

    CompletableFuture<LossReason> lost();

    Runnable onWarning(Consumer<Duration> listener);

    /**
     * Asks for at least so much from now.
     *
     * @return true if the hold has it, false if it is over; fails with an exception of the library
     */
    CompletableFuture<Boolean> extend(Duration atLeast);

    void detach();

    /** Leaves once; the last one releases. */
    CompletableFuture<ReleaseResult> leave();

    /** Does something so long before the deadline; null takes that back. */
    void beforeEnding(@Nullable Duration before, Runnable action);

    List<NodeFailure> nodeFailures();

    /** How many replicas had the grant before it was handed out. */
    int replicas();

    /** Where stages complete. */
    Executor executor();
}
