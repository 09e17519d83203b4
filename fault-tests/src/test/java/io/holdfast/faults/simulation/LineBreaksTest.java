package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.faults.simulation.Breaks.Break;
import io.holdfast.faults.simulation.LinePlan.Kind;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs of read/write locks and semaphores find nothing, and find what is broken on purpose. */
class LineBreaksTest {
    @ParameterizedTest
    @EnumSource
    void run_knownSeeds_findNothing(Kind kind) {
        SimulationTest.findNothing(seed -> LinePlan.draw(kind, seed), LineBreaks.mostSeeds(kind));
    }

    @ParameterizedTest
    @EnumSource
    void run_freshSeed_findsNothing(Kind kind) {
        SimulationTest.findNothingNew(seed -> LinePlan.draw(kind, seed));
    }

    @ParameterizedTest
    @EnumSource
    void run_sameSeed_isTheSameRun(Kind kind) {
        SimulationTest.assertSameRuns(seed -> LinePlan.draw(kind, seed), 5);
    }

    @Test
    void command_lines_exitsWithZeroAndTellsHowManySteps() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertEquals(0, SimulationTest.run(out, "--plan", "lines", "--seeds", "1..2"));
        assertEquals("lines: 2 runs", out.toString(StandardCharsets.UTF_8).substring(0, 13));
    }

    @ParameterizedTest
    @MethodSource("breaks")
    void firstFinding_brokenProduct_isOfACheckThatIsMeantForIt(Break broken) {
        BrokenProduct.assertFoundBy(broken.by(), broken, broken.firstFinding());
    }

    static List<Break> breaks() {
        return LineBreaks.all();
    }
}
