package io.holdfast.faults.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.faults.history.History.Disturbance;
import io.holdfast.faults.history.Ledger.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each check fails where it has to, and nowhere else. Times are in milliseconds here. */
final class ChecksTest {
    private static final long MILLI = 1_000_000;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final List<Operation> operations = new ArrayList<>();
    private final List<Disturbance> disturbances = new ArrayList<>();
    private int numbers;

    private static final class Draft {
        int worker;
        String lock = "a";
        long asked;
        long queued;
        long got;
        long none;
        long token;
        long alive;
        long over;
        long lost;
        long leaving;
    }

    private interface Change {
        void to(Draft draft);
    }

    /** Times count from 1,000, so that none is 0, which stands for never. */
    private void operation(Change change) {
        Draft draft = new Draft();
        change.to(draft);
        operations.add(new Operation(
                draft.worker,
                ++numbers,
                draft.lock,
                at(draft.asked),
                at(draft.queued),
                at(draft.got),
                at(draft.none),
                draft.none == 0 ? "" : "TimedOut",
                draft.token,
                at(draft.alive),
                at(draft.over),
                at(draft.lost),
                at(draft.leaving),
                0,
                ""));
    }

    /** A hold that is sure from the first time to the second. */
    private void hold(int worker, long got, long until, long token) {
        operation(draft -> {
            draft.worker = worker;
            draft.asked = got - 1;
            draft.got = got;
            draft.alive = until;
            draft.leaving = until;
            draft.token = token;
        });
    }

    private void disturbance(String what, long from, long to, int worker, boolean fatal) {
        disturbances.add(new Disturbance(what, at(from), at(to), worker, fatal));
    }

    private static long at(long millis) {
        return millis * MILLI;
    }

    private History history() {
        return new History(operations, disturbances, at(100_000));
    }

    // ---- exclusion

    @Test
    void exclusion_holdsOneAfterTheOther_isKept() {
        hold(0, 1_000, 1_100, 1);
        hold(1, 1_101, 1_200, 2);
        assertEquals(List.of(), Checks.exclusion(history()));
    }

    @Test
    void exclusion_holdsTogether_isBroken() {
        hold(0, 1_000, 1_100, 1);
        hold(1, 1_050, 1_060, 2);
        assertEquals(1, Checks.exclusion(history()).size());
    }

    @Test
    void exclusion_shortHoldsWithinALongOne_areAllFound() {
        hold(0, 1_000, 2_000, 1);
        hold(1, 1_100, 1_110, 2);
        hold(2, 1_900, 1_910, 3);
        assertEquals(2, Checks.exclusion(history()).size());
    }

    @Test
    void exclusion_holdThatIsNotSure_saysNothing() {
        operation(draft -> {
            draft.asked = 1_000;
            draft.got = 1_001;
            draft.over = 9_000;
        });
        hold(1, 5_000, 5_100, 2);
        assertEquals(List.of(), Checks.exclusion(history()));
    }

    @Test
    void exclusion_ofOtherLocks_saysNothing() {
        hold(0, 1_000, 1_100, 1);
        operation(draft -> {
            draft.lock = "b";
            draft.asked = 1_000;
            draft.got = 1_001;
            draft.alive = 1_100;
        });
        assertEquals(List.of(), Checks.exclusion(history()));
    }

    // ---- tokens

    @Test
    void tokens_thatRise_areRight() {
        hold(0, 1_000, 1_100, 1);
        hold(1, 1_200, 1_300, 2);
        assertEquals(List.of(), Checks.tokens(history()));
    }

    @Test
    void tokens_thatFallOrRepeat_areFound() {
        hold(0, 1_000, 1_100, 5);
        hold(1, 1_200, 1_300, 4);
        hold(1, 1_400, 1_500, 5);
        assertEquals(2, Checks.tokens(history()).size());
    }

    @Test
    void tokens_ofRequestsThatOverlap_mayStandInAnyOrder() {
        operation(draft -> {
            draft.asked = 1_000;
            draft.got = 1_500;
            draft.token = 7;
        });
        operation(draft -> {
            draft.asked = 1_001;
            draft.got = 1_400;
            draft.token = 8;
        });
        assertEquals(List.of(), Checks.tokens(history()));
    }

    // ---- order

    private void waiter(int worker, long asked, long queued, long got, long token) {
        operation(draft -> {
            draft.worker = worker;
            draft.asked = asked;
            draft.queued = queued;
            draft.got = got;
            draft.token = token;
        });
    }

    @Test
    void order_laterOneGrantedFirst_isFound() {
        waiter(0, 1_000, 1_010, 1_500, 9);
        waiter(1, 1_020, 1_030, 1_400, 8);
        assertEquals(1, Checks.order(history()).size());
    }

    @Test
    void order_overtakenByOneThatDidNotWait_isFound() {
        waiter(0, 1_000, 1_010, 1_500, 9);
        waiter(1, 1_020, 0, 1_025, 8);
        assertEquals(1, Checks.order(history()).size());
    }

