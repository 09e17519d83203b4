package io.holdfast.internal.queue;

import io.holdfast.Interleavings;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.wire.LockScripts;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An actor finds its newest valid hold; the end of any other does not hide it. */
@Tag("long")
@Param(name = "hold", gen = IntGen.class, conf = "0:1")
public final class ActorsLincheckTest {
    private final HandClient hand = new HandClient();
    private final Actors actors = new Actors();
    private final Request asking = hand.request("a", LockOptions.defaults(), Wait.none(), "actor");
    private final Hold[] holds = {hold(), hold()};

    private Hold hold() {
        Request request = hand.request("a", LockOptions.defaults(), Wait.none(), "actor");
        return new Hold(
                request.outcome,
                new QueueGrant(request.queue, request, new LockScripts.Given(7, 0), 0, false, 0),
                hand.now() + 1_000_000_000L,
                null);
    }

    @Operation
    public void begin(@Param(name = "hold") int hold) {
        actors.begin(holds[hold]);
    }

    @Operation
    public void end(@Param(name = "hold") int hold) {
        actors.end(holds[hold]);
    }

    @Operation
    public int ownOf() {
        Hold own = actors.ownOf(asking.demand());
        return own == null ? -1 : own == holds[0] ? 0 : 1;
    }

    @Test
    void interleavings_areLinearizable() {
        Interleavings.of(ActorsLincheckTest.class, 2, 40, Actors.class)
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("begin", 0)),
                        List.of(act("end", 0)),
                        List.of(act("begin", 1)),
                        List.of(act("ownOf"))))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("begin", 0), act("begin", 1)),
                        List.of(act("end", 1), act("ownOf")),
                        List.of(act("end", 0)),
                        List.of(act("ownOf"))))
                .check(ActorsLincheckTest.class);
    }

    private static Actor act(String operation, Object... arguments) {
        return Interleavings.act(ActorsLincheckTest.class, operation, arguments);
    }
}
