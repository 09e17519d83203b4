package io.holdfast.faults.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.faults.history.History.Disturbance;
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
        Want want = Want.ALONE;
        long asked;
        long queued;
        long got;
        long none;
        long token;
        List<Integer> slots = List.of();
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
                draft.want,
                at(draft.asked),
                at(draft.queued),
                at(draft.got),
                at(draft.none),
                draft.none == 0 ? "" : "TimedOut",
                draft.token,
                draft.slots,
                at(draft.alive),
                at(draft.over),
                at(draft.lost),
                at(draft.leaving),
                0,
                "",
                List.of()));
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

    /** The same of a lock that several may hold; for nothing else does it matter what is asked for. */
    private void hold(Want want, long got, long until, long token) {
        operation(draft -> {
            draft.want = want;
            draft.asked = got - 1;
            draft.got = got;
            draft.alive = until;
            draft.leaving = until;
            draft.token = token;
        });
    }

    @Test
    void exclusion_readersTogether_isKept() {
        hold(Want.SHARED, 1_000, 1_100, 1);
        hold(Want.SHARED, 1_050, 1_150, 1);
        hold(Want.ALONE, 1_151, 1_160, 2);
        assertEquals(List.of(), Checks.exclusion(history()));
    }

    @Test
    void exclusion_writerBesideReaders_isBrokenOnce() {
        hold(Want.SHARED, 1_000, 1_100, 1);
        hold(Want.SHARED, 1_010, 1_200, 1);
        hold(Want.ALONE, 1_050, 1_060, 2);
        assertEquals(1, Checks.exclusion(history()).size());
    }

    @Test
    void exclusion_readersBesideAWriter_isBrokenByEach() {
        hold(Want.ALONE, 1_000, 1_100, 1);
        hold(Want.SHARED, 1_050, 1_060, 2);
        hold(Want.SHARED, 1_055, 1_070, 2);
        assertEquals(2, Checks.exclusion(history()).size());
    }

    @Test
    void exclusion_writerBesideAReaderThatOutlastsTheOthers_isBroken() {
        hold(Want.SHARED, 1_000, 1_500, 1);
        hold(Want.SHARED, 1_010, 1_020, 1);
        hold(Want.ALONE, 1_400, 1_410, 2);
        assertEquals(1, Checks.exclusion(history()).size());
    }

    @Test
    void exclusion_asManyPermitsAsThereAre_isKept() {
        hold(Want.permits(3, 4), 1_000, 1_100, 1);
        hold(Want.permits(1, 4), 1_050, 1_150, 2);
        hold(Want.permits(3, 4), 1_101, 1_150, 3);
        assertEquals(List.of(), Checks.exclusion(history()));
    }

    @Test
    void exclusion_onePermitTooMany_isBroken() {
        hold(Want.permits(2, 4), 1_000, 1_100, 1);
        hold(Want.permits(2, 4), 1_010, 1_200, 2);
        hold(Want.permits(1, 4), 1_100, 1_150, 3);
        assertEquals(1, Checks.exclusion(history()).size());
    }

    @Test
    void exclusion_slotOfTwoHolds_isBroken() {
        slots(List.of(0), 1_000, 1_100);
        slots(List.of(1, 2), 1_010, 1_200);
        slots(List.of(0), 1_101, 1_300);
        assertEquals(List.of(), Checks.exclusion(history()));
        slots(List.of(2), 1_150, 1_300);
        assertEquals(1, Checks.exclusion(history()).size());
    }

    private void slots(List<Integer> slots, long got, long until) {
        operation(draft -> {
            draft.want = Want.permits(slots.size(), 4).withSlots();
            draft.slots = slots;
            draft.asked = got - 1;
            draft.got = got;
            draft.alive = until;
        });
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

    @Test
    void tokens_readersThatShareOne_areRight() {
        hold(Want.ALONE, 1_000, 1_100, 1);
        hold(Want.SHARED, 1_200, 1_300, 2);
        hold(Want.SHARED, 1_250, 1_350, 2);
        hold(Want.ALONE, 1_400, 1_500, 3);
        assertEquals(List.of(), Checks.tokens(history()));
    }

    @Test
    void tokens_readerWithThatOfTheWriterBefore_isFound() {
        hold(Want.ALONE, 1_000, 1_100, 1);
        hold(Want.SHARED, 1_200, 1_300, 1);
        assertEquals(1, Checks.tokens(history()).size());
    }

    @Test
    void tokens_writerWithThatOfReadersBefore_isFound() {
        hold(Want.SHARED, 1_000, 1_100, 1);
        hold(Want.ALONE, 1_200, 1_300, 1);
        assertEquals(1, Checks.tokens(history()).size());
    }

    @Test
    void tokens_readerBelowReadersBefore_isFound() {
        hold(Want.SHARED, 1_000, 1_100, 2);
        hold(Want.SHARED, 1_200, 1_300, 1);
        List<Violation> found = Checks.tokens(history());
        assertEquals(1, found.size());
        assertEquals(Checks.PHASES, found.get(0).check(), "older data may have brought those back whom it joins");
    }

    @Test
    void tokens_writerBelowReadersBefore_isFound() {
        hold(Want.SHARED, 1_000, 1_100, 2);
        hold(Want.ALONE, 1_200, 1_300, 1);
        List<Violation> found = Checks.tokens(history());
        assertEquals(1, found.size());
        assertEquals("tokens", found.get(0).check());
    }

    // ---- phases

    @Test
    void phases_readersTogetherWithOneToken_areRight() {
        hold(Want.SHARED, 1_000, 1_100, 1);
        hold(Want.SHARED, 1_050, 1_150, 1);
        hold(Want.SHARED, 1_151, 1_200, 2); // nobody read in between
        assertEquals(List.of(), Checks.phases(history()));
    }

    @Test
    void phases_readersTogetherWithTwoTokens_areFound() {
        hold(Want.SHARED, 1_000, 1_100, 1);
        hold(Want.SHARED, 1_050, 1_150, 2);
        assertEquals(1, Checks.phases(history()).size());
    }

    @Test
    void phases_tokenOfTwoWritersOrOfAReaderAndAWriter_isFound() {
        hold(Want.ALONE, 1_000, 1_100, 1);
        hold(Want.ALONE, 1_200, 1_300, 1);
        hold(Want.SHARED, 1_400, 1_500, 1);
        assertEquals(2, Checks.phases(history()).size());
    }

    // ---- pauses

    @Test
    void pauses_grantOfBefore_isKept() {
        disturbances.add(new Disturbance("pause", at(2_000), at(4_000), Disturbance.ALL, false));
        hold(0, 1_900, 2_500, 1);
        waiter(0, 1_800, 1_801, 2_100, 2); // its answer was under way
        waiter(0, 1_800, 1_801, 4_001, 3);
        assertEquals(List.of(), Checks.pauses(history(), "a"));
    }

    @Test
    void pauses_grantMeanwhile_isBroken() {
        disturbances.add(new Disturbance("pause", at(2_000), at(4_000), Disturbance.ALL, false));
        waiter(0, 2_001, 2_002, 2_003, 1);
        waiter(0, 1_800, 1_801, 3_000, 2);
        assertEquals(2, Checks.pauses(history(), "a").size());
    }

    @Test
    void order_acrossAPause_isKept() {
        disturbances.add(new Disturbance("pause", at(1_070), at(4_000), Disturbance.ALL, false));
        waiter(0, 1_050, 1_051, 5_000, 2);
        waiter(1, 1_100, 1_101, 5_000, 1);
        assertEquals(1, Checks.order(history()).size());
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
    void order_overtakenByOneOfAnotherGroup_saysNothing() {
        queued(Want.permits(1, 4).withGroup("one"), 1_050, 2);
        queued(Want.permits(1, 4).withGroup("two"), 1_100, 1);
        assertEquals(List.of(), Checks.order(history()));
        queued(Want.permits(1, 4).withGroup("one"), 1_100, 1);
        assertEquals(1, Checks.order(history()).size());
    }

    /** Queued at once, and granted at a time when all are. */
    private void queued(Want want, long asked, int token) {
        operation(draft -> {
            draft.want = want;
            draft.asked = asked;
            draft.queued = asked + 1;
            draft.got = 1_500;
            draft.token = token;
        });
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

    private void waiter(Want want, long asked, long got) {
        operation(draft -> {
            draft.want = want;
            draft.asked = asked;
            draft.got = got;
        });
    }

    @Test
    void liveness_readerWaitsForAWriterBehindReaders_isKept() {
        hold(Want.SHARED, 1_000, 5_000, 1);
        waiter(Want.ALONE, 1_050, 5_001);
        waiter(Want.SHARED, 1_060, 5_002);
        assertEquals(List.of(), Checks.liveness(history(), SECOND, SECOND));
    }

    @Test
    void liveness_onlyReadersWaitBesideAReader_isFound() {
        hold(Want.SHARED, 1_000, 5_000, 1);
        waiter(Want.SHARED, 1_060, 5_002);
        assertEquals(1, Checks.liveness(history(), SECOND, SECOND).size());
    }

    @Test
    void liveness_permitsAreFreeForWhoeverWaits_isFound() {
        hold(Want.permits(2, 4), 1_000, 5_000, 1);
        waiter(Want.permits(2, 4), 1_060, 5_002);
        waiter(Want.permits(1, 4), 1_070, 5_003);
        assertEquals(1, Checks.liveness(history(), SECOND, SECOND).size());
    }

    @Test
    void liveness_tooFewPermitsForOneThatMayBeFirst_isKept() {
        hold(Want.permits(2, 4), 1_000, 5_000, 1);
        waiter(Want.permits(3, 4), 1_060, 5_002);
        waiter(Want.permits(1, 4), 1_070, 5_003);
        assertEquals(List.of(), Checks.liveness(history(), SECOND, SECOND));
    }
}
