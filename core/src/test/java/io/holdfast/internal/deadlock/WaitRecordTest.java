package io.holdfast.internal.deadlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.deadlock.Deadlocks.Keeps;
import io.holdfast.internal.deadlock.Deadlocks.Standing;
import io.holdfast.internal.deadlock.Deadlocks.Wants;
import io.holdfast.internal.wire.Asked;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class WaitRecordTest {
    private static final WaitRecord WRITTEN = new WaitRecord(
            3,
            7,
            List.of(
                    new WaitRecord.Flow(
                            "=an actor\nof two lines",
                            "application/host/1/actor",
                            new Standing(
                                    Set.of(new Wants("c.0-1", "hf:{a b}", Asked.permits(2, 3), true, false, 4)),
                                    Set.of(new Keeps("c.0-2", 17, "hf:{%rw: c }", 5)))),
                    new WaitRecord.Flow(
                            "1f",
                            "application/host/1/main",
                            new Standing(
                                    Set.of(new Wants("c.0-3", "hf:{a}", Asked.ALONE, false, true, 6)), Set.of()))));

    @Test
    void text_read_isTheSame() {
        assertEquals(WRITTEN, WaitRecord.read(WRITTEN.text()));
    }

    @Test
    void text_ofAnother_saysNothing() {
        for (String text : List.of("", "1", "2 3 7", "1 x 7", "1 3 7\nw c", "1 3 7\nw c X:1:0 1 1 4 hf:{a}", "hello")) {
            assertEquals(WaitRecord.NONE, WaitRecord.read(text), text);
        }
        assertEquals(WaitRecord.NONE, WaitRecord.read(null));
    }

    @Test
    void text_ofTooMany_leavesWholeFlowsOut() {
        WaitRecord many =
                new WaitRecord(1, 1, Collections.nCopies(2_000, WRITTEN.flows().get(0)));
        List<WaitRecord.Flow> read = WaitRecord.read(many.text()).flows();
        assertEquals(333, read.size());
        assertTrue(read.stream().allMatch(WRITTEN.flows().get(0)::equals));
    }

    @Test
    void later_isTwoNumbersOnInTheSameRun() {
        assertFalse(new WaitRecord(3, 8, List.of()).isAfter(WRITTEN));
        assertTrue(new WaitRecord(3, 9, List.of()).isAfter(WRITTEN));
        assertFalse(new WaitRecord(4, 9, List.of()).isAfter(WRITTEN));
    }
}
