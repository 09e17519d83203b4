package io.holdfast.internal.queue;

import io.holdfast.Interleavings;
import io.holdfast.internal.wire.Keys;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lease is told that others wait if the server says so while it lasts, and never after it has left. */
@Tag("long")
public final class WantingLincheckTest {
    private final HandClient hand = new HandClient();
    private final Wanting wanting = new Wanting(hand.client.kit);
    private final Keys keys = Keys.of("hf", "a");
    private final AtomicBoolean left = new AtomicBoolean();
    private final CompletableFuture<Void> told = wanting.add(keys, () -> !left.get(), () -> false);

    @Operation
    public void leave() {
        left.set(true);
    }

    @Operation
    public void othersWait() {
        wanting.othersWait(keys);
    }

    @Operation
    public boolean isTold() {
        return told.isDone();
    }

    @Operation
    public int look() {
        return wanting.locks().size();
    }

    @Test
    void interleavings_areLinearizable() {
        Interleavings.of(WantingLincheckTest.class, 2, 20, Wanting.class)
                .addCustomScenario(Interleavings.scenario(
                        List.of(),
                        List.of(act("leave"), act("isTold")),
                        List.of(act("othersWait"), act("isTold")),
                        List.of(act("isTold"))))
                .addCustomScenario(Interleavings.scenario(
                        List.of(),
                        List.of(act("leave"), act("look")),
                        List.of(act("othersWait"), act("look")),
                        List.of(act("isTold"))))
                .check(WantingLincheckTest.class);
    }

    private static Actor act(String operation) {
        return Interleavings.act(WantingLincheckTest.class, operation);
    }
}
