package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Breaks.java;
import static io.holdfast.faults.simulation.Breaks.lua;
import static io.holdfast.faults.simulation.ElectionChecks.Check.EXCLUSION;
import static io.holdfast.faults.simulation.ElectionChecks.Check.GRACE;
import static io.holdfast.faults.simulation.ElectionChecks.Check.HOLDER;
import static io.holdfast.faults.simulation.ElectionChecks.Check.LEADERS;
import static io.holdfast.faults.simulation.ElectionChecks.Check.LIVENESS;
import static io.holdfast.faults.simulation.ElectionChecks.Check.ORPHAN;
import static io.holdfast.faults.simulation.ElectionChecks.Check.SPACING;
import static io.holdfast.faults.simulation.ElectionChecks.Check.TOKENS;
import static io.holdfast.faults.simulation.ElectionChecks.Check.TOLD;

import io.holdfast.faults.simulation.Breaks.Break;
import io.holdfast.faults.simulation.Breaks.Edit;
import io.holdfast.faults.simulation.ElectionChecks.Check;
import io.holdfast.faults.simulation.ElectionPlan.Kind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Defects of elections made on purpose, each of which the runs have to find. {@code main} runs those that it is given by name, or
 * all, and tells a line of the table in docs/evidence.md for each.
 */
final class ElectionBreaks {
    /** So many seeds are tried: the unbroken product passes them. */
    static final int SEEDS = 20;

    private ElectionBreaks() {}

