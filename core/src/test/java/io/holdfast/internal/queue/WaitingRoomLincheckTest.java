package io.holdfast.internal.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Faces;
import io.holdfast.Interleavings;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.wire.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A request waits, is granted, and ends, all at once: it has one outcome, a grant is either that or is given back, and the
 * waiting room knows it as long as it lasts and no longer.
 */
@Tag("long")
public final class WaitingRoomLincheckTest {
    /** Within a claim window. */
    private static final Duration LIMIT = Duration.ofMillis(500);

    private final HandClient hand = new HandClient();
    private final Request request = hand.request("a", LockOptions.defaults(), Wait.upTo(LIMIT), "actor");
    private final CompletableFuture<Attempt<Handle>> outcome = request.start();
    private volatile boolean granted;

    /** The answer to an acquire. */
    @Operation
    public void queued() {
        HandClient.Call call = hand.next(Script.ACQUIRE, request.owner);
        if (call != null) {
            call.reply().complete(HandClient.queued());
        }
    }

    /** The same, if the lock has become free. */
    @Operation
    public void granted() {
        HandClient.Call call = hand.next(Script.ACQUIRE, request.owner);
        if (call != null) {
            granted = true;
            call.reply().complete(HandClient.granted(7));
        }
    }

    /** As after a reconnect: from then on a reply and a message can bring the same grant. */
    @Operation
    public void askAgain() {
        request.ask();
    }

    /** The message of a handoff; if there is no pair of clocks, it is confirmed first if the request is still pending. */
    @Operation
    public void message() {
        granted = true;
        hand.client.queue.waitingRoom.onMessage(HandClient.handoff(request.owner, request.keys));
    }

    @Operation(runOnce = true)
    public void withdraw() {
        request.withdraw();
    }

    @Operation(runOnce = true)
    public void timeOut() {
        hand.pass(LIMIT);
        hand.runDue();
    }

    @Validate
    public void isHeldOrGivenBackAndKnownWhileItLasts() {
        hand.answerAll(); // the server grants what it is asked for
        boolean over = request.isOver();
        assertEquals(over ? 0 : 1, hand.client.queue.waitingRoom.size(), "known to the waiting room");
        if (over) {
            assertTrue(outcome.isDone(), "it is over, and nobody was told");
            assertTrue(!granted || hand.count(Script.RELEASE, request.owner) > 0, "a grant was not given back");
        } else if (outcome.isDone()) {
            assertTrue(lease().isValid());
            assertEquals(0, hand.count(Script.RELEASE, request.owner), "what a lease stands on was given back");
        }
        hand.client.queue.waitingRoom.commandsUp(partition -> true);
        assertEquals(
                outcome.isDone() ? 0 : 1,
                hand.open(Script.REFRESH, request.keys.hold()),
                "it stands in the line as long as it waits");
    }

    private Lease lease() {
        return Faces.lease(outcome.join().orElseThrow());
    }

    @Test
    void interleavings_leaveNoOrphan() {
        Interleavings.of(
                        WaitingRoomLincheckTest.class,
                        1,
                        400,
                        WaitingRoom.class,
                        Request.class,
                        Outcome.class,
                        QueueGrant.class)
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("queued")), List.of(act("withdraw")), List.of()))
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("granted")), List.of(act("message")), List.of()))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("queued"), act("askAgain")),
                        List.of(act("granted")),
                        List.of(act("message")),
                        List.of()))
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("granted")), List.of(act("timeOut")), List.of()))
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("message")), List.of(act("withdraw")), List.of()))
                .check(WaitingRoomLincheckTest.class);
    }

    private static Actor act(String operation) {
        return Interleavings.act(WaitingRoomLincheckTest.class, operation);
    }
}
