package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.holdfast.faults.simulation.Plan.Kind;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole runs: the same seeds each time, and one that nobody has seen. */
class SimulationTest {
    @ParameterizedTest
    @EnumSource
    void run_knownSeeds_findNothing(Kind kind) {
        for (long seed = 1; seed <= Breaks.mostSeeds(kind); seed++) {
            find(Plan.draw(kind, seed));
        }
    }

    @ParameterizedTest
    @EnumSource
    void run_freshSeed_findsNothing(Kind kind) {
        long seed = new SecureRandom().nextLong() >>> 16;
        System.out.println("fresh seed: --plan " + kind + " --replay " + seed);
        find(Plan.draw(kind, seed));
    }

    @ParameterizedTest
    @EnumSource(names = "QUORUM", mode = EnumSource.Mode.EXCLUDE)
    void run_sameSeed_isTheSameRun(Kind kind) {
        for (long seed = 1; seed <= 20; seed++) {
            assertSameRun(Plan.draw(kind, seed), Plan.draw(kind, seed));
        }
    }

    @Test
    void run_otherSeed_isAnotherRun() {
        assertNotEquals(
                Plan.draw(Kind.INSIDE, 1).run().trace().sum(),
                Plan.draw(Kind.INSIDE, 2).run().trace().sum());
    }

    @Test
    void command_seeds_exitsWithZeroAndTellsHowManySteps() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertEquals(0, run(out, "--plan", "inside", "--seeds", "1..3"));
        assertEquals("inside: 3 runs", out.toString(StandardCharsets.UTF_8).substring(0, 14));
    }

    @Test
    void command_wrongArguments_exitsWith64() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertEquals(64, run(out, "--plan", "sideways"));
        assertEquals(64, run(out, "--seeds", "one..two"));
        assertEquals(64, run(out, "--nothing"));
    }

    static int run(ByteArrayOutputStream out, String... args) {
        PrintStream both = new PrintStream(out, true, StandardCharsets.UTF_8);
        return Simulation.run(both, both, args);
    }

    static void assertSameRun(Drawn once, Drawn again) {
        Trace first = once.run().trace();
        Trace second = again.run().trace();
        assertEquals(first.last(), second.last());
        assertEquals(first.sum(), second.sum());
        assertEquals(first.lines(), second.lines());
    }

    static void find(Drawn plan) {
        Outcome outcome = plan.run();
        if (outcome.finding() != null) {
            assertNull(outcome.finding(), Simulation.report(outcome));
        }
    }
}
