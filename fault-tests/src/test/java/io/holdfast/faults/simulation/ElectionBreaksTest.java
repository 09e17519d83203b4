package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.faults.simulation.Breaks.Break;
import io.holdfast.faults.simulation.ElectionPlan.Kind;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs of elections find nothing, and find what is broken on purpose. */
class ElectionBreaksTest {
    @ParameterizedTest
    @EnumSource
    void run_knownSeeds_findNothing(Kind kind) {
        SimulationTest.findNothing(seed -> ElectionPlan.draw(kind, seed), ElectionBreaks.SEEDS);
    }

    @ParameterizedTest
    @EnumSource
    void run_freshSeed_findsNothing(Kind kind) {
        SimulationTest.findNothingNew(seed -> ElectionPlan.draw(kind, seed));
    }

    @ParameterizedTest
    @EnumSource(names = "QUORUM", mode = EnumSource.Mode.EXCLUDE) // whose renewals come in no fixed order
    void run_sameSeed_isTheSameRun(Kind kind) {
        SimulationTest.assertSameRuns(seed -> ElectionPlan.draw(kind, seed), 3);
    }

    @Test
    void command_elections_exitsWithZeroAndTellsHowManySteps() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertEquals(0, SimulationTest.run(out, "--plan", "elections", "--seeds", "1..2"));
        assertEquals("elections: 2 runs", out.toString(StandardCharsets.UTF_8).substring(0, 17));
    }

    @ParameterizedTest
    @MethodSource("breaks")
    void firstFinding_brokenProduct_isOfACheckThatIsMeantForIt(Break broken) {
        BrokenProduct.assertFoundBy(broken.by(), broken, broken.firstFinding());
    }

    static List<Break> breaks() {
        return ElectionBreaks.all();
    }
}
