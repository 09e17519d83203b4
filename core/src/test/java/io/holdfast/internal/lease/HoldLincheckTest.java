package io.holdfast.internal.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.Interleavings;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.internal.queue.HandClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is to be done so long before the deadline is done then, whoever sets the hold's timer at the same time. */
@Tag("long")
public final class HoldLincheckTest {
    private static final Duration TERM = Duration.ofSeconds(30);

    private final HandClient hand = new HandClient();
    private final Lease lease =
            hand.lease("a", LockOptions.defaults().withLeaseDuration(TERM).withRenewal(false));
    private final Hold hold = hand.client.kit.holds().iterator().next();
    private final List<Integer> late = new CopyOnWriteArrayList<>();

    @Operation(runOnce = true)
    public void early() {
        hold.beforeEnding(Duration.ofSeconds(20), () -> seen(20));
    }

    @Operation(runOnce = true)
    public void soon() {
        hold.beforeEnding(Duration.ofSeconds(10), () -> seen(10));
    }

    private void seen(int before) {
        if (lease.remaining().toSeconds() < before - 1) {
            late.add(before);
        }
    }

    @Validate
    public void wasDoneInTime() {
        for (int second = 0; second < 31; second++) {
            hand.pass(Duration.ofSeconds(1));
            hand.runDue();
        }
        assertEquals(List.of(), late);
    }

    @Test
    void interleavings_setTheTimerInTime() {
        Interleavings.of(HoldLincheckTest.class, 2, 40, Hold.class)
                .actorsPerThread(1)
                .check(HoldLincheckTest.class);
    }
}
