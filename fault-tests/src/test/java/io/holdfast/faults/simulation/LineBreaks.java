package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Breaks.java;
import static io.holdfast.faults.simulation.Breaks.lua;
import static io.holdfast.faults.simulation.Breaks.off;
import static io.holdfast.faults.simulation.LineChecks.Check.ANSWER;
import static io.holdfast.faults.simulation.LineChecks.Check.ENDS;
import static io.holdfast.faults.simulation.LineChecks.Check.EXCLUSION;
import static io.holdfast.faults.simulation.LineChecks.Check.EXPIRY;
import static io.holdfast.faults.simulation.LineChecks.Check.HOLDER;
import static io.holdfast.faults.simulation.LineChecks.Check.KEPT;
import static io.holdfast.faults.simulation.LineChecks.Check.LIVENESS;
import static io.holdfast.faults.simulation.LineChecks.Check.ORDER;
import static io.holdfast.faults.simulation.LineChecks.Check.ORPHAN;
import static io.holdfast.faults.simulation.LineChecks.Check.TOKENS;
import static io.holdfast.faults.simulation.LineChecks.Check.TOLD;

import io.holdfast.faults.simulation.Breaks.Break;
import io.holdfast.faults.simulation.Breaks.Edit;
import io.holdfast.faults.simulation.LineChecks.Check;
import io.holdfast.faults.simulation.LinePlan.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Defects of read/write locks and semaphores made on purpose, each of which the runs have to find. {@code main} runs those that it
 * is given by name, or all, and tells a line of the table in docs/evidence.md for each.
 */
final class LineBreaks {
    /** So many seeds are tried: the unbroken product passes them. */
    static int mostSeeds(Kind plan) {
        return plan == Kind.INSIDE ? 100 : 40;
    }

    private LineBreaks() {}

    static List<Break> all() {
        List<Break> all = new ArrayList<>(ofRequests());
        all.addAll(ofOperators());
        all.addAll(ofLostMemory());
        return all;
    }

    private static List<Break> ofOperators() {
        return List.of(
                of(
                        Kind.STEERED,
                        "who is released by name takes others along",
                        6,
                        EnumSet.of(HOLDER),
                        lua("line_revoke", "local meant = ARGV[3] == '' or ARGV[3] == public", "local meant = true")),
                of(
                        Kind.STEERED,
                        "who is released by name does not hear of it",
                        2,
                        EnumSet.of(TOLD),
                        lua("line_revoke", """
                                    mail[#mail + 1] = channelOf(lock, clientOf(public))
                                    mail[#mail + 1] = 'V ' .. public .. ' ' .. token .. ' 0 ' .. lock.hold
                                """, "")),
                of(
                        Kind.STEERED,
                        "an extension by name moves ends earlier, too",
                        2,
                        EnumSet.of(HOLDER),
                        lua("line_prolong", "'XX', 'GT', int(now + ARGV[2])", "'XX', int(now + ARGV[2])")),
                of(
                        Kind.STEERED,
                        "who is dropped does not hear of it",
                        2,
                        EnumSet.of(TOLD),
                        lua("drop_waiters", """
                                        mail[#mail + 1] = channelOf(lock, clientOf(owner))
                                        mail[#mail + 1] = 'E ' .. string.match(owner, '^[^~]+') .. ' ' .. lock.hold
                                """, "")),
                of(
                        Kind.STEERED,
                        "who was dropped may come back",
                        6,
                        EnumSet.of(ORPHAN, TOLD),
                        lua("drop_waiters", "        redis.call('HSET', evicted, owner, '1')\n", "")),
                of(
                        Kind.STEERED,
                        "an operator's limit is not looked at",
                        2,
                        EnumSet.of(EXCLUSION),
                        lua(
                                "line",
                                "return used <= tonumber(limit) and used <= mostOf(line)",
                                "return used <= tonumber(limit)")),
                of(
                        Kind.STEERED,
                        "a limit that is ended serves no waiter",
                        6,
                        EnumSet.of(LIVENESS),
                        off("line_limit", "unlimitserves")),
                of(
                        Kind.STEERED,
                        "a request for more than a limit blocks those behind it",
                        4,
                        EnumSet.of(LIVENESS),
                        off("line", "overlimit")),
                of(
                        Kind.STEERED,
                        "while a limit lasts any request is passed",
                        23,
                        EnumSet.of(ORDER),
                        lua(
                                "line",
                                "tonumber(weight) > mostOf(line) and mostOf(line) > 0",
                                "mostOf(line) < math.huge")),
                of(Kind.STEERED, "no client knows when a limit ends", 13, EnumSet.of(LIVENESS), off("line", "capends")),
                of(
                        Kind.STEERED,
                        "a limit is not ended before its time",
                        4,
                        EnumSet.of(ANSWER),
                        lua("line_limit", "redis.call('DEL', lock.cap) --", "redis.call('EXISTS', lock.cap) --")));
    }

