package io.holdfast.internal.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the log says of a lease that has expired: whose silence it was. */
final class HowLostTest {
    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(30));
    private static final long DEADLINE = TimeUnit.MINUTES.toNanos(1);

    private static String howLost(LossReason reason, Duration late) {
        LeaseState state = new LeaseState(DEADLINE, 0, true, null);
        return state.howLost(reason, DEADLINE + late.toNanos(), OPTIONS);
    }

    @Test
    void howLost_noticedAtTheDeadline_theServerWasSilent() {
        assertEquals(
                "the server has answered no renewal for 30020 ms", howLost(LossReason.EXPIRED, Duration.ofMillis(20)));
    }

    @Test
    void howLost_noticedLate_theProcessStoodStill() {
        String how = howLost(LossReason.EXPIRED, Duration.ofSeconds(8));
        assertTrue(how.startsWith("this process stood still, and noticed the end of the lease 8000 ms late: "), how);
    }

    @Test
    void howLost_byAnybodysAct_isSaidByTheReason() {
        assertEquals("", howLost(LossReason.REVOKED, Duration.ZERO));
    }
}
