package io.holdfast.faults.campaign;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class MachineWatchTest {
    @Test
    void stolen_linesOfTheKernel_areReadForEachCore() {
        List<String> lines = List.of(
                "cpu  1535851 85131 210438 2021914 2090 0 14640 1575 0 0",
                "cpu0 764396 42407 103224 1017437 392 0 7052 782 0 0",
                "cpu1 771454 42723 107214 1004477 1698 0 7587 793 0 0",
                "intr 1 2 3 4 5 6 7 8 9");
        assertArrayEquals(new long[] {782, 793}, MachineWatch.stolen(lines));
        assertArrayEquals(new long[] {0}, MachineWatch.stolen(List.of("cpu0 1 2 3 4")));
        assertArrayEquals(new long[0], MachineWatch.stolen(List.of()));
    }
}
