package io.holdfast.internal.lease;

import io.holdfast.Interleavings;
import io.holdfast.LossReason;
import io.holdfast.internal.lease.LeaseState.End;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A lease ends once, stays ended once anybody has seen it so, and is entered only while somebody is in. */
@Tag("long")
@Param(name = "time", gen = IntGen.class, conf = "1:4")
public final class LeaseStateLincheckTest {
    private final LeaseState state = new LeaseState(2, 0, true, null);

    /** As the holds do it. */
    @Operation
    public boolean isValid(@Param(name = "time") int now) {
        if (state.passed(now)) {
            state.endAs(End.lost(LossReason.EXPIRED));
        }
        return state.active();
    }

    /** Whether it was moved does not matter: a reader that has seen it pass may be about to end the lease. */
    @Operation
    public void raise(@Param(name = "time") int later, @Param(name = "time") int now) {
        var unused = state.raise(later, now);
    }

    @Operation
    public boolean lose() {
        return state.endAs(End.lost(LossReason.NOT_ON_SERVER));
    }

    @Operation
    public boolean release() {
        return state.release();
    }

    @Operation
    public String lossReason() {
        return String.valueOf(state.lossReason());
    }

    @Operation
    public boolean enter() {
        return state.enter();
    }

    @Operation
    public boolean leave() {
        return state.leave();
    }

    @Test
    void interleavings_areLinearizable() {
        Interleavings.of(LeaseStateLincheckTest.class, 5, 60, LeaseState.class)
                .addCustomScenario(Interleavings.scenario(
                        List.of(),
                        List.of(act("raise", 3, 1)),
                        List.of(act("raise", 4, 1)),
                        List.of(act("isValid", 3))))
                .addCustomScenario(Interleavings.scenario(
                        List.of(), List.of(act("raise", 4, 1)), List.of(act("isValid", 2)), List.of(act("isValid", 3))))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("enter")), List.of(act("leave"), act("enter")), List.of(act("leave")), List.of()))
                .check(LeaseStateLincheckTest.class);
    }

    private static Actor act(String operation, Object... arguments) {
        return Interleavings.act(LeaseStateLincheckTest.class, operation, arguments);
    }
}
