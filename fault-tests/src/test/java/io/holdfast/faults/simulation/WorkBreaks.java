package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Breaks.java;
import static io.holdfast.faults.simulation.Checks.Check.INTERRUPT;
import static io.holdfast.faults.simulation.Checks.Check.LEAST;
import static io.holdfast.faults.simulation.Checks.Check.LONGEST;
import static io.holdfast.faults.simulation.Checks.Check.RESTS;
import static io.holdfast.faults.simulation.Checks.Check.WARNED;

import io.holdfast.faults.simulation.Breaks.Break;
import io.holdfast.faults.simulation.Plan.Kind;
import java.util.EnumSet;
import java.util.List;

/** Defects, made on purpose, of what the options promise of the work under a lease. */
final class WorkBreaks {
    private WorkBreaks() {}

    static List<Break> all() {
        return List.of(
                Breaks.of(
                        "work: a lease is handed out below its minimum remaining time",
                        Kind.HANDED,
                        6,
                        EnumSet.of(LEAST),
                        java(
                                "internal/queue/Request",
                                "left <= Demand.leastLeft(options).toNanos() || revoked",
                                "left <= 0 || revoked")),
                Breaks.of(
                        "work: a re-entry accepts too little time after a late reply",
                        Kind.NESTED,
                        594,
                        EnumSet.of(LEAST),
                        java(
                                "internal/queue/Reentry",
                                "if (isGood(own) || !request.pending()) {",
                                "if (own.active() || !request.pending()) {")),
                Breaks.of(
                        "work: a turn lends a lease below its minimum remaining time",
                        Kind.INSIDE,
                        101,
                        EnumSet.of(LEAST),
                        java(
                                "internal/turns/Tenure",
                                "hold.leftNanos(now) > Demand.leastLeft(options).toNanos()",
                                "hold.leftNanos(now) > 0")),
                Breaks.of(
                        "work: an extension moves the deadline by only one term",
                        Kind.INSIDE,
                        1,
                        EnumSet.of(LEAST),
                        java(
                                "internal/queue/QueueGrant",
                                "return hold().armed(deadline(sent, term.toNanos()), first);",
                                "return hold().armed(deadline(sent, hold().options.leaseDuration().toNanos()), first);")),
                Breaks.of(
                        "work: the interrupt comes only when the lease ends",
                        Kind.INSIDE,
                        18,
                        EnumSet.of(INTERRUPT),
                        java(
                                "internal/lease/PreExpiryActions",
                                "Ending ending = new Ending(beforeNanos, action);",
                                "Ending ending = new Ending(0, action);")),
                Breaks.of(
                        "work: the interrupt comes twice as early as requested",
                        Kind.INSIDE,
                        1,
                        EnumSet.of(INTERRUPT),
                        java(
                                "internal/lease/PreExpiryActions",
                                "Ending ending = new Ending(beforeNanos, action);",
                                "Ending ending = new Ending(2 * beforeNanos, action);")),
                Breaks.of(
                        "work: the interrupt comes after the work has ended",
                        Kind.INSIDE,
                        176,
                        EnumSet.of(INTERRUPT),
                        java("BodyLimit", "            if (!over) {\n", "            {\n"),
                        java("BodyLimit", "        remove.run();\n", "")),
                Breaks.of(
                        "work: the interrupt is not reported to the caller",
                        Kind.INSIDE,
                        18,
                        EnumSet.of(INTERRUPT),
                        java(
                                "BodyLimit",
                                "if (e instanceof InterruptedException cause && limit.end(true)) {",
                                "if (e instanceof InterruptedException cause && limit.end(true) && before == null) {")),
                Breaks.of(
                        "work: a renewal comes after the interrupt is due",
                        Kind.INSIDE,
                        1,
                        EnumSet.of(INTERRUPT, WARNED),
                        java("internal/lease/Renewals", "Math.min(third, hold.leftNanos(now) - third)", "2 * third")),
                Breaks.of(
                        "work: one deadline causes repeated warnings",
                        Kind.INSIDE,
                        16,
                        EnumSet.of(WARNED),
                        java(
                                "internal/lease/Warnings",
                                "if (wanted && warnedOf != deadline && deadline",
                                "if (wanted && deadline")),
                Breaks.of(
                        "work: the warning comes too late",
                        Kind.INSIDE,
                        15,
                        EnumSet.of(WARNED),
                        java(
                                "internal/lease/Warnings",
                                "options.leaseDuration().toNanos() / 3",
                                "options.leaseDuration().toNanos() / 9")),
                Breaks.of(
                        "work: the warning comes too early",
                        Kind.INSIDE,
                        1,
                        EnumSet.of(WARNED),
                        java(
                                "internal/lease/Warnings",
                                "options.leaseDuration().toNanos() / 3",
                                "options.leaseDuration().toNanos() / 2")),
                Breaks.of(
                        "work: a released lease is still warned (nested)",
                        Kind.NESTED,
                        8,
                        EnumSet.of(WARNED),
                        java(
                                "internal/lease/Handle",
                                "            removeListeners();\n            Comp",
                                "            Comp")),
                Breaks.of(
                        "work: a lease is renewed beyond its maximum hold",
                        Kind.INSIDE,
                        18,
                        EnumSet.of(LONGEST),
                        java("internal/lease/Hold", "&& !state.overLongest(kit.nanoTime());", "&& state.active();")),
                Breaks.of(
                        "work: a released lock does not rest",
                        Kind.INSIDE,
                        7,
                        EnumSet.of(RESTS),
                        java(
                                "internal/queue/QueueGrant",
                                "Rest rest = reported(hold().rest.get());",
                                "Rest rest = Rest.NONE;")),
                Breaks.of(
                        "work: a lock rests although no caller obtained it",
                        Kind.INSIDE,
                        1,
                        EnumSet.of(RESTS),
                        java("internal/lease/Rest", "return users > 0 ?", "return users >= 0 ?")));
    }

    /** As that of {@link Breaks}. */
    public static void main(String[] names) {
        Breaks.tell(all(), names);
    }
}
