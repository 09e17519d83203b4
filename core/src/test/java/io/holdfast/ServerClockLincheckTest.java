package io.holdfast;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Test;

/** No pair from before a reconnect is seen after it, and no improvement is lost, whatever replies come meanwhile. */
@Param(name = "time", gen = IntGen.class, conf = "1:4")
public final class ServerClockLincheckTest {
    private final ServerClock clock = new ServerClock(1);

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
        Interleavings.of(ServerClockLincheckTest.class, 10, 150, ServerClock.class)
                .check(ServerClockLincheckTest.class);
    }
}