    static List<Break> all() {
        return Stream.of(ofCandidates(), ofLostMemory(), ofQuorum())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Break> ofLostMemory() {
        return List.of(
                of(
                        Kind.OUTSIDE,
                        "tokens count up from the key while it exists",
                        2,
                        EnumSet.of(TOKENS),
                        lua(
                                "hold",
                                "  if least or before and (before >= token or #before ~= #token) then\n"
                                        + "    local first = math.max(tonumber(token), ",
                                "  if before then\n    local first = math.max(")),
                of(
                        Kind.OUTSIDE,
                        "a renewal does not report that the hold is gone",
                        16,
                        EnumSet.of(TOLD),
                        lua("renew", "reply[i] = not mine and '0' or", "reply[i] = not mine and texts[i] and '0' or")),
                of(
                        Kind.OUTSIDE,
                        "waiters that the server forgot are not queued again",
                        2,
                        EnumSet.of(LIVENESS),
                        lua(
                                "heartbeat",
                                "  if known == 0 then\n    return 'RESEND'",
                                "  if known == 0 then\n    return 'OK'")));
    }

    private static List<Break> ofQuorum() {
        return List.of(
                of(
                        Kind.QUORUM,
                        "a minority of the nodes is enough",
                        1,
                        EnumSet.of(EXCLUSION, HOLDER, TOKENS),
                        java(
                                "internal/quorum/QuorumClient",
                                "this.majority = drivers.size() / 2 + 1;",
                                "this.majority = drivers.size() / 2;")),
                of(
                        Kind.QUORUM,
                        "differing tokens are not written back",
                        12,
                        EnumSet.of(TOKENS, HOLDER),
                        java(
                                "internal/quorum/Ballot",
                                "if (granted.stream().allMatch(seat -> seat.token == leaseToken)) {",
                                "if (!granted.isEmpty()) {")),
                of(
                        Kind.QUORUM,
                        "one agreeing node is enough for a renewal",
                        1,
                        EnumSet.of(HOLDER, EXCLUSION),
                        java(
                                "internal/quorum/BallotGrant",
                                "majority = agreed >= quorum.majority && (held == null || held);",
                                "majority = agreed >= 1 && (held == null || held);")),
                of(
                        Kind.QUORUM,
                        "grants of a lost round are not taken back",
                        1,
                        EnumSet.of(LIVENESS, ORPHAN),
                        java(
                                "internal/quorum/Ballot",
                                "            takeBack();\n            caller.lost(this);",
                                "            caller.lost(this);")));
    }

    private static List<Break> ofCandidates() {
        return List.of(
                of(
                        "a leadership is valid beyond its deadline",
                        1,
                        EnumSet.of(HOLDER, EXCLUSION),
                        java(
                                "internal/lease/LeaseState",
                                "return active() && !endless && deadline - now <= 0;",
                                "return active() && !endless && deadline + 500_000_000L - now <= 0;"),
                        java(
                                "internal/lease/LeaseState",
                                "Duration.ofNanos(Math.max(0, deadline - now));",
                                "Duration.ofNanos(Math.max(0, deadline + 500_000_000L - now));")),
                of(
                        "a leader begins before the previous leader has returned",
                        1,
                        EnumSet.of(LEADERS),
                        java("Candidacy", "begins = atWork == null;", "begins = true;")),
                of(
                        "a resigning leader keeps the hold",
                        1,
                        EnumSet.of(TOLD, LIVENESS, ORPHAN),
                        java(
                                "Candidacy",
                                "answer = leadership.lease().releaseAsync();\n",
                                "answer = CompletableFuture.completedFuture(ReleaseResult.RELEASED);\n")),
                of(
                        "a candidate does not campaign again after a loss",
                        1,
                        EnumSet.of(LIVENESS),
                        java(
                                "Candidacy",
                                "if (mine != null && reason != LossReason.CLIENT_CLOSED) {",
                                "if (mine != null && reason == LossReason.ABANDONED) {")),
                of(
                        "a candidate does not campaign again after a failed request",
                        19,
                        EnumSet.of(LIVENESS),
                        java(
                                "Candidacy",
                                "        campaignIn(kit.options.refreshInterval().toNanos());\n    }\n\n    private static String why",
                                "    }\n\n    private static String why")),
                of(
                        "a held-up candidate that resigned never campaigns again",
                        1,
                        EnumSet.of(LIVENESS),
                        java("Candidacy", "            again = waitsForLeader;\n", "            again = false;\n")),
                of(
                        "a held-up candidate does not resign",
                        1,
                        EnumSet.of(GRACE),
                        java(
                                "Candidacy",
                                "grace = kit.schedule(election.grace().toNanos(), () ->",
                                "grace = kit.schedule(Long.MAX_VALUE / 4, () ->")),
                of(
                        "a leader is not interrupted before its leadership ends",
                        1,
                        EnumSet.of(TOLD),
                        java(
                                "Candidacy",
                                "election.interruptBefore(), leadership::interruptBody)",
                                "election.interruptBefore(), () -> {})")),
                of(
                        "a leader is not interrupted when its leadership ends",
                        1,
                        EnumSet.of(TOLD),
                        java(
                                "Candidacy",
                                "        leadership.interruptBody();\n        kit.execute",
                                "        kit.execute")),
                of(
                        "an interrupt that precedes the leader's start is lost",
                        81,
                        EnumSet.of(TOLD),
                        java(
                                "Leadership",
                                "if (toInterrupt) { // since",
                                "if (toInterrupt && token() == 0) { // since")),
                of(
                        "the end of a leadership is not reported",
                        1,
                        EnumSet.of(TOLD),
                        java("Candidacy", "kit.execute(() -> leadership.ended(reason));", "")),
                of(
                        "a closed candidate continues to campaign",
                        1,
                        EnumSet.of(ORPHAN, LEADERS),
                        java(
                                "Candidacy",
                                "            request.cancel(false); // a lease",
                                "            request.isDone(); // a lease"),
                        java("Candidacy", "wanted = asking == request && !closed;", "wanted = asking == request;")),
                of(
                        "a candidate is elected again without a pause",
                        1,
                        EnumSet.of(SPACING),
                        java("Candidacy", "return electedNanos + LEAST_BETWEEN_NANOS - kit.nanoTime();", "return 0;")));
    }

    private static Break of(String name, long seed, Set<Check> by, Edit... edits) {
        return of(Kind.INSIDE, name, seed, by, edits);
    }

    private static Break of(Kind kind, String name, long seed, Set<Check> by, Edit... edits) {
        return new Break(name, kind.toString(), SEEDS, seed, by, List.of(edits));
    }

    /** Prints how each of them was found; exits with 1 if one was not. */
    public static void main(String[] names) {
        Breaks.tell(all(), names);
    }
}
