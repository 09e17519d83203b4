package io.holdfast.internal.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.LossReason;
import io.holdfast.internal.lease.LeaseState.End;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class LeaseStateTest {
    /** Close to the overflow of the clock, where only differences compare. */
    private static final long GRANTED = Long.sum(Long.MAX_VALUE, -50);

    private static final long DEADLINE = GRANTED + 100;

    private final LeaseState state = new LeaseState(DEADLINE, GRANTED, true, null);

    @Test
    void passed_untilTheDeadlineAndFromItOn_changesAtIt() {
        assertFalse(state.passed(GRANTED));
        assertFalse(state.passed(DEADLINE - 1));
        assertTrue(state.passed(DEADLINE));
        assertTrue(state.passed(DEADLINE + 1));
    }

    @Test
    void passed_ended_isNothingThatAnybodyHasToEnd() {
        assertTrue(state.release());
        assertFalse(state.passed(DEADLINE));
    }

    @Test
    void remaining_isCountedToTheDeadlineAndZeroOnceItEnded() {
        assertEquals(Duration.ofNanos(100), state.remaining(GRANTED));
        assertEquals(Duration.ofNanos(1), state.remaining(DEADLINE - 1));
        assertEquals(Duration.ZERO, state.remaining(DEADLINE + 1));
        assertTrue(state.endAs(End.lost(LossReason.NOT_ON_SERVER)));
        assertEquals(Duration.ZERO, state.remaining(GRANTED));
    }

    /** As is needed to go on after an error. */
    @Test
    void endAs_theSameAgain_isStillItsEnd() {
        End first = End.lost(LossReason.NOT_ON_SERVER);
        assertTrue(state.endAs(first));
        assertTrue(state.endAs(first));
        assertFalse(state.endAs(End.lost(LossReason.NOT_ON_SERVER)), "of another");
        assertFalse(state.endAs(End.handedOver()));
        assertFalse(state.isHandedOver());
    }

    @Test
    void lose_secondEnd_doesNotCount() {
        assertTrue(state.active());
        assertNull(state.lossReason());
        assertTrue(state.endAs(End.lost(LossReason.NOT_ON_SERVER)));
        assertFalse(state.active());
        assertFalse(state.endAs(End.lost(LossReason.EXPIRED)));
        assertFalse(state.release());
        assertEquals(LossReason.NOT_ON_SERVER, state.lossReason());
    }

    @Test
    void release_secondEnd_doesNotCount() {
        assertTrue(state.release());
        assertFalse(state.active());
        assertFalse(state.release());
        assertFalse(state.endAs(End.lost(LossReason.EXPIRED)));
        assertNull(state.lossReason());
    }

    @Test
    void raise_laterDeadline_isTaken() {
        assertTrue(state.raise(DEADLINE + 100, DEADLINE - 1));
        assertEquals(DEADLINE + 100, state.deadline());
        assertFalse(state.passed(DEADLINE));
        assertTrue(state.passed(DEADLINE + 100));
    }

    @Test
    void raise_sameOrEarlierDeadline_changesNothing() {
        assertFalse(state.raise(DEADLINE, GRANTED));
        assertFalse(state.raise(DEADLINE - 1, GRANTED));
        assertEquals(DEADLINE, state.deadline());
    }

    @Test
    void raise_deadlinePassed_changesNothing() {
        assertFalse(state.raise(DEADLINE + 100, DEADLINE));
        assertEquals(DEADLINE, state.deadline());
        assertTrue(state.passed(DEADLINE));
    }

    @Test
    void raise_ended_changesNothing() {
        state.release();
        assertFalse(state.raise(DEADLINE + 100, GRANTED));
        assertEquals(DEADLINE, state.deadline());
    }

    @Test
    void raise_hasNoDeadline_leavesItWithout() {
        LeaseState endless = new LeaseState(LeaseState.NEVER, GRANTED, false, null);
        assertFalse(endless.raise(DEADLINE, GRANTED));
        assertFalse(endless.passed(DEADLINE + Require.LONGEST.toNanos()));
        assertEquals(Require.LONGEST, endless.remaining(DEADLINE));
        assertTrue(endless.release());
        assertEquals(Duration.ZERO, endless.remaining(DEADLINE));
    }

    @Test
    void reasonAtDeadline_nobodyCanReachIt_isForgotten() {
        assertEquals(LossReason.ABANDONED, state.reasonAtDeadline(DEADLINE, true));
    }

    @Test
    void reasonAtDeadline_wasToBeRenewed_isExpired() {
        assertEquals(LossReason.EXPIRED, state.reasonAtDeadline(DEADLINE, false));
    }

    @Test
    void reasonAtDeadline_wasNotToBeRenewed_isTermEnded() {
        LeaseState once = new LeaseState(DEADLINE, GRANTED, false, null);
        assertEquals(LossReason.LEASE_LIMIT_REACHED, once.reasonAtDeadline(DEADLINE, false));
    }

    @Test
    void reasonAtDeadline_renewedAsLongAsItMayBe_isTermEnded() {
        LeaseState limited = new LeaseState(DEADLINE, GRANTED, true, Duration.ofNanos(100));
        assertFalse(limited.overLongest(GRANTED + 99));
        assertEquals(LossReason.EXPIRED, limited.reasonAtDeadline(GRANTED + 99, false));
        assertTrue(limited.overLongest(GRANTED + 100));
        assertEquals(LossReason.LEASE_LIMIT_REACHED, limited.reasonAtDeadline(GRANTED + 100, false));
        assertFalse(state.overLongest(GRANTED + 100));
    }

    @Test
    void leave_enteredTwice_isTheLastTheSecondTime() {
        assertTrue(state.enter());
        assertFalse(state.leave());
        assertTrue(state.enter());
        assertFalse(state.leave());
        assertTrue(state.leave());
    }

    @Test
    void enter_theLastHasLeft_isRefused() {
        assertTrue(state.leave());
        assertFalse(state.enter());
    }
}
