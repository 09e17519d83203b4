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
                        "a release of one holder by name ends all holds",
                        6,
                        EnumSet.of(HOLDER),
                        lua("line_revoke", "local meant = ARGV[3] == '' or ARGV[3] == public", "local meant = true")),
                of(
                        Kind.STEERED,
                        "a holder released by name gets no message",
                        2,
                        EnumSet.of(TOLD),
                        lua("line_revoke", """
                                    mail[#mail + 1] = channelOf(lock, clientOf(public))
                                    mail[#mail + 1] = 'V ' .. public .. ' ' .. token .. ' 0 ' .. lock.hold
                                """, "")),
                of(
                        Kind.STEERED,
                        "an extension by name can shorten a hold",
                        2,
                        EnumSet.of(HOLDER),
                        lua("line_prolong", "'XX', 'GT', int(now + ARGV[2])", "'XX', int(now + ARGV[2])")),
                of(Kind.STEERED, "a dropped waiter gets no message", 2, EnumSet.of(TOLD), lua("drop_waiters", """
                                        mail[#mail + 1] = channelOf(lock, clientOf(owner))
                                        mail[#mail + 1] = 'E ' .. string.match(owner, '^[^~]+') .. ' ' .. lock.hold
                                """, "")),
                of(
                        Kind.STEERED,
                        "a dropped waiter can queue again",
                        6,
                        EnumSet.of(ORPHAN, TOLD),
                        lua("drop_waiters", "        redis.call('HSET', evicted, owner, '1')\n", "")),
                of(
                        Kind.STEERED,
                        "an operator's limit is ignored",
                        2,
                        EnumSet.of(EXCLUSION),
                        lua(
                                "line",
                                "return used <= tonumber(limit) and used <= mostOf(line)",
                                "return used <= tonumber(limit)")),
                of(
                        Kind.STEERED,
                        "a change of the limit serves no waiter",
                        6,
                        EnumSet.of(LIVENESS),
                        off("line_limit", "unlimitserves")),
                of(
                        Kind.STEERED,
                        "a request above the limit blocks the requests behind it",
                        4,
                        EnumSet.of(LIVENESS),
                        off("line", "overlimit")),
                of(
                        Kind.STEERED,
                        "any waiter can be overtaken while a limit lasts",
                        23,
                        EnumSet.of(ORDER),
                        lua(
                                "line",
                                "tonumber(weight) > mostOf(line) and mostOf(line) > 0",
                                "mostOf(line) < math.huge")),
                of(
                        Kind.STEERED,
                        "the wake ignores the end of a limit",
                        13,
                        EnumSet.of(LIVENESS),
                        off("line", "capends")),
                of(
                        Kind.STEERED,
                        "an operator cannot end a limit early",
                        4,
                        EnumSet.of(ANSWER),
                        lua("line_limit", "redis.call('DEL', lock.cap) --", "redis.call('EXISTS', lock.cap) --")));
    }

    private static List<Break> ofLostMemory() {
        return List.of(
                of(
                        Kind.OUTSIDE,
                        "tokens count up from the key while it exists",
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
                of("expired holds are not removed", 1, EnumSet.of(LIVENESS), off("line", "purge")),
                of("an ended hold keeps its weight", 1, EnumSet.of(ORPHAN, LIVENESS), off("line", "weightback")),
                of("a taken slot is assigned again", 1, EnumSet.of(EXCLUSION, ORPHAN), off("line", "slottaken")),
                of("the slots of an ended hold stay taken", 1, EnumSet.of(ORPHAN), off("line", "slotback")),
                of(
                        "a read phase does not end with its last reader",
                        2,
                        EnumSet.of(TOKENS),
                        lua("line", "    line.phase = nil\n", "")),
                of("readers of one phase get different tokens", 1, EnumSet.of(TOKENS), off("line", "phase")),
                of("a lapsed claim does not make its client suspect", 1, EnumSet.of(LIVENESS), off("queue", "suspect")),
                of(
                        "a waiter loses its position when its claim lapses",
                        1,
                        EnumSet.of(ORDER, ORPHAN),
                        off("queue", "lapseback")),
                of(
                        "the details key is deleted while claims are open",
                        2,
                        EnumSet.of(ORDER, ORPHAN),
                        off("queue", "claimskeepdetails")),
                of("only the first waiter that fits is granted", 2, EnumSet.of(LIVENESS), off("line", "batch")),
                of(
                        "a waiter that does not fit is overtaken",
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
                of(
                        "a withdrawal does not serve the waiters behind it",
                        3,
                        EnumSet.of(LIVENESS),
                        off("line_release", "cancelserves")),
                of("a new request overtakes waiters", 2, EnumSet.of(ORDER), off("line_acquire", "newcomer")),
                of("a repeated acquire does not extend the hold", 1, EnumSet.of(HOLDER), off("line_acquire", "rearm")),
                of(
                        "the deadline of a reported grant counts from the reply",
                        3,
                        EnumSet.of(HOLDER, EXCLUSION),
                        java(
                                "internal/queue/Request",
                                "long until = queue.server.deadline(keys, sent, claimNanos);",
                                "long until = queue.server.deadline(keys, queue.kit.nanoTime(), claimNanos);")),
                of(
                        "a refresh that reports a hold does not extend it",
                        3,
                        EnumSet.of(HOLDER),
                        off("line_refresh", "tellrearm")),
                of(
                        "a grant is never reported again after a lost reply",
                        60,
                        EnumSet.of(LIVENESS, ORPHAN, ENDS),
                        lua("line_refresh", "    tellGrants(line, named)\n", ""),
                        lua("heartbeat", "  return known >= count and 'OK' or 'RESEND'", "  return 'OK'"),
                        lua(
                                "heartbeat",
                                "  if known == 0 then\n    return 'RESEND'",
                                "  if known == 0 then\n    return 'OK'")),
                of("an acquire ignores tombstones", 16, EnumSet.of(ORPHAN), off("line_acquire", "tombstone")),
                of("a release leaves no tombstone", 16, EnumSet.of(ORPHAN), off("leave_tombstone", "tombstone")),
                of("a downgrade keeps the writer's token", 3, EnumSet.of(TOKENS), off("line_downgrade", "dgtoken")),
                of(
                        "a downgrade does not serve waiting readers",
                        10,
                        EnumSet.of(LIVENESS),
                        off("line_downgrade", "dgserves")),
                of(
                        "a repeated downgrade does not extend the hold",
                        3,
                        EnumSet.of(HOLDER),
                        off("line_downgrade", "dgrearm")),
                of(
                        "readers are granted alongside a writer",
                        1,
                        EnumSet.of(EXCLUSION),
                        lua(
                                "line",
                                "  if line.writer then\n    return false\n  elseif mode == 'W' and",
                                "  if mode == 'W' and")),
                of(
                        "one free permit is enough for any request",
                        2,
                        EnumSet.of(EXCLUSION),
                        lua(
                                "line",
                                "return used <= tonumber(limit) and used <= mostOf(line)",
                                "return line.used < math.min(limit, mostOf(line))")),
                of(
                        "the key of the holds never expires",
                        1,
                        EnumSet.of(EXPIRY),
                        lua("lasting", "      redis.call('PEXPIREAT', hold, at)\n", "")),
                of(
                        "a release by name serves no waiter",
                        4,
                        EnumSet.of(LIVENESS),
                        lua(
                                "line_revoke",
                                "if lock.more == '0' then\n  settle(lock)",
                                "if lock.more == '' then\n  settle(lock)")),
                of(
                        "a confirmation does not extend the hold",
                        1,
                        EnumSet.of(HOLDER),
                        lua(
                                "line_confirm",
                                "    redis.call('ZADD', lock.members, 'XX', 'GT', int(now + term), public .. ' ' .. token)\n",
                                "")),
                of(
                        "a client without waiters does not check the lock again",
                        12,
                        EnumSet.of(LIVENESS),
                        java(
                                "internal/queue/WaitingRoom",
                                "(acted || lines.containsKey(keys.hold()))",
                                "lines.containsKey(keys.hold())")),
                of(
                        "a client with waiters does not check the lock again",
                        20,
                        EnumSet.of(LIVENESS),
                        java(
                                "internal/queue/WaitingRoom",
                                "(acted || lines.containsKey(keys.hold()))",
                                "(acted && !lines.containsKey(keys.hold()))")),
                of(
                        "the wake for permits is the end of the last hold",
                        20,
                        EnumSet.of(LIVENESS),
                        lua(
                                "line",
                                "local permits, at = (mode == 'P' or line.skipped) and line.writer ~= '?', nil",
                                "local permits, at")),
                of(
                        "a released lease stays valid until the reply",
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
                        java("internal/lease/Handle", "if (!presence.compareAndSet(HELD, LEFT)) {", "if (hasLeft()) {"),
                        java(
                                "internal/lease/Handle",
                                "answer = own.leave(rest);",
                                "answer = hold.leave(rest).whenComplete((how, failure) -> presence.set(LEFT));"),
                        java("internal/lease/Handle", "presence.set(LEFT_IN_TIME);", "removeListeners();")),
                of(
                        "a downgrade does not end the writing lease",
                        1,
                        EnumSet.of(HOLDER, EXCLUSION),
                        java("internal/queue/Downgrade", "&& writingGoesOn.getAsBoolean()", "&& writing.active()")),
                of(
                        "a lost hold is not taken back",
                        179,
                        EnumSet.of(ORPHAN),
                        java("internal/lease/Hold", "        grant.takeBack(reason);\n", "")),
                of(
                        "only the first grant of a batch is confirmed",
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
