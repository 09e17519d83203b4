package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Breaks.java;
import static io.holdfast.faults.simulation.Breaks.lua;
import static io.holdfast.faults.simulation.Checks.Check.ENDS;
import static io.holdfast.faults.simulation.Checks.Check.EXCLUSION;
import static io.holdfast.faults.simulation.Checks.Check.EXPIRY;
import static io.holdfast.faults.simulation.Checks.Check.FAIR;
import static io.holdfast.faults.simulation.Checks.Check.FENCED;
import static io.holdfast.faults.simulation.Checks.Check.HOLDER;
import static io.holdfast.faults.simulation.Checks.Check.KEPT;
import static io.holdfast.faults.simulation.Checks.Check.LIVENESS;
import static io.holdfast.faults.simulation.Checks.Check.ORPHAN;
import static io.holdfast.faults.simulation.Checks.Check.TOKENS;
import static io.holdfast.faults.simulation.Checks.Check.UNFENCED;

import io.holdfast.faults.simulation.Breaks.Break;
import java.util.EnumSet;
import java.util.List;

/** Defects of holds that several leases share: of turns, and of locks that are kept. */
final class SharedBreaks {
    private static final Plan.Kind INSIDE = Plan.Kind.INSIDE;
    private static final Plan.Kind OUTSIDE = Plan.Kind.OUTSIDE;
    private static final Plan.Kind KEPT_PLAN = Plan.Kind.KEPT;

    private SharedBreaks() {}

