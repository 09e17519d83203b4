package io.holdfast.internal.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How a lock rests after a loss: for its lock-delay, and for nothing that only a release may leave. */
final class RestTest {
    private static final Duration DELAY = Duration.ofSeconds(20);

    private static Rest.Wanted wanted(Duration delay) {
        Rest.Wanted wanted = new Rest.Wanted(
                LockOptions.defaults().withMinHold(Duration.ofHours(1)).withLockDelay(delay));
        wanted.used(1);
        wanted.ask(Duration.ofDays(1), 0, "a record");
        return wanted;
    }

    @Test
    void afterLoss_expired_isTheDelayAlone_andNoRecord() {
        Rest rest = wanted(DELAY).afterLoss(LossReason.EXPIRED, 0);
        assertEquals(DELAY, rest.left(0));
        assertEquals(Duration.ZERO, rest.sinceGrant());
        assertNull(rest.done());
    }

    @Test
    void afterLoss_withoutADelay_isNone() {
        assertTrue(wanted(Duration.ZERO).afterLoss(LossReason.EXPIRED, 0).isNone());
    }

    @Test
    void afterLoss_goneFromTheServer_isNone() {
        assertTrue(wanted(DELAY).afterLoss(LossReason.NOT_ON_SERVER, 0).isNone());
        assertTrue(wanted(DELAY).afterLoss(LossReason.REVOKED, 0).isNone());
    }

    @Test
    void afterLoss_noCallerHasHadALease_isNone() {
        Rest.Wanted wanted = new Rest.Wanted(LockOptions.defaults().withLockDelay(DELAY));
        assertTrue(wanted.afterLoss(LossReason.EXPIRED, 0).isNone());
        assertTrue(wanted.afterLoss(LossReason.CLIENT_CLOSED, 0).isNone());
    }

    @Test
    void afterLoss_clientIsClosed_isAllThatWasAsked() {
        Rest rest = wanted(DELAY).afterLoss(LossReason.CLIENT_CLOSED, 0);
        assertEquals(Duration.ofDays(1), rest.left(0));
        assertEquals(Duration.ofHours(1), rest.sinceGrant());
        assertEquals("a record", rest.done());
    }
}
