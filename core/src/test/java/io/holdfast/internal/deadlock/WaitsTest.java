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

final class WaitsTest {
    private static final Waits WRITTEN = new Waits(
            3,
            7,
            List.of(
                    new Waits.Flow(
                            "=an actor\nof two lines",
                            "application/host/1/actor",
                            new Standing(
                                    Set.of(new Wants("c.0-1", "hf:{a b}", Asked.permits(2, 3), true, false, 4)),
                                    Set.of(new Keeps("c.0-2", 17, "hf:{%rw: c }", 5)))),
                    new Waits.Flow(
                            "1f",
                            "application/host/1/main",
                            new Standing(
                                    Set.of(new Wants("c.0-3", "hf:{a}", Asked.ALONE, false, true, 6)), Set.of()))));

    @Test
    void text_read_isTheSame() {
        assertEquals(WRITTEN, Waits.read(WRITTEN.text()));
    }

    @Test
    void text_ofAnother_saysNothing() {
        for (String text : List.of("", "1", "2 3 7", "1 x 7", "1 3 7\nw c", "1 3 7\nw c X:1:0 1 1 4 hf:{a}", "hello")) {
            assertEquals(Waits.NONE, Waits.read(text), text);
        }
        assertEquals(Waits.NONE, Waits.read(null));
    }

    @Test
    void text_ofTooMany_leavesWholeFlowsOut() {
        Waits many = new Waits(1, 1, Collections.nCopies(2_000, WRITTEN.flows().get(0)));
        List<Waits.Flow> read = Waits.read(many.text()).flows();
        assertEquals(333, read.size());
        assertTrue(read.stream().allMatch(WRITTEN.flows().get(0)::equals));
    }

    @Test
    void later_isTwoNumbersOnInTheSameRun() {
        assertFalse(new Waits(3, 8, List.of()).isAfter(WRITTEN));
        assertTrue(new Waits(3, 9, List.of()).isAfter(WRITTEN));
        assertFalse(new Waits(4, 9, List.of()).isAfter(WRITTEN));
    }
}
