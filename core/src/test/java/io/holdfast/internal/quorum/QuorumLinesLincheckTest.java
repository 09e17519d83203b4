package io.holdfast.internal.quorum;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.Interleavings;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.polled.PolledRequest;
import io.holdfast.internal.queue.HandClient;
import io.holdfast.internal.wire.Keys;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A line keeps whoever sleeps and nobody who has ended, also if it ends while it goes to sleep. */
@Tag("long")
public final class QuorumLinesLincheckTest {
    private final QuorumClient quorum = new HandClient().quorum();
    private final PolledRequest request = request();
    private volatile boolean slept;
    private volatile boolean ended;

    public QuorumLinesLincheckTest() {
        quorum.lines.sleeping(request()); // so that the line stays
    }

    private PolledRequest request() {
        Keys keys = Keys.of(quorum.options.client().prefix(), "a");
        return (PolledRequest)
                quorum.newRequest(Demand.of(keys, LockOptions.defaults(), Wait.forever(), false, "actor"));
    }

    /** As a request does it. */
    @Operation(runOnce = true)
    public void sleep() {
        slept = true;
        quorum.lines.sleeping(request);
        if (ended) {
            quorum.lines.leave(request);
        }
    }

    @Operation
    public void end() {
        ended = true;
        quorum.lines.leave(request);
    }

    @Validate
    public void standsInItsLineAsLongAsItSleeps() {
        assertEquals(slept && !ended ? 2 : 1, quorum.lines.size());
    }

    @Test
    void interleavings_leaveNobodyBehind() {
        Interleavings.of(QuorumLinesLincheckTest.class, 1, 200, QuorumLines.class, ConcurrentHashMap.class)
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("sleep")), List.of(act("end")), List.of()))
                .check(QuorumLinesLincheckTest.class);
    }

    private static Actor act(String operation) {
        return Interleavings.act(QuorumLinesLincheckTest.class, operation);
    }
}
