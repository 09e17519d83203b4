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
                        "work: a lease is handed out with less than the least left",
                        Kind.HANDED,
                        6,
                        EnumSet.of(LEAST),
                        java(
                                "internal/queue/Request",
                                "left <= Demand.leastLeft(options).toNanos() || revoked",
                                "left <= 0 || revoked")),
                Breaks.of(
                        "work: a re-entry takes what is left after a late answer",
                        Kind.NESTED,
                        594,
                        EnumSet.of(LEAST),
                        java(
                                "internal/queue/Reentry",
                                "if (isGood(own) || !request.pending()) {",
                                "if (own.active() || !request.pending()) {")),
                Breaks.of(
                        "work: a lease of a turn is lent with less than the least left",
                        Kind.INSIDE,
                        101,
                        EnumSet.of(LEAST),
                        java(
                                "internal/turns/Tenure",
                                "hold.leftNanos(now) > Demand.leastLeft(options).toNanos()",
                                "hold.leftNanos(now) > 0")),
                Breaks.of(
                        "work: an extension is reported before it counts",
                        Kind.INSIDE,
                        1,
                        EnumSet.of(LEAST),
                        java(
                                "internal/queue/QueueGrant",
                                "return hold().armed(deadline(sent, term.toNanos()), first);",
                                "return hold().armed(deadline(sent, hold().options.leaseDuration().toNanos()), first);")),
                Breaks.of(
                        "work: it is interrupted at the end, not before",
                        Kind.INSIDE,
                        18,
                        EnumSet.of(INTERRUPT),
                        java(
                                "internal/lease/PreExpiryActions",
                                "Ending ending = new Ending(beforeNanos, action);",
                                "Ending ending = new Ending(0, action);")),
                Breaks.of(
                        "work: it is interrupted twice as early",
                        Kind.INSIDE,
                        1,
                        EnumSet.of(INTERRUPT),
                        java(
                                "internal/lease/PreExpiryActions",
                                "Ending ending = new Ending(beforeNanos, action);",
                                "Ending ending = new Ending(2 * beforeNanos, action);")),
                Breaks.of(
                        "work: it is interrupted after it has ended",
                        Kind.INSIDE,
                        176,
                        EnumSet.of(INTERRUPT),
                        java("BodyLimit", "            if (!over) {\n", "            {\n"),
                        java("BodyLimit", "        remove.run();\n", "")),
                Breaks.of(
                        "work: no report says that it was interrupted",
                        Kind.INSIDE,
                        18,
                        EnumSet.of(INTERRUPT),
                        java(
                                "BodyLimit",
                                "if (e instanceof InterruptedException cause && limit.end(true)) {",
                                "if (e instanceof InterruptedException cause && limit.end(true) && before == null) {")),
                Breaks.of(
                        "work: a renewed lease is renewed after it is to interrupt",
                        Kind.INSIDE,
                        1,
                        EnumSet.of(INTERRUPT, WARNED),
                        java("internal/lease/Renewals", "Math.min(third, hold.leftNanos(now) - third)", "2 * third")),
                Breaks.of(
                        "work: warned again and again of one deadline",
                        Kind.INSIDE,
                        16,
                        EnumSet.of(WARNED),
                        java(
                                "internal/lease/Warnings",
                                "if (wanted && warnedOf != deadline && deadline",
                                "if (wanted && deadline")),
                Breaks.of(
                        "work: warned too late",
                        Kind.INSIDE,
                        15,
                        EnumSet.of(WARNED),
                        java(
                                "internal/lease/Warnings",
                                "options.leaseDuration().toNanos() / 3",
                                "options.leaseDuration().toNanos() / 9")),
                Breaks.of(
                        "work: warned too early",
                        Kind.INSIDE,
                        1,
                        EnumSet.of(WARNED),
                        java(
                                "internal/lease/Warnings",
                                "options.leaseDuration().toNanos() / 3",
                                "options.leaseDuration().toNanos() / 2")),
                Breaks.of(
                        "work: a lease that has left is warned (nested)",
                        Kind.NESTED,
                        8,
                        EnumSet.of(WARNED),
                        java(
                                "internal/lease/Handle",
                                "            removeListeners();\n            Comp",
                                "            Comp")),
                Breaks.of(
                        "work: a lease is renewed for ever",
                        Kind.INSIDE,
                        18,
                        EnumSet.of(LONGEST),
                        java("internal/lease/Hold", "&& !state.overLongest(kit.nanoTime());", "&& state.active();")),
                Breaks.of(
                        "work: a lock does not rest",
                        Kind.INSIDE,
                        7,
                        EnumSet.of(RESTS),
                        java(
                                "internal/queue/QueueGrant",
                                "Rest rest = reported(hold().rest.get());",
                                "Rest rest = Rest.NONE;")),
                Breaks.of(
                        "work: a lock rests after a hold that no caller has had",
                        Kind.INSIDE,
                        1,
                        EnumSet.of(RESTS),
                        java("internal/lease/Rest", "return users.get() > 0 ?", "return users.get() >= 0 ?")));
    }

    /** As that of {@link Breaks}. */
    public static void main(String[] names) {
        Breaks.tell(all(), names);
    }
}
