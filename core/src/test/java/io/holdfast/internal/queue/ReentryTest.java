package io.holdfast.internal.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Faces;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.internal.wire.Script;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whoever enters a hold once more and goes away, at any step of that, leaves no entry behind: the lock is free when the leases
 * that callers have are released, and not before.
 */
final class ReentryTest {
    private enum Step {
        BEFORE_THE_ANSWER,
        /** The request has ended with the lease, and its outcome is not complete yet. */
        BEFORE_THE_OUTCOME,
        AFTER_THE_OUTCOME,
        TWICE
    }

    private final HandClient hand = new HandClient();
    private final AtomicReference<Request> toWithdraw = new AtomicReference<>();
    private final LockOptions options = LockOptions.defaults()
            .withReentrancy(Reentrancy.REENTER_AND_EXTEND)
            .withListener(event -> {
                Request request = toWithdraw.get();
                if (request != null
                        && event instanceof LockEvent.Obtained obtained
                        && obtained.reentered()
                        && obtained.subject().owner().equals(OwnerIds.publicPart(request.owner))) {
                    request.withdraw();
                }
            });

    @ParameterizedTest
    @EnumSource(Step.class)
    void withdraw_whileItEntersItsActorsHold_leavesNoEntryBehind(Step step) {
        Lease first = hand.lease("a", options);
        String owner = Faces.hold(first).owner();
        Request stays = hand.request("a", options, Wait.forever(), "actor");
        CompletableFuture<Attempt<Handle>> kept = stays.start();
        Request gone = hand.request("a", options, Wait.forever(), "actor");
        CompletableFuture<Attempt<Handle>> left = gone.start();
        switch (step) {
            case BEFORE_THE_ANSWER -> {
                gone.withdraw();
                hand.answerAll();
            }
            case BEFORE_THE_OUTCOME -> {
                toWithdraw.set(gone);
                hand.answerAll();
            }
            case AFTER_THE_OUTCOME -> {
                hand.answerAll();
                gone.withdraw();
            }
            case TWICE -> {
                toWithdraw.set(gone);
                hand.answerAll();
                gone.withdraw();
            }
        }
        assertTrue(left.isDone());
        Lease second = Faces.lease(kept.join().orElseThrow());
        assertEquals(0, hand.count(Script.RELEASE, owner), "released under the leases of others");
        assertEquals(ReleaseResult.STILL_HELD, first.release());
        CompletableFuture<ReleaseResult> last = second.releaseAsync();
        assertEquals(1, hand.count(Script.RELEASE, owner), "an entry is left behind");
        hand.answerAll();
        assertEquals(ReleaseResult.RELEASED, last.join());
        assertFalse(first.isValid());
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"AFTER_THE_OUTCOME", "TWICE"})
    void withdraw_ofTheRequestThatGotTheHold_leavesItToThoseWhoHaveEntered(Step step) {
        Request gone = hand.request("a", options, Wait.forever(), "actor");
        CompletableFuture<Attempt<Handle>> obtained = gone.start();
        hand.answerAll();
        assertTrue(obtained.isDone());
        Request stays = hand.request("a", options, Wait.forever(), "actor");
        CompletableFuture<Attempt<Handle>> kept = stays.start();
        hand.answerAll();
        gone.withdraw();
        if (step == Step.TWICE) {
            gone.withdraw();
        }
        Lease lease = Faces.lease(kept.join().orElseThrow());
        assertTrue(lease.isValid());
        assertEquals(0, hand.count(Script.RELEASE, gone.owner));
        CompletableFuture<ReleaseResult> last = lease.releaseAsync();
        hand.answerAll();
        assertEquals(ReleaseResult.RELEASED, last.join());
    }
}
