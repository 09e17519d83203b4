package io.holdfast.internal.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.Interleavings;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LockScripts.ConfirmEntry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A grant that is to be confirmed is told once what has become of it, also if it comes while others are sent. */
@Tag("long")
public final class ClaimBatcherLincheckTest {
    private final HandClient hand = new HandClient();
    private final ClaimBatcher confirms = new ClaimBatcher(hand.client.kit, hand.client.queue.server);
    private final Keys keys = Keys.of(hand.client.kit.options.prefix(), Keys.Kind.READ_WRITE, "a");
    private final AtomicLong tokens = new AtomicLong();
    private final Map<Long, List<String>> told = new ConcurrentSkipListMap<>(); // by token

    @Operation
    public void add() {
        long token = tokens.incrementAndGet();
        List<String> answers = new CopyOnWriteArrayList<>();
        told.put(token, answers);
        confirms.add(
                keys,
                new ConfirmEntry("owner", token, 30_000),
                (held, sent, failure) -> answers.add(failure == null ? "held " + held : "failed"));
    }

    /** What was gathered is sent. */
    @Operation
    public void send() {
        hand.pass(Duration.ofMillis(1));
        Runnable due = hand.nextDue();
        if (due != null) {
            due.run();
        }
    }

    @Operation
    public void answer() {
        HandClient.Call call = hand.next();
        if (call != null) {
            call.reply().complete(HandClient.oddAreHeld(call));
        }
    }

    @Validate
    public void eachIsToldOnce() {
        hand.pass(Duration.ofMillis(1));
        hand.runDue();
        for (HandClient.Call call = hand.next(); call != null; call = hand.next()) {
            call.reply().complete(HandClient.oddAreHeld(call));
        }
        told.forEach((token, answers) -> assertEquals(List.of("held " + (token % 2 == 1)), answers));
    }

    @Test
    void interleavings_forgetNoneAndRepeatNone() {
        Interleavings.of(ClaimBatcherLincheckTest.class, 2, 100, ClaimBatcher.class)
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("add")), List.of(act("add")), List.of()))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("add")), List.of(act("add")), List.of(act("send")), List.of()))
                .check(ClaimBatcherLincheckTest.class);
    }

    private static Actor act(String operation) {
        return Interleavings.act(ClaimBatcherLincheckTest.class, operation);
    }
}
