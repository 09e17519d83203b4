package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Breaks.java;
import static io.holdfast.faults.simulation.Checks.Check.REPORTED;

import io.holdfast.faults.simulation.Breaks.Break;
import java.util.EnumSet;
import java.util.List;

/** Defects of what clients report of themselves. */
final class ReportBreaks {
    private static final Plan.Kind INSIDE = Plan.Kind.INSIDE;

    private ReportBreaks() {}

    static List<Break> all() {
        return List.of(
                Breaks.of(
                        "reports: holds are not reported unasked",
                        INSIDE,
                        2,
                        EnumSet.of(REPORTED),
                        java(
                                "internal/report/Reporter",
                                "now - hold.grantedNanos >= youngestNanos",
                                "youngestNanos == 0")),
                Breaks.of(
                        "reports: what begins later is not added",
                        INSIDE,
                        55,
                        EnumSet.of(REPORTED),
                        java(
                                "internal/report/Reporter",
                                "stale || !reported.locks().keySet().containsAll(lasting.locks.keySet());",
                                "stale;")),
                Breaks.of(
                        "reports: a report is not taken back",
                        INSIDE,
                        2,
                        EnumSet.of(REPORTED),
                        java("internal/report/Reporter", "return stands && now - nextAt >= 0;", "return false;")),
                Breaks.of(
                        "reports: a client of a cluster does not listen for those who look",
                        Plan.Kind.CLUSTER,
                        1,
                        EnumSet.of(REPORTED),
                        java(
                                "internal/report/Hearing",
                                "return !kit.isClosed() && wantedUntil - kit.nanoTime() > 0;",
                                "return false;")),
                Breaks.of(
                        "reports: one node of a quorum hears of nothing",
                        Plan.Kind.QUORUM,
                        8,
                        EnumSet.of(REPORTED),
                        java(
                                "internal/quorum/QuorumClient",
                                "nodes.forEach(node -> node.reporter.begins());",
                                "nodes.subList(1, nodes.size()).forEach(node -> node.reporter.begins());")));
    }
}
