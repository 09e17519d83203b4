package io.holdfast.internal.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Interleavings;
import io.holdfast.internal.queue.HandClient;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is to be taken back is, and closing waits for it, whatever is answered and added at the same time. */
@Tag("long")
public final class TakeBackLincheckTest {
    private final HandClient hand = new HandClient();
    private final TakeBack takeBack = hand.client.takeBack;
    private final Keys keys = Keys.of(hand.client.kit.options.prefix(), "a");
    private final String owner = hand.client.kit.ids.next();
    private volatile int sentBeforeLastAdd = -1;

    /** As whoever ends an owner does it. */
    @Operation(nonParallelGroup = "add")
    public void add() {
        takeBack.ending();
        sentBeforeLastAdd = hand.count(Script.RELEASE, owner);
        hand.client.queue.withdrawals.takeBack(keys, owner, true, Rest.NONE);
        takeBack.ended();
    }

    @Operation
    public void answer() {
        HandClient.Call call = hand.next();
        if (call != null) {
            call.reply().complete(HandClient.released());
        }
    }

    @Operation
    public void fail() {
        HandClient.Call call = hand.next();
        if (call != null) {
            HandClient.fail(call);
        }
    }

    @Operation
    public void reconnected() {
        takeBack.reconnected(partition -> true);
    }

    @Validate
    public void isTakenBackInTheEndAndCanClose() {
        CompletableFuture<Boolean> empty = takeBack.whenDone();
        assertEquals(takeBack.unconfirmed() == 0, empty.isDone());
        for (int round = 0; round < 3; round++) {
            for (HandClient.Call call = hand.next(); call != null; call = hand.next()) {
                call.reply().complete(HandClient.released());
            }
            hand.pass(Duration.ofSeconds(2));
            hand.runDue();
        }
        assertEquals(0, takeBack.unconfirmed());
        assertTrue(empty.isDone(), "closing waits for ever");
        if (sentBeforeLastAdd >= 0) {
            assertTrue(hand.count(Script.RELEASE, owner) > sentBeforeLastAdd, "the last one was not sent");
        }
    }

    @Test
    void interleavings_loseNothing() {
        Interleavings.of(TakeBackLincheckTest.class, 2, 50, TakeBack.class, Withdrawals.class)
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("add")), List.of(act("answer")), List.of(act("add")), List.of()))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("add")), List.of(act("fail")), List.of(act("reconnected")), List.of(act("answer"))))
                .check(TakeBackLincheckTest.class);
    }

    private static Actor act(String operation) {
        return Interleavings.act(TakeBackLincheckTest.class, operation);
    }
}
