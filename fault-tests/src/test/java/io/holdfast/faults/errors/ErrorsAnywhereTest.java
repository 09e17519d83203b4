package io.holdfast.faults.errors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.faults.errors.ErrorRuns.Finding;
import io.holdfast.faults.errors.ErrorRuns.Step;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An Error at any line of the engine, once: every request ends, no lock stays held, every client works on. */
final class ErrorsAnywhereTest {
    private static final ErrorRuns RUNS = new ErrorRuns();

    @BeforeAll
    static void quiet() {
        ErrorsAnywhere.quiet();
    }

    @Test
    void withoutError_nothingIsFound() {
        StringBuilder found = new StringBuilder();
        for (String play : RUNS.plays()) {
            for (String callbacks : ErrorsAnywhere.CALLBACKS) {
                List<String> violations = RUNS.undisturbed(play, callbacks);
                if (!violations.isEmpty()) {
                    found.append(play)
                            .append(' ')
                            .append(callbacks)
                            .append(": ")
                            .append(violations)
                            .append('\n');
                }
            }
        }
        assertEquals("", found.toString());
    }

    /** Each line that a play reaches, at its first hit in the first such play. */
    @Test
    void anyLine_once() {
        Set<String> known = new HashSet<>();
        List<Finding> found = new ArrayList<>();
        for (String play : RUNS.plays()) {
            for (Step step : RUNS.steps(play, "AT_ONCE")) {
                if (known.add(step.place())) {
                    found.addAll(RUNS.findings(step));
                }
            }
        }
        System.out.println("an Error at each of " + known.size() + " lines");
        assertEquals("", ErrorsAnywhere.report(found));
        assertTrue(known.size() > 3_000, "few lines are reached: " + known.size());
    }
}
