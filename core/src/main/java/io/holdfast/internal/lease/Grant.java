package io.holdfast.internal.lease;

import io.holdfast.Holder;
import io.holdfast.LeaseTicket;
import io.holdfast.LossReason;
import io.holdfast.NodeFailure;
import io.holdfast.ReleaseResult;
import io.holdfast.internal.wire.Refusals;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.LongUnaryOperator;

/**
 * What stands behind a {@link Hold}: the one thing in which holds differ. A place in one server's line ({@code QueueGrant}), the
 * votes of a quorum's nodes ({@code BallotGrant}), or the value of one plain key ({@code PlainGrant}).
 *
 * <p>A grant reports to its hold: that it lasts longer ({@link Hold#armed}), or that it is gone ({@link Hold#lose}).
 */
public interface Grant {
    /** Said once, when the hold is made. */
    void of(Hold hold);

    /** The lock, for people. */
    String inWords();

    /**
     * Its loss, for people.
     *
     * @param how it came to that; empty if the reason says all
     */
    default String lossInWords(LossReason reason, String how) {
        List<NodeFailure> failures = nodeFailures();
        return "lease of " + inWords() + " was lost: " + reason + (how.isEmpty() ? "" : "; " + how)
                + (failures.isEmpty() ? "" : "; " + Refusals.inWords(failures)) + " [HF-LEASE-LOST]";
    }

    /** The end of a lease that the application has lost sight of, for people. */
    default String droppedInWords() {
        return "lease of " + inWords() + " was dropped without a release; it expires at the end of its lease duration";
    }

    /** The whole owner id. */
    String owner();

    /** The fencing token; 0 if there is none. */
    long token();

    /** Of a semaphore's permits, if they were asked for. */
    default List<Integer> slots() {
        return List.of();
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

    /**
     * Leaves a note with the hold, and for holders after it.
     *
     * @param by that of the lease, which reports it
     * @param token of the lease
     * @param text empty to remove it
     * @return whether it holds; fails with an exception of the library
     * @throws UnsupportedOperationException if it has no notes
     */
    default CompletableFuture<Boolean> note(Outcome by, long token, String text) {
        throw noNotes();
    }

    /**
     * Looks now and then whether others wait for the lock.
     *
     * @param lasts whether the lease is valid; the looks end with it
     * @param here whether a request of this client waits for the lease of which the server does not know
     * @return completed when others wait; never if the lease ends before
     * @throws UnsupportedOperationException if the lock has no queue
     */
    default CompletableFuture<Void> wanted(BooleanSupplier lasts, BooleanSupplier here) {
        throw new UnsupportedOperationException(inWords() + " has no queue, which would show whether others wait");
    }

    /** The last notes that were left, the last first; fails with an exception of the library. */
    default CompletableFuture<List<Holder>> notes() {
        throw noNotes();
    }

    /** Whether one of its leases has noted something. */
    default boolean isNoted() {
        return false;
    }

    /** The refusal. */
    default UnsupportedOperationException noNotes() {
        return new UnsupportedOperationException("a lease of " + inWords()
                + " has no notes: only leases of exclusive locks on one server, and of work that is done once, have"
                + " notes");
    }

    default List<NodeFailure> nodeFailures() {
        return List.of();
    }

    default int replicas() {
        return 0;
    }

    /** So many replicas have what its deadline rests on. */
    default void confirmedBy(int replicas) {}

    // ---- keeping it

    /** When a term ends that was renewed in the reply to a request which left at {@code sentNanos}, by what is known of the server's clock. */
    long deadline(long sentNanos, long termNanos);

    /**
     * What is left of a deadline, now that a server's clock is known to have run ahead.
     *
     * @param ofServer the same for what that server alone has granted
     */
    default long lowered(long deadline, LongUnaryOperator ofServer) {
        return ofServer.applyAsLong(deadline);
    }

    /** Whether it lasts for a whole term, and not just for the claim window of a handoff. */
    default boolean isConfirmed() {
        return true;
    }

    /** When it is to be confirmed. Meaningful while it is not. */
    default long confirmAt() {
        return 0;
    }

    /** Begins to confirm it, now that it is time. */
    default void confirm(long now) {}

    /**
     * Refuses an extension beyond what a lease may last.
     *
     * @throws IllegalArgumentException with the value and the rule
     */
    default void accept(Duration atLeast) {}

    /**
     * Asks for at least {@code term} from now, and tells the hold.
     *
     * @return true if the hold has it, false if it is over; fails with an exception of the library
     */
    CompletableFuture<Boolean> extend(Duration term);

    /** Puts what is to be asked for a renewal into a round, which leaves at once. */
    void renew(Renewals.Round round);

    // ---- its end

    /**
     * Refuses to let the lock rest after a release.
     *
     * @throws UnsupportedOperationException with the reason, if it cannot
     */
    default void acceptRest() {}

    /** The hold is left to itself: it has ended, or is to live without its client. */
    default void leaveAlone() {}

    /** The hold is over: its owner need not be known any more. */
    void forget();

    /** The hold was released: asks the server to free the lock, or to let it rest as long as is wanted ({@link Hold#rest}). */
    CompletableFuture<ReleaseResult> release();

    /** The hold was lost: takes back, in the background, what may be left. */
    void takeBack(LossReason reason);

    /** The hold is to outlive its client, or may be. */
    default void outlives() {}

    /** Whether another process goes on with it, of a hold that is over; fails with an exception of the library. */
    default CompletableFuture<Boolean> isAdopted() {
        return CompletableFuture.completedFuture(false);
    }
}
