package io.holdfast.internal.turns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Interleavings;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.queue.HandClient;
import io.holdfast.internal.wire.Keys;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whoever listens for warnings of a lease hears nothing of the next one that has its hold. */
@Tag("long")
public final class LocalHoldLincheckTest {
    private static final LockOptions HANDED =
            LockOptions.defaults().withLocalHandoffs(3, Duration.ofMinutes(1)).withWaitLimit(Wait.forever());

    private final HandClient hand = new HandClient();
    private final CompletableFuture<Attempt<Handle>> first = ask();
    private final CompletableFuture<Attempt<Handle>> next = ask();
    private final Handle lease;
    private final List<String> told = new CopyOnWriteArrayList<>();

    public LocalHoldLincheckTest() {
        hand.answerAll();
        lease = first.join().orElseThrow();
        hand.pass(Duration.ofMillis(1)); // the next is to have a token of its own
    }

    private CompletableFuture<Attempt<Handle>> ask() {
        Keys keys = Keys.of(hand.client.kit.options.prefix(), "a");
        return hand.client
                .newRequest(Demand.of(keys, HANDED, Wait.forever(), false, "actor"))
                .start();
    }

    @Operation(runOnce = true)
    public void one() {
        lease.onWarning(left -> told.add("one"));
    }

    @Operation(runOnce = true)
    public void other() {
        lease.onWarning(left -> told.add("other"));
    }

    @Operation(runOnce = true)
    public void release() {
        lease.leave();
    }

    @Validate
    public void isToldNothingOfTheNext() {
        lease.leave();
        assertTrue(next.join().orElseThrow().isValid());
        hand.pass(HANDED.leaseDuration().minusSeconds(5));
        hand.runDue(); // which warns the next
        assertEquals(List.of(), told);
    }

    @Test
    void interleavings_leaveNoListenerBehind() {
        Interleavings.of(LocalHoldLincheckTest.class, 2, 100, LocalHold.class, Handle.class)
                .actorsPerThread(1)
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("one")), List.of(act("other")), List.of()))
                .check(LocalHoldLincheckTest.class);
    }

    private static Actor act(String operation) {
        return Interleavings.act(LocalHoldLincheckTest.class, operation);
    }
}