    @Test
    void order_askedBeforeTheOtherWasKnownToBeQueued_saysNothing() {
        waiter(0, 1_000, 1_030, 1_500, 9);
        waiter(1, 1_020, 1_040, 1_400, 8);
        assertEquals(List.of(), Checks.order(history()));
    }

    @Test
    void order_ofADisturbedWaiter_saysNothing() {
        waiter(0, 1_000, 1_010, 1_500, 9);
        waiter(1, 1_020, 1_030, 1_400, 8);
        disturbance("freeze", 1_100, 1_200, 0, false);
        assertEquals(List.of(), Checks.order(history()));
    }

    @Test
    void order_asTheyCame_isRight() {
        waiter(0, 1_000, 1_010, 1_400, 8);
        waiter(1, 1_020, 1_030, 1_500, 9);
        assertEquals(List.of(), Checks.order(history()));
    }

    // ---- losses

    private void over(long over, long lost) {
        operation(draft -> {
            draft.asked = 1_000;
            draft.got = 1_001;
            draft.over = over;
            draft.lost = lost;
        });
    }

    @Test
    void losses_toldAtOnce_areRight() {
        over(2_000, 2_010);
        assertEquals(List.of(), Checks.losses(history(), SECOND));
    }

    @Test
    void losses_toldLateOrNever_areFound() {
        over(2_000, 4_000);
        over(2_000, 0);
        assertEquals(2, Checks.losses(history(), SECOND).size());
    }

    @Test
    void losses_ofAProcessThatStoodStillOrDied_sayNothing() {
        over(2_000, 4_000);
        disturbance("freeze", 1_900, 3_990, 0, false);
        assertEquals(List.of(), Checks.losses(history(), SECOND));
        disturbances.clear();
        disturbance("kill", 2_500, 2_500, 0, true);
        assertEquals(List.of(), Checks.losses(history(), SECOND));
    }

    // ---- outcomes

    @Test
    void outcomes_requestWithoutOne_isFoundUnlessItsProcessDied() {
        operation(draft -> draft.asked = 1_000);
        assertEquals(1, Checks.outcomes(history()).size());
        disturbance("kill", 2_500, 2_500, 0, true);
        assertEquals(List.of(), Checks.outcomes(history()));
    }

    // ---- liveness

    @Test
    void liveness_lockStandsIdleWhileSomebodyWaits_isFound() {
        hold(0, 1_000, 1_100, 1);
        waiter(1, 1_050, 1_060, 5_000, 2);
        assertEquals(
                1, Checks.liveness(history(), SECOND, Duration.ofSeconds(2)).size());
    }

    @Test
    void liveness_nobodyWaits_isKept() {
        hold(0, 1_000, 1_100, 1);
        waiter(1, 4_999, 0, 5_000, 2);
        assertEquals(List.of(), Checks.liveness(history(), SECOND, SECOND));
    }

    @Test
    void liveness_afterAFault_hasTheBoundForThat() {
        hold(0, 1_000, 9_000, 1); // but it is killed at 2,000
        waiter(1, 1_050, 1_060, 5_000, 2);
        disturbance("kill", 2_000, 2_000, 0, true);
        assertEquals(List.of(), Checks.liveness(history(), SECOND, Duration.ofMillis(3_001)));
        assertEquals(
                1, Checks.liveness(history(), SECOND, Duration.ofMillis(2_999)).size());
        assertEquals(Map.of("kill", Duration.ofSeconds(3)), Checks.recoveries(history()));
    }

    @Test
    void liveness_afterAFaultOfAll_countsFromItsEnd() {
        hold(0, 1_000, 1_100, 1);
        waiter(1, 1_050, 1_060, 5_000, 2);
        disturbance("freeze", 1_050, 4_500, Disturbance.ALL, false);
        assertEquals(List.of(), Checks.liveness(history(), SECOND, Duration.ofMillis(501)));
        assertEquals(Map.of("freeze", Duration.ofMillis(500)), Checks.recoveries(history()));
    }

    @Test
    void liveness_onlyTheDeadWait_isKept() {
        hold(0, 1_000, 1_100, 1);
        waiter(1, 1_050, 1_060, 0, 0);
        disturbance("kill", 1_080, 1_080, 1, true);
        assertEquals(List.of(), Checks.liveness(history(), SECOND, SECOND));
    }

    // ---- the guarded resource

    @Test
    void ledger_eachWroteOnWhatItRead_losesNothing() {
        assertEquals(0, Ledger.lostUpdates(List.of(new Write(0, 1), new Write(1, 2), new Write(2, 3))));
    }

    @Test
    void ledger_twoReadTheSame_losesOne() {
        List<Write> writes = List.of(new Write(0, 1), new Write(1, 2), new Write(1, 2), new Write(2, 3));
        assertEquals(1, Ledger.lostUpdates(writes));
        assertEquals(1, Ledger.check("a", writes).size());
    }

    @Test
    void ledger_lateWriteOverSeveral_isFound() {
        assertEquals(
                2, Ledger.lostUpdates(List.of(new Write(0, 1), new Write(1, 2), new Write(0, 1), new Write(2, 3))));
    }
}
