package io.holdfast.internal.polled;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Interleavings;
import io.holdfast.PlainOptions;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.queue.HandClient;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.PlainScripts.PlainAcquireReply;
import io.holdfast.internal.wire.Script;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A plain lock is asked for, granted, withdrawn, and its client closed, all at once: the request ends, and what was granted
 * is held or given back.
 */
@Tag("long")
public final class PlainPollLincheckTest {
    private static final PlainOptions OPTIONS = PlainOptions.defaults();

    private final HandClient hand = new HandClient();
    private final Keys keys = Keys.of("", "a");
    private final PlainPoll poll =
            new PlainPoll(hand.client.plain, new PlainLocks.Place(keys.hold(), "value"), OPTIONS);
    private final PolledRequest request = new PolledRequest(
            new Outcome(
                    hand.client.kit,
                    Demand.of(keys, PlainLocks.leases(OPTIONS), Wait.forever(), false, null),
                    "owner",
                    false),
            poll,
            "");
    private volatile @Nullable CompletableFuture<Attempt<Handle>> outcome;
    private volatile boolean granted;
    private volatile boolean leftEarly;

    @Operation(runOnce = true)
    public void start() {
        outcome = request.start();
    }

    /** The answer to the acquire; not by its future, whose completion would be a single step here. */
    @Operation
    public void grant() {
        if (hand.next(Script.PLAIN_ACQUIRE, keys.hold()) != null) {
            granted = true;
            poll.heard(new PlainAcquireReply(1_000_000, false, null), null, hand.now(), null);
        }
    }

    /** Of a request that has begun. */
    @Operation(runOnce = true)
    public void withdraw() {
        if (outcome != null) {
            request.withdraw();
        }
    }

    @Operation(runOnce = true)
    public void close() {
        if (hand.client.kit.close()) {
            hand.client.plain.clientClosed();
            leftEarly = hand.client.takeBack.whenDone().isDone() && !isReleased();
        }
    }

    @Validate
    public void isHeldOrGivenBackAndHasEndedIfTheClientHas() {
        CompletableFuture<Attempt<Handle>> begun = outcome;
        if (begun == null) {
            return;
        }
        assertTrue(begun.isDone() || !hand.client.kit.isClosed(), "the client is closed, and nobody was told");
        boolean over = !request.outcome.pending() && hand.client.kit.holds().isEmpty();
        assertEquals(over ? 0 : 1, hand.client.plain.size(), "known to the client");
        if (over) {
            assertTrue(!granted || isReleased(), "a grant was not given back");
            assertFalse(granted && leftEarly, "the server was left before a grant was given back");
        }
    }

    private boolean isReleased() {
        return hand.count(Script.PLAIN_RELEASE, keys.hold()) > 0;
    }

    @Test
    void interleavings_leaveNoOrphanAndNobodyWaiting() {
        Interleavings.of(
                        PlainPollLincheckTest.class,
                        1,
                        100,
                        PlainPoll.class,
                        PlainLocks.class,
                        PolledRequest.class,
                        Outcome.class)
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("start")), List.of(act("close")), List.of()))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("start")), List.of(act("grant")), List.of(act("withdraw")), List.of()))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("start")), List.of(act("grant")), List.of(act("close")), List.of()))
                .check(PlainPollLincheckTest.class);
    }

    private static Actor act(String operation) {
        return Interleavings.act(PlainPollLincheckTest.class, operation);
    }
}
