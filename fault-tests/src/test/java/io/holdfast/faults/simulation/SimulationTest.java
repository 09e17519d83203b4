package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.holdfast.faults.simulation.Plan.Kind;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole runs: the same seeds each time, and one that nobody has seen. */
class SimulationTest {
    @ParameterizedTest
    @EnumSource
    void run_knownSeeds_findNothing(Kind kind) {
        findNothing(seed -> Plan.draw(kind, seed), Breaks.mostSeeds(kind));
    }

    @ParameterizedTest
    @EnumSource
    void run_freshSeed_findsNothing(Kind kind) {
        findNothingNew(seed -> Plan.draw(kind, seed));
    }

    @ParameterizedTest
    @EnumSource(names = "QUORUM", mode = EnumSource.Mode.EXCLUDE)
    void run_sameSeed_isTheSameRun(Kind kind) {
        assertSameRuns(seed -> Plan.draw(kind, seed), 20);
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

    /** The same seeds each time. */
    static void findNothing(LongFunction<? extends Drawn> draw, long seeds) {
        for (long seed = 1; seed <= seeds; seed++) {
            find(draw.apply(seed));
        }
    }

    /** A seed that nobody has seen. */
    static void findNothingNew(LongFunction<? extends Drawn> draw) {
        long seed = new SecureRandom().nextLong() >>> 16;
        Drawn plan = draw.apply(seed);
        System.out.println("fresh seed: --plan " + plan.name() + " --replay " + seed);
        find(plan);
    }

    static void assertSameRuns(LongFunction<? extends Drawn> draw, long seeds) {
        for (long seed = 1; seed <= seeds; seed++) {
            assertSameRun(draw.apply(seed), draw.apply(seed));
        }
    }

    private static void assertSameRun(Drawn once, Drawn again) {
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
