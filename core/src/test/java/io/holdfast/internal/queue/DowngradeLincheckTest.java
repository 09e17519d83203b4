package io.holdfast.internal.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.HoldfastException;
import io.holdfast.Interleavings;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockMode;
import io.holdfast.LockOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.internal.client.Client;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A writer goes on as a reader while its lease is released or lost, its client is closed, and answers come late or not at all: the
 * writing lease ends once, a reading lease comes of one that had not ended otherwise, and what the server has is a lease's.
 */
@Tag("long")
public final class DowngradeLincheckTest {
    private static final LockOptions OPTIONS = LockOptions.defaults();
    /** Longer than a pause between two tries. */
    private static final Duration LATER = Duration.ofSeconds(1);

    private final HandClient hand = new HandClient();
    private final Keys keys = Keys.of(hand.client.kit.options.prefix(), Keys.Kind.READ_WRITE, "a");
    private final HandLine line = new HandLine(keys);
    private final Queue<LockEvent> told = new ConcurrentLinkedQueue<>();
    private final Handle writer;
    private final Hold writing;
    private final String owner;
    private volatile @Nullable CompletableFuture<Handle> downgrade;
    private volatile @Nullable CompletableFuture<ReleaseResult> release;
    private volatile @Nullable CompletableFuture<Boolean> closing;

    public DowngradeLincheckTest() {
        Demand demand = Demand.of(keys, OPTIONS.withListener(told::add), Wait.none(), false, "actor");
        CompletableFuture<Attempt<Handle>> outcome =
                hand.client.newRequest(demand).start();
        answer();
        writer = outcome.join().orElseThrow();
        writing = writer.hold;
        owner = writing.owner();
        told.clear();
    }

    @Operation(runOnce = true)
    public void downgrade() {
        downgrade = new Downgrade(hand.client.queue, writing).begin();
    }

    @Operation(runOnce = true)
    public void release() {
        release = writer.leave();
    }

    /** The reading lease, if there is one. */
    @Operation
    public void releaseReader() {
        Handle reader = reader();
        if (reader != null) {
            var unused = reader.leave();
        }
    }

    /** What was sent first is carried out, and answered. */
    @Operation
    public void answer() {
        HandClient.Call call = hand.next();
        if (call != null) {
            Reply reply = line.carryOut(call);
            call.reply().complete(reply);
        }
    }

    /** The same, and the answer is lost. */
    @Operation
    public void loseAnswer() {
        HandClient.Call call = hand.next();
        if (call != null) {
            var unused = line.carryOut(call);
            HandClient.fail(call);
        }
    }

    @Operation
    public void later() {
        pass(LATER);
    }

    /** The writer's deadline, at the latest. */
    @Operation
    public void expire() {
        pass(OPTIONS.leaseDuration());
    }

    /** The same, before any timer runs. */
    @Operation(runOnce = true)
    public void expireUnnoticed() {
        hand.pass(OPTIONS.leaseDuration());
    }

    @Operation(runOnce = true)
    public void revoke() {
        hand.client.queue.waitingRoom.onMessage(line.revoke(owner));
    }

    @Operation(runOnce = true)
    public void grantAnew() {
        String message = line.grantAnew(owner);
        if (message != null) {
            hand.client.queue.waitingRoom.onMessage(message);
        }
    }

    /** As {@link Client#close}, which would wait. */
    @Operation(runOnce = true)
    public void close() {
        hand.client.kit.close();
        hand.client.queue.clientClosed();
        closing = hand.client.takeBack.whenDone();
    }

    private void pass(Duration time) {
        hand.pass(time);
        for (Runnable due = hand.nextDue(); due != null; due = hand.nextDue()) {
            due.run();
        }
    }

    private @Nullable Handle reader() {
        CompletableFuture<Handle> result = downgrade;
        return result == null || !result.isDone() || result.isCompletedExceptionally() ? null : result.join();
    }

