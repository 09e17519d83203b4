package io.holdfast.internal.wire;

import io.holdfast.Interleavings;
import java.util.List;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No pair from before a reconnect is seen after it, and no improvement is lost, whatever replies come meanwhile. */
@Tag("long")
@Param(name = "time", gen = IntGen.class, conf = "1:4")
public final class ServerClockLincheckTest {
    private final ServerClock clock = new ServerClock(1, () -> 10_000);

    @Operation
    public void read(@Param(name = "time") int sentMicros, @Param(name = "time") int serverMicros) {
        clock.read(0, sentMicros * 1_000L, serverMicros);
    }

    @Operation
    public void drop(@Param(name = "time") int nowMicros) {
        clock.drop(partition -> true, nowMicros * 1_000L);
    }

    @Operation
    public String pair() {
        return String.valueOf(clock.pair(0));
    }

    @Test
    void interleavings_areLinearizable() {
        Interleavings.of(ServerClockLincheckTest.class, 4, 60, ServerClock.class)
                .addCustomScenario(Interleavings.scenario(
                        List.of(), List.of(act("read", 2, 3)), List.of(act("read", 2, 2)), List.of(act("pair"))))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("read", 1, 1)),
                        List.of(act("drop", 3)),
                        List.of(act("read", 2, 1)),
                        List.of(act("pair"))))
                .check(ServerClockLincheckTest.class);
    }

    private static Actor act(String operation, Object... arguments) {
        return Interleavings.act(ServerClockLincheckTest.class, operation, arguments);
    }
}
