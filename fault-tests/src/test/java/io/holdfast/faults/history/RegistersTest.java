package io.holdfast.faults.history;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.faults.history.Ledger.Write;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is found in reads and writes of what a lock guards. Times are in milliseconds here. */
final class RegistersTest {
    private final List<Operation> operations = new ArrayList<>();

    private static long at(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    private static Access read(String register, long value, long begin) {
        return new Access(register, false, value, at(begin), at(begin + 1), false);
    }

    private static Access written(String register, long value, long begin) {
        return new Access(register, true, value, at(begin), at(begin + 1), false);
    }

    private void section(Want want, long got, long until, Access... accesses) {
        operations.add(new Operation(
                0,
                operations.size() + 1,
                "a",
                want,
                at(got - 1),
                0,
                at(got),
                0,
                "",
                0,
                List.of(),
                at(until),
                0,
                0,
                0,
                0,
                "",
                List.of(accesses)));
    }

    private int stale(String register) {
        return Registers.reads(new History(operations, List.of(), at(100_000)), register)
                .size();
    }

    @Test
    void reads_ofTheLastWrite_areRight() {
        section(Want.SHARED, 900, 990, read(Registers.FENCED, 0, 910), read(Registers.FENCED, 0, 980));
        section(Want.ALONE, 1_000, 1_100, written(Registers.FENCED, 1, 1_090));
        section(Want.ALONE, 1_200, 1_300, written(Registers.FENCED, 2, 1_290));
        section(Want.SHARED, 1_400, 1_500, read(Registers.FENCED, 2, 1_410), read(Registers.FENCED, 2, 1_490));
        assertEquals(0, stale(Registers.FENCED));
    }

    @Test
    void reads_ofAWriteThatCameAfterItsHold_areFound() {
        section(Want.ALONE, 1_000, 1_100, written(Registers.PLAIN, 7, 1_350));
        section(Want.ALONE, 1_200, 1_300, written(Registers.PLAIN, 2, 1_290));
        section(Want.SHARED, 1_400, 1_500, read(Registers.PLAIN, 7, 1_410));
        assertEquals(1, stale(Registers.PLAIN));
        assertEquals(0, stale(Registers.FENCED));
    }

    @Test
    void reads_ofTheBeginningAfterAWrite_areFound() {
        section(Want.ALONE, 1_000, 1_100, written(Registers.FENCED, 1, 1_090));
        section(Want.SHARED, 1_400, 1_500, read(Registers.FENCED, 0, 1_410));
        assertEquals(1, stale(Registers.FENCED));
    }

    @Test
    void reads_ofWhatNobodyHadWritten_areFound() {
        section(Want.SHARED, 1_000, 1_100, read(Registers.FENCED, 1, 1_010));
        section(Want.ALONE, 1_200, 1_300, written(Registers.FENCED, 1, 1_290));
        assertEquals(1, stale(Registers.FENCED));
    }

    @Test
    void reads_besideTheWrite_mayBeOfEither() {
        section(Want.ALONE, 1_000, 1_100, written(Registers.FENCED, 1, 1_090));
        section(Want.ALONE, 1_200, 1_300, written(Registers.FENCED, 2, 1_290));
        section(Want.SHARED, 1_210, 1_291, read(Registers.FENCED, 1, 1_290));
        section(Want.SHARED, 1_211, 1_292, read(Registers.FENCED, 2, 1_290));
        assertEquals(0, stale(Registers.FENCED));
    }

    @Test
    void reads_ofAWriteWhoseAnswerIsUnknown_areRight() {
        section(Want.ALONE, 1_000, 1_080, new Access(Registers.FENCED, true, 1, at(1_090), 0, false));
        section(Want.SHARED, 1_400, 1_500, read(Registers.FENCED, 1, 1_410));
        section(Want.SHARED, 1_400, 1_500, read(Registers.FENCED, 0, 1_410));
        assertEquals(0, stale(Registers.FENCED));
    }

    @Test
    void reads_thatDifferInOneSection_areFoundWhereTheyWereGuarded() {
        section(Want.SHARED, 1_000, 1_500, read(Registers.FENCED, 0, 1_010), read(Registers.FENCED, 1, 1_480));
        section(Want.SHARED, 1_000, 1_500, read(Registers.PLAIN, 0, 1_010), read(Registers.PLAIN, 1, 1_480));
        section(Want.SHARED, 1_000, 1_470, read(Registers.PLAIN, 0, 1_010), read(Registers.PLAIN, 1, 1_480));
        section(Want.ALONE, 1_100, 1_300, written(Registers.FENCED, 1, 1_250), written(Registers.PLAIN, 1, 1_250));
        assertEquals(1, stale(Registers.FENCED));
        assertEquals(1, stale(Registers.PLAIN)); // the second of the readers of it was not sure of its lease
    }

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