    @Validate
    public void endsOnceAndNothingIsNobodys() {
        for (int round = 0; round < 4; round++) {
            while (hand.isAsked()) {
                answer();
            }
            pass(LATER);
        }
        Handle reader = reader();
        CompletableFuture<Handle> asked = downgrade;
        CompletableFuture<ReleaseResult> left = release;
        assertTrue(left == null || left.isDone(), "nobody is told what became of the release");
        boolean goesOn = writing.isHandedOver();
        if (asked != null) {
            assertTrue(asked.isDone(), "nobody is told what became of it");
            assertFalse(writing.isValid());
            assertEquals(
                    goesOn,
                    hand.count(Script.LINE_DOWNGRADE, owner) > 0,
                    "the server is asked where it ended for this");
        }
        assertEndedOnce(goesOn, reader);
        if (reader != null) {
            assertTrue(goesOn, "a reading lease of a writing lease that had ended");
            assertEquals(LockMode.SHARED, reader.hold.what().mode());
            assertEquals(HandLine.READING, reader.hold.token());
        } else if (asked != null) {
            HoldfastException failure = failureOf(asked);
            assertTrue(goesOn || failure instanceof LeaseLostException, failure::toString);
        }
        // What the server has is a lease's, and what a lease has is looked after.
        Handle valid = writer.isValid() ? writer : reader != null && reader.isValid() ? reader : null;
        assertEquals(valid == null ? 0 : valid.hold.token(), line.held(), "held on the server");
        assertEquals(valid == null ? List.of() : List.of(valid.hold), List.copyOf(hand.client.kit.holds()));
        assertEquals(valid == null ? 0 : 1, hand.client.queue.waitingRoom.size(), "known to the waiting room");
        CompletableFuture<Boolean> closed = closing;
        assertTrue(closed == null || valid == null, "closed, and held");
        assertTrue((closed == null ? hand.client.takeBack.whenDone() : closed).isDone(), "closing waits for ever");
    }

    /** By what listeners are told, too. */
    private void assertEndedOnce(boolean goesOn, @Nullable Handle reader) {
        List<LockEvent> ends = told.stream().filter(this::isEndOfWriting).toList();
        assertEquals(writing.isValid() ? 0 : 1, ends.size(), "ends of the writing lease");
        assertEquals(writing.lossReason() != null, writing.lost().isDone());
        if (reader != null) {
            assertInstanceOf(LockEvent.Downgraded.class, ends.get(0));
        } else if (writing.lossReason() != null) {
            assertEquals(
                    writing.lossReason(),
                    assertInstanceOf(LockEvent.Lost.class, ends.get(0)).reason());
        } else if (!goesOn && !ends.isEmpty()) {
            assertInstanceOf(LockEvent.Released.class, ends.get(0));
        }
    }

    private boolean isEndOfWriting(LockEvent event) {
        return event instanceof LockEvent.Downgraded
                || (event instanceof LockEvent.Released released && released.token() == HandLine.WRITING)
                || (event instanceof LockEvent.Lost lost && lost.token() == HandLine.WRITING);
    }

    private static HoldfastException failureOf(CompletableFuture<Handle> result) {
        Throwable failure = result.handle((handle, why) -> why).join();
        return assertInstanceOf(
                HoldfastException.class, failure instanceof CompletionException ? failure.getCause() : failure);
    }

    @Test
    void interleavings_endOnceAndLeaveNothing() {
        Interleavings.of(
                        DowngradeLincheckTest.class,
                        1,
                        60,
                        Downgrade.class,
                        WaitingRoom.class,
                        Request.class,
                        Outcome.class,
                        Hold.class)
                .addCustomScenario(between(act("release")))
                .addCustomScenario(between(act("expire")))
                .addCustomScenario(between(act("revoke")))
                .addCustomScenario(between(act("close")))
                .addCustomScenario(between(act("expireUnnoticed"), act("grantAnew")))
                .check(DowngradeLincheckTest.class);
    }

    /** While it is asked for and answered. */
    private static ExecutionScenario between(Actor... others) {
        return Interleavings.scenario(List.of(), List.of(act("downgrade"), act("answer")), List.of(others), List.of());
    }

    private static Actor act(String operation) {
        return Interleavings.act(DowngradeLincheckTest.class, operation);
    }
}