    private static List<Break> ofLostMemory() {
        return List.of(
                of(
                        Kind.OUTSIDE,
                        "tokens count from what the key has",
                        4,
                        EnumSet.of(TOKENS),
                        lua(
                                "line",
                                "or '0') or 0\n    if line.last < nowMicros then",
                                "or nowText) or 0\n    if false then")),
                of(
                        Kind.OUTSIDE,
                        "a renewal does not report that the hold is gone",
                        7,
                        EnumSet.of(HOLDER),
                        lua(
                                "line_renew",
                                "local held = score and tonumber(score) > now",
                                "local held = members[j] ~= nil")),
                of(
                        Kind.OUTSIDE,
                        "waiters that the server forgot are not queued again",
                        2,
                        EnumSet.of(ENDS, LIVENESS),
                        lua(
                                "heartbeat",
                                "  if known == 0 then\n    return 'RESEND'",
                                "  if known == 0 then\n    return 'OK'")));
    }

    private static List<Break> ofRequests() {
        return List.of(
                of("what is over is not removed", 1, EnumSet.of(LIVENESS), off("line", "purge")),
                of("what is over keeps its weight", 1, EnumSet.of(ORPHAN, LIVENESS), off("line", "weightback")),
                of("a slot that is taken is given again", 1, EnumSet.of(EXCLUSION, ORPHAN), off("line", "slottaken")),
                of("the slots of what is over stay taken", 1, EnumSet.of(ORPHAN), off("line", "slotback")),
                of(
                        "a phase of reading does not end with its last reader",
                        2,
                        EnumSet.of(TOKENS),
                        lua("line", "    line.phase = nil\n", "")),
                of("each reader has a token of its own", 1, EnumSet.of(TOKENS), off("line", "phase")),
                of("whose claim has lapsed is not suspect", 1, EnumSet.of(LIVENESS), off("queue", "suspect")),
                of("whose claim has lapsed loses its place", 1, EnumSet.of(ORDER, ORPHAN), off("queue", "lapseback")),
                of("claims do not keep the details", 2, EnumSet.of(ORDER, ORPHAN), off("queue", "claimskeepdetails")),
                of("only the first is granted", 2, EnumSet.of(LIVENESS), off("line", "batch")),
                of(
                        "what does not fit is passed",
                        2,
                        EnumSet.of(ORDER),
                        off(
                                "line",
                                "strict",
                                "line.passed = line.passed or {}\nline.passed[owner] = true\nagain = true\n"),
                        lua(
                                "queue",
                                "      elseif not hasOutlived(known) then",
                                "      elseif lock.passed and lock.passed[owner] then\n"
                                        + "      elseif not hasOutlived(known) then"),
                        lua(
                                "queue",
                                "  local last = lock.wrote and '1' or '0'\n",
                                "  local last = lock.passed and '63' or '0'\n"),
                        lua(
                                "queue",
                                "    if found or #batch == 0 then",
                                "    if found or #batch == 0 or lock.passed then")),
                of(
                        "a waiter that cannot be notified blocks the others",
                        44,
                        EnumSet.of(LIVENESS),
                        lua("queue", "        aside[#aside + 1] = owner\n", """
        aside[#aside + 1] = owner
        seldom().park(lock, aside)
        if lock.members then return nil end
""")),
                of("a withdrawal serves no waiter", 3, EnumSet.of(LIVENESS), off("line_release", "cancelserves")),
                of("who comes does not look who waits", 2, EnumSet.of(ORDER), off("line_acquire", "newcomer")),
                of("a repeated acquire does not arm again", 1, EnumSet.of(HOLDER), off("line_acquire", "rearm")),
                of(
                        "a hold that a reply reports counts from when it came",
                        3,
                        EnumSet.of(HOLDER, EXCLUSION),
                        java(
                                "internal/queue/Request",
                                "long until = queue.server.deadline(keys, sent, claimNanos);",
                                "long until = queue.server.deadline(keys, queue.kit.nanoTime(), claimNanos);")),
                of(
                        "a hold that is reported again does not begin again",
                        3,
                        EnumSet.of(HOLDER),
                        off("line_refresh", "tellrearm")),
                of(
                        "a hold that a reply has reported is reported no more",
                        60,
                        EnumSet.of(LIVENESS, ORPHAN, ENDS),
                        lua("line_refresh", "    tellGrants(line, named)\n", ""),
                        lua("heartbeat", "  return known >= count and 'OK' or 'RESEND'", "  return 'OK'"),
                        lua(
                                "heartbeat",
                                "  if known == 0 then\n    return 'RESEND'",
                                "  if known == 0 then\n    return 'OK'")),
                of("tombstones are not looked at", 16, EnumSet.of(ORPHAN), off("line_acquire", "tombstone")),
                of("tombstones are not made", 16, EnumSet.of(ORPHAN), off("leave_tombstone", "tombstone")),
                of("a downgrade keeps the writer's token", 3, EnumSet.of(TOKENS), off("line_downgrade", "dgtoken")),
                of("a downgrade serves no waiter", 10, EnumSet.of(LIVENESS), off("line_downgrade", "dgserves")),
                of("a repeated downgrade does not arm again", 3, EnumSet.of(HOLDER), off("line_downgrade", "dgrearm")),
                of(
                        "a writer does not keep others out",
                        1,
                        EnumSet.of(EXCLUSION),
                        lua(
                                "line",
                                "  if line.writer then\n    return false\n  elseif mode == 'W' and",
                                "  if mode == 'W' and")),
                of(
                        "permits are granted as long as one is free",
                        2,
                        EnumSet.of(EXCLUSION),
                        lua(
                                "line",
                                "return used <= tonumber(limit) and used <= mostOf(line)",
                                "return line.used < math.min(limit, mostOf(line))")),
                of(
                        "the hold's key does not outlive its holders",
                        1,
                        EnumSet.of(EXPIRY),
                        lua("lasting", "      redis.call('PEXPIREAT', hold, at)\n", "")),
                of(
                        "a name that is released serves no waiter",
                        4,
                        EnumSet.of(LIVENESS),
                        lua(
                                "line_revoke",
                                "if lock.more == '0' then\n  settle(lock)",
                                "if lock.more == '' then\n  settle(lock)")),
                of(
                        "a confirmation moves no end",
                        1,
                        EnumSet.of(HOLDER),
                        lua(
                                "line_confirm",
                                "    redis.call('ZADD', lock.members, 'XX', 'GT', int(now + term), public .. ' ' .. token)\n",
                                "")),
                of(
                        "who acted does not look again",
                        12,
                        EnumSet.of(LIVENESS),
                        java(
                                "internal/queue/WaitingRoom",
                                "(acted || lines.containsKey(keys.hold()))",
                                "lines.containsKey(keys.hold())")),
                of(
                        "who waits does not look again",
                        20,
                        EnumSet.of(LIVENESS),
                        java(
                                "internal/queue/WaitingRoom",
                                "(acted || lines.containsKey(keys.hold()))",
                                "(acted && !lines.containsKey(keys.hold()))")),
                of(
                        "permits are looked for when the last holder ends",
                        20,
                        EnumSet.of(LIVENESS),
                        lua(
                                "line",
                                "local permits, at = (mode == 'P' or line.skipped) and line.writer ~= '?', nil",
                                "local permits, at")),
                of(
                        "a release ends the lease when it is answered",
                        1,
                        EnumSet.of(HOLDER, EXCLUSION),
                        java(
                                "internal/lease/Hold",
                                "        if (!state.release()) {\n            kit.ended();",
                                "        if (!active()) {\n            kit.ended();"),
                        java(
                                "internal/lease/Hold",
                                "            leaveAlone();\n            return forgottenWith(",
                                "            return forgottenWith("),
                        java(
                                "internal/lease/Hold",
                                "                grant.forget();\n                origin.tell",
                                "                origin.tell"),
                        java(
                                "internal/lease/Hold",
                                "        return answer.whenComplete((how, failure) -> {",
                                "        return answer.whenComplete((how, failure) -> {\n"
                                        + "            state.release();\n            forget();"),
                        java("internal/lease/Handle", "if (!left.compareAndSet(false, true)) {", "if (left.get()) {"),
                        java(
                                "internal/lease/Handle",
                                "answer = own.leave(rest);",
                                "answer = hold.leave(rest).whenComplete((how, failure) -> left.set(true));")),
                of(
                        "a downgrade does not end the writing lease",
                        1,
                        EnumSet.of(HOLDER, EXCLUSION),
                        java("internal/queue/Downgrade", "&& writingGoesOn.getAsBoolean()", "&& writing.active()")),
                of(
                        "what was lost is not taken back",
                        179,
                        EnumSet.of(ORPHAN),
                        java("internal/lease/Hold", "        grant.takeBack(reason);\n", "")),
                of(
                        "only the first of a batch is confirmed",
                        12,
                        EnumSet.of(KEPT),
                        java(
                                "internal/queue/ClaimBatcher",
                                "Batches.inParts(all, BATCH, part -> send(keys, part));",
                                "send(keys, all.subList(0, 1));")));
    }

    private static Break of(String name, long seed, Set<Check> by, Edit... edits) {
        return of(Kind.INSIDE, name, seed, by, edits);
    }

    private static Break of(Kind plan, String name, long seed, Set<Check> by, Edit... edits) {
        return new Break(name, plan.toString(), mostSeeds(plan), seed, by, List.of(edits));
    }

    /** Prints how each of them was found; exits with 1 if one was not. */
    public static void main(String[] names) {
        Breaks.tell(all(), names);
    }
}
