package io.holdfast.internal.sets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.Interleavings;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.HandEngine;
import io.holdfast.internal.lease.HandEngine.HandHold;
import io.holdfast.internal.lease.HandEngine.HandRequest;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.queue.HandClient;
import io.holdfast.internal.wire.Keys;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Several locks are granted, refused and lost while whoever wants them goes away: it ends once, with all or with none, and what
 * was obtained and not handed out is given back.
 */
@Tag("long")
public final class SetRequestLincheckTest {
    private static final Wait WAIT = Wait.upTo(Duration.ofMillis(500));

    private final HandClient hand = new HandClient();
    private final HandEngine engine = new HandEngine(hand.client.kit, true);
    private final SetRequest set = new SetRequest(engine, List.of(demand("a"), demand("b")), WAIT);
    private final CompletableFuture<Attempt<SetEntry>> answer = set.start();
    private volatile boolean withdrawn;

    private Demand demand(String lock) {
        return Demand.of(Keys.of(hand.client.kit.options.prefix(), lock), LockOptions.defaults(), WAIT, false, "actor");
    }

    @Operation
    public void grant() {
        HandRequest request = engine.pending();
        if (request != null) {
            request.grant();
        }
    }

    @Operation
    public void refuse() {
        HandRequest request = engine.pending();
        if (request != null) {
            request.refuse(new Attempt.NotObtained<>(
                    request.demand.keys().name(), Attempt.Reason.TAKEN, Contention.NOTHING_KNOWN));
        }
    }

    /** The first lock is gone. */
    @Operation
    public void lose() {
        List<HandHold> holds = engine.holds();
        if (!holds.isEmpty()) {
            holds.get(0).lose(LossReason.NOT_ON_SERVER);
        }
    }

    @Operation(runOnce = true)
    public void withdraw() {
        set.withdraw();
        withdrawn = true;
    }

    /** From now on nothing is begun anew. */
    @Operation(runOnce = true)
    public void timeIsUp() {
        hand.pass(Duration.ofSeconds(1));
    }

    @Validate
    public void hasAllOrNoneAndGivesTheRestBack() {
        assertTrue(answer.isDone() || engine.waiting() == 1, "it neither waits nor has ended");
        while (!answer.isDone() && engine.waiting() > 0) {
            grant();
        }
        assertTrue(answer.isDone(), "nobody is told");
        assertEquals(0, engine.waiting(), "it has ended, and asks");
        assertTrue(!withdrawn || answer.isCompletedExceptionally() || !held().isValid(), "withdrawn, and held");
        SetEntry held = answer.isCompletedExceptionally()
                ? null
                : answer.join().asOptional().orElse(null);
        List<Hold> given = held == null
                ? List.of()
                : held.handles().stream().map(each -> each.hold).toList();
        if (held != null) {
            assertEquals(
                    List.of("a", "b"),
                    given.stream().map(each -> each.keys().name()).toList());
        }
        for (HandHold hold : engine.holds()) {
            if (withdrawn || !given.contains(hold.hold)) {
                assertTrue(hold.isReleased(), "obtained, neither handed out nor given back");
            } else {
                assertTrue(!hold.isReleased(), "handed out and given back");
            }
        }
    }

    private SetEntry held() {
        return answer.join().orElseThrow();
    }

    @Test
    void interleavings_endWithAllOrNone() {
        Interleavings.of(
                        SetRequestLincheckTest.class,
                        1,
                        120,
                        SetRequest.class,
                        FirstLoss.class,
                        SetEntry.class,
                        HandEngine.class,
                        Handle.class,
                        CompletableFuture.class)
                .addCustomScenario(Interleavings.scenario(
                        List.of(), List.of(act("grant"), act("grant")), List.of(act("withdraw")), List.of()))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("grant")), List.of(act("grant")), List.of(act("lose")), List.of()))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("grant")), List.of(act("lose")), List.of(act("withdraw")), List.of()))
                .check(SetRequestLincheckTest.class);
    }

    private static Actor act(String operation) {
        return Interleavings.act(SetRequestLincheckTest.class, operation);
    }
}
