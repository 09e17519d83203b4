package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Breaks.java;
import static io.holdfast.faults.simulation.SetRuns.Check.ALL;
import static io.holdfast.faults.simulation.SetRuns.Check.LIVENESS;
import static io.holdfast.faults.simulation.SetRuns.Check.ORPHAN;
import static io.holdfast.faults.simulation.SetRuns.Check.TERM;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.holdfast.faults.simulation.Breaks.Edit;
import io.holdfast.model.following.Follower;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs of sets find nothing, and find each rule of sets that is switched off. */
class SetBreaksTest {
    private static final int SEEDS = 60;

    /** @param by the checks that may find it */
    record Break(String name, Set<SetRuns.Check> by, List<Edit> edits) {
        @Override
        public String toString() {
            return name;
        }
    }

    @Test
    void firstFinding_nothingChanged_isNone() {
        String[] found = SetRuns.firstFinding(1, SEEDS, new Follower());
        assertNull(found, () -> Arrays.toString(found));
    }

    @ParameterizedTest
    @MethodSource("breaks")
    void firstFinding_ruleIsOff_isOfACheckThatIsMeantForIt(Break broken) {
        BrokenProduct.assertFoundBy(broken.by(), broken, new BrokenProduct(broken.edits()).firstSetFinding(1, SEEDS));
    }

    static List<Break> breaks() {
        return List.of(
                of(
                        "a set requests its locks in the caller's order",
                        EnumSet.of(LIVENESS),
                        java("LockSet", "locks.stream().sorted(ORDER).toList());", "List.copyOf(locks));")),
                of(
                        "a failed request for a set keeps the locks it obtained",
                        EnumSet.of(ORPHAN, LIVENESS),
                        java(
                                "internal/sets/SetRequest",
                                "after(giveBack(rest), (all, ignored) -> told.run());",
                                "told.run();")),
                of(
                        "a set that restarts after a loss keeps its other locks",
                        EnumSet.of(ORPHAN, LIVENESS),
                        java(
                                "internal/sets/SetRequest",
                                "CompletableFuture<?> answers = giveBack(rest);",
                                "CompletableFuture<?> answers = CompletableFuture.completedFuture(null);")),
                of(
                        "a withdrawn request for a set keeps the locks it obtained",
                        EnumSet.of(ORPHAN, LIVENESS),
                        java("internal/sets/SetRequest", "            giveBack.run();\n", "")),
                of(
                        "the pending request of an ended set is not withdrawn",
                        EnumSet.of(ORPHAN, LIVENESS),
                        java(
                                "internal/sets/SetRequest",
                                "                asking.withdraw();\n            }\n            return",
                                "                asking.hashCode();\n            }\n            return"),
                        java(
                                "internal/sets/SetRequest",
                                "var unused = handle.leave(); // nobody waits for it any more\n",
                                "")),
                of(
                        "a set is handed out despite a lost lock",
                        EnumSet.of(ALL),
                        java("internal/sets/FirstLoss", "told.accept(lock, reason);", ""),
                        java("internal/sets/SetRequest", "if (!handle.isValid()) {", "if (false) {")),
                of(
                        "leases without renewal are not kept alive during collection",
                        EnumSet.of(TERM, ALL),
                        java(
                                "internal/lease/Hold",
                                "this.heldBack = origin.demand.inSet() ? 1 : 0;",
                                "this.heldBack = 0;")),
                of(
                        "a renewed lease is handed out with too little time left",
                        EnumSet.of(SetRuns.Check.LEAST),
                        java(
                                "internal/lease/Hold",
                                "return waited && !enough ?",
                                "return waited && !options.renewal() ?")));
    }

    private static Break of(String name, Set<SetRuns.Check> by, Edit... edits) {
        return new Break(name, by, List.of(edits));
    }
}
