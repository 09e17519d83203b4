package io.holdfast.faults.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.faults.history.History.Disturbance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The check of work that is done once fails where it has to, and nowhere else. Times are in milliseconds here. */
final class OnceChecksTest {
    private static final String RECORDED = "RELEASED";

    private final List<Operation> operations = new ArrayList<>();
    private final List<Disturbance> disturbances = new ArrayList<>();

    /** Work from the first time to the second. */
    private void work(int from, int to, String result) {
        add(from, from + 1, 0, "", to, result.isEmpty() ? 0 : to + 1, result);
    }

    /** A call that is told that the work is done. */
    private void told(int at) {
        add(at - 10, 0, at, "DONE", 0, 0, "");
    }

    private void add(int asked, int got, int none, String outcome, int leaving, int left, String result) {
        operations.add(new Operation(
                0,
                operations.size() + 1,
                "a",
                Want.ALONE,
                nanos(asked),
                0,
                nanos(got),
                nanos(none),
                outcome,
                got,
                List.of(),
                nanos(leaving),
                0,
                0,
                nanos(leaving),
                nanos(left),
                result,
                List.of()));
    }

    private static long nanos(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    private List<String> found() {
        return Checks.once(new History(operations, disturbances, nanos(100_000))).stream()
                .map(each -> each.what().replaceAll("operation (\\d+) of process 0 on a(, token \\d+)?", "$1"))
                .toList();
    }

    @Test
    void once_workThatFailsAndWorkThatIsRecorded_isKept() {
        work(1_000, 1_100, Operation.FAILED);
        work(1_200, 1_300, RECORDED);
        told(1_301);
        told(2_000);
        assertEquals(List.of(), found());
    }

    @Test
    void once_twoRecords_isBroken() {
        work(1_000, 1_300, RECORDED);
        work(1_200, 1_400, RECORDED);
        assertEquals(List.of("2 and 1 were both recorded"), found());
    }

    @Test
    void once_workThatIsAskedForAfterARecord_isBroken() {
        work(1_000, 1_100, RECORDED);
        work(1_200, 1_300, Operation.FAILED);
        assertEquals(List.of("2 began after 1 was recorded"), found());
    }

    @Test
    void once_toldAsDoneBeforeAnybodyDidIt_isBroken() {
        told(1_050);
        work(1_000, 1_100, RECORDED);
        assertEquals(List.of("1 was told as done before anybody had done it"), found());
    }

    @Test
    void once_toldAsDoneByAProcessThatDiedSoon_isKept() {
        work(1_000, 1_100, ""); // killed while it recorded
        told(1_200);
        assertEquals(List.of(), found());
    }

    @Test
    void once_workThatIsLostThoughNothingHappened_isBroken() {
        work(10_000, 10_100, "ALREADY_GONE");
        assertEquals(List.of("1 was not recorded, but ALREADY_GONE"), found());
    }

    @Test
    void once_workThatIsLostToAFault_isKept() {
        work(10_000, 10_100, "ALREADY_GONE");
        disturbances.add(new Disturbance("freeze-process", nanos(10_050), nanos(10_090), 0, false));
        assertEquals(List.of(), found());
    }

    private List<String> undone() {
        return Checks.undone(new History(operations, disturbances, nanos(100_000)), Duration.ofSeconds(5)).stream()
                .map(each -> each.what().replaceAll("operation (\\d+) of process 0 on a", "$1"))
                .toList();
    }

    /** A call that ends without an answer to what it asked. */
    private void inVain(int from, int to) {
        add(from, 0, to, "TimedOut", 0, 0, "");
    }

    @Test
    void undone_callerWhoCouldHaveDoneIt_isFound() {
        inVain(10_000, 16_000);
        assertEquals(List.of("1 waited for 6000000 µs, and no process did it"), undone());
    }

    @Test
    void undone_doneByAnother_isKept() {
        inVain(10_000, 16_000);
        work(16_500, 16_600, RECORDED);
        assertEquals(List.of(), undone());
    }

    @Test
    void undone_anotherWasAtIt_isKept() {
        inVain(10_000, 16_000);
        work(12_000, 14_000, "ALREADY_GONE");
        assertEquals(List.of(), undone());
    }

    @Test
    void undone_callerThatStoodStill_isKept() {
        inVain(10_000, 16_000);
        disturbances.add(new Disturbance("freeze-process", nanos(10_050), nanos(10_090), 0, false));
        assertEquals(List.of(), undone());
    }
}
