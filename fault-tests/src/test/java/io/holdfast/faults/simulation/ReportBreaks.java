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
                        "reports: periodic reports omit holds",
                        INSIDE,
                        2,
                        EnumSet.of(REPORTED),
                        java(
                                "internal/report/Reporter",
                                "now - hold.grantedNanos >= youngestNanos",
                                "youngestNanos == 0")),
                Breaks.of(
                        "reports: a new lock triggers no new report",
                        INSIDE,
                        55,
                        EnumSet.of(REPORTED),
                        java(
                                "internal/report/Reporter",
                                "stale || !reported.locks().keySet().containsAll(lasting.locks.keySet());",
                                "stale;")),
                Breaks.of(
                        "reports: an outdated report is never cleared",
                        INSIDE,
                        2,
                        EnumSet.of(REPORTED),
                        java("internal/report/Reporter", "return stands && now - nextAt >= 0;", "return false;")),
                Breaks.of(
                        "reports: a cluster client does not subscribe to report requests",
                        Plan.Kind.CLUSTER,
                        1,
                        EnumSet.of(REPORTED),
                        java(
                                "internal/report/Hearing",
                                "return !kit.isClosed() && wantedUntil - kit.nanoTime() > 0;",
                                "return false;")),
                Breaks.of(
                        "reports: one quorum node gets no reports",
                        Plan.Kind.QUORUM,
                        8,
                        EnumSet.of(REPORTED),
                        java(
                                "internal/quorum/QuorumClient",
                                "nodes.forEach(node -> node.reporter.begins());",
                                "nodes.subList(1, nodes.size()).forEach(node -> node.reporter.begins());")));
    }
}