    static List<Break> all() {
        return List.of(
                Breaks.of(
                        "turns: a closed turn ignores its limit on sections",
                        INSIDE,
                        12,
                        EnumSet.of(FAIR),
                        java("internal/turns/Turn", "Math.min(inLine, sections));", "inLine);"),
                        java(
                                "internal/turns/Turn",
                                "close(Math.min(inLine, sections - 1), now);",
                                "close(inLine, now);")),
                Breaks.of(
                        "turns: a closed turn ignores its time limit",
                        INSIDE,
                        11,
                        EnumSet.of(FAIR),
                        java("internal/turns/Turn", "(left > 0 && now - closedNanos < timeNanos)", "left > 0")),
                Breaks.of(
                        "turns: a turn never closes",
                        INSIDE,
                        11,
                        EnumSet.of(FAIR),
                        java("internal/turns/Turn", "left = Math.max(0, Math.min(inLine, sections));", "left = OPEN;")),
                Breaks.of(
                        "turns: a closed turn closes again and admits later requests",
                        INSIDE,
                        33,
                        EnumSet.of(FAIR),
                        java(
                                "internal/turns/Turn",
                                "if (isOpen()) {\n            left =",
                                "if (timeNanos > 0) {\n            left =")),
                Breaks.of(
                        "turns: the client never asks whether others wait",
                        KEPT_PLAN,
                        1,
                        EnumSet.of(FAIR),
                        java(
                                "internal/turns/Turn",
                                "if (isOpen() && now - knownNanos >= 2 * interval) {",
                                "if (isOpen() && asking && now - knownNanos >= 2 * interval) {"),
                        java(
                                "internal/turns/Turn",
                                "if (!isOpen() || asking || now - knownNanos < interval) {",
                                "if (!isOpen() || asking || now - knownNanos < interval || interval > 0) {")),
                Breaks.of(
                        "turns: an unanswered question does not close the turn",
                        KEPT_PLAN,
                        12,
                        EnumSet.of(FAIR),
                        java(
                                "internal/turns/Turn",
                                "if (isOpen() && now - knownNanos >= 2 * interval) {",
                                "if (isOpen() && !asking && now - knownNanos >= 2 * interval) {")),
                Breaks.of(
                        "turns: remaining requests do not queue again",
                        INSIDE,
                        11,
                        EnumSet.of(LIVENESS, ENDS),
                        java(
                                "internal/turns/LocalLine",
                                "free();\n                then = askIfWanted();",
                                "free();\n                then = () -> {};")),
                Breaks.of(
                        "turns: a recall that precedes its grant is ignored",
                        KEPT_PLAN,
                        43,
                        EnumSet.of(FAIR, LIVENESS),
                        java("internal/turns/LocalLine", "                || recalledToken == grant.token()\n", "")),
                Breaks.of(
                        "turns: a withdrawn request lets a later one into the closed turn",
                        KEPT_PLAN,
                        46,
                        EnumSet.of(FAIR),
                        java("internal/turns/InLine", "present.turn.left(place - 1);", "")),
                Breaks.of(
                        "shared: a recall is ignored",
                        INSIDE,
                        4,
                        EnumSet.of(FAIR, LIVENESS),
                        java(
                                "internal/turns/LocalLine",
                                "return tenure != null && tenure.hold.token() == token ? othersWait(tenure)",
                                "return tenure != null && token == 0 ? othersWait(tenure)")),
                Breaks.of(
                        "shared: no recall is sent",
                        INSIDE,
                        4,
                        EnumSet.of(LIVENESS),
                        lua("queue", "if lock.kept == '' then", "if true then")),
                Breaks.of(
                        "shared: a handed-off hold is kept although others wait",
                        INSIDE,
                        63,
                        EnumSet.of(ORPHAN, LIVENESS, FAIR),
                        lua(
                                "settle",
                                "redis.call('EXISTS', lock.queue, lock.parked) == 0 then",
                                "redis.call('EXISTS', lock.queue, lock.parked) >= 0 then")),
                Breaks.of(
                        "shared: a kept lock never times out",
                        INSIDE,
                        4,
                        EnumSet.of(ORPHAN),
                        java("internal/turns/LocalLine", "then = time(now);", "then = () -> {};")),
                Breaks.of(
                        "shared: a closed client does not release its hold",
                        INSIDE,
                        11,
                        EnumSet.of(ORPHAN),
                        java(
                                "internal/queue/Request",
                                "if (hold != null) {\n            hold.clientClosed();",
                                "if (hold != null && !isShared()) {\n            hold.clientClosed();")),
                Breaks.of(
                        "shared: the next lease reuses the token",
                        INSIDE,
                        4,
                        EnumSet.of(TOKENS, FENCED),
                        java(
                                "internal/turns/SharedTokens",
                                "    long draw() {\n        last++;",
                                "    long draw() {\n        last = last();")),
                Breaks.of(
                        "shared: a release does not report the last token used",
                        OUTSIDE,
                        18,
                        EnumSet.of(TOKENS),
                        java(
                                "internal/turns/Tenure",
                                "lastToken(last);\n        return",
                                "lastToken(hold.token());\n        return")),
                Breaks.of(
                        "shared: no tokens are reserved",
                        INSIDE,
                        4,
                        EnumSet.of(HOLDER, TOKENS),
                        lua("hold", "  local token = nowText\n", "  local token = nowText\n  more = '0'\n")),
                Breaks.of(
                        "shared: the hold belongs to the actor of the first request",
                        INSIDE,
                        78,
                        EnumSet.of(EXCLUSION, TOKENS, FAIR, HOLDER, UNFENCED, FENCED),
                        java("internal/queue/Request", "if (!isShared()) { // such", "if (keys != null) { // such")),
                Breaks.of(
                        "shared: a lease without renewal gets only the remaining time",
                        INSIDE,
                        3,
                        EnumSet.of(KEPT, FAIR),
                        java(
                                "internal/turns/LocalLines",
                                "boolean served = options.renewal()\n                && options",
                                "boolean served = options"),
                        java("internal/turns/LocalLines", "(options.renewal() && !options", "(!options")),
                Breaks.of(
                        "shared: a renewal does not report a recall",
                        KEPT_PLAN,
                        5,
                        EnumSet.of(LIVENESS, FAIR),
                        lua("queue", "if lock.kept == ' K' then", "if false then")),
                Breaks.of(
                        "shared: a hold extended beyond its term is kept",
                        KEPT_PLAN,
                        1,
                        EnumSet.of(EXPIRY),
                        java(
                                "internal/turns/LocalLine",
                                "boolean mayGoOn = present.mayGoOn(now);",
                                "boolean mayGoOn = present.isGood(now);")));
    }
}
