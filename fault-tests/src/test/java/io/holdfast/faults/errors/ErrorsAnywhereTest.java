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
    /** What no error may lead to, wherever it comes. */
    private static final Set<String> NEVER = Set.of("EXCLUSION", "VALID", "ALIVE", "MONITOR", "CLOSE");

    /**
     * Classes with lines at which an error may yet leave a request that does not end, or a count that is wrong: most are between two
     * steps of which neither needs memory or stack, or are of a quorum. The list may only become shorter, as may the number.
     */
    private static final Set<String> OPEN = Set.of(
            "Calls",
            "Candidacy",
            "HoldfastClosedException",
            "JavaLock",
            "NodeFailure",
            "QuorumOptions",
            "ServerUnreachableException",
            "internal.polled.PolledRequest",
            "internal.quorum.Ballot",
            "internal.quorum.Ballot$Seat",
            "internal.quorum.BallotGrant",
            "internal.quorum.QuorumClient",
            "internal.quorum.QuorumPoll",
            "internal.wire.Deadlines",
            "internal.wire.Refusals",
            "internal.wire.Server",
            "internal.wire.ServerClock");

    private static final int MOST_OPEN = 160;

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
        assertNothingNew(found);
        assertTrue(known.size() > 3_000, "few lines are reached: " + known.size());
    }

    private static void assertNothingNew(List<Finding> found) {
        List<Finding> fresh = found.stream()
                .filter(each -> NEVER.contains(each.check()) || !OPEN.contains(classOf(each)))
                .toList();
        assertEquals("", ErrorsAnywhere.report(fresh));
        assertTrue(found.size() <= MOST_OPEN, () -> "more than before: " + ErrorsAnywhere.report(found));
    }

    private static String classOf(Finding finding) {
        String place = finding.step().place();
        return place.substring("io.holdfast.".length(), place.indexOf(':'));
    }
}
