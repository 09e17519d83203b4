package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Checks.Check.ANSWER;
import static io.holdfast.faults.simulation.Checks.Check.DROPPED;
import static io.holdfast.faults.simulation.Checks.Check.ENDS;
import static io.holdfast.faults.simulation.Checks.Check.EXCLUSION;
import static io.holdfast.faults.simulation.Checks.Check.EXPIRY;
import static io.holdfast.faults.simulation.Checks.Check.HOLDER;
import static io.holdfast.faults.simulation.Checks.Check.KEPT;
import static io.holdfast.faults.simulation.Checks.Check.LITTER;
import static io.holdfast.faults.simulation.Checks.Check.LIVENESS;
import static io.holdfast.faults.simulation.Checks.Check.ORDER;
import static io.holdfast.faults.simulation.Checks.Check.ORPHAN;
import static io.holdfast.faults.simulation.Checks.Check.STORM;
import static io.holdfast.faults.simulation.Checks.Check.TOKENS;
import static io.holdfast.faults.simulation.Checks.Check.TOLD;
import static io.holdfast.faults.simulation.Checks.Check.UNFENCED;
import static io.holdfast.faults.simulation.Checks.Check.WRITE_BACK;

import io.holdfast.faults.simulation.Checks.Check;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Defects made on purpose, each of which the simulation has to find. {@code main} runs those that it is given by name, or all,
 * and tells a line of the table in docs/evidence.md for each.
 */
final class Breaks {

    /**
     * One change of one file.
     *
     * @param file below core/src/main
     * @param was stands there once
     */
    record Edit(String file, String was, String is) {}

    /**
     * One defect.
     *
     * @param plan the name of the plans on which it is looked for
     * @param seeds so many are tried: the unbroken product passes them
     * @param seed that is tried first, because it has shown the break before
     * @param by the checks that may find it
     */
    record Break(String name, String plan, int seeds, long seed, Set<? extends Enum<?>> by, List<Edit> edits) {
        /** As {@link Simulation#firstFinding}. */
        String @Nullable [] firstFinding() {
            BrokenProduct product = new BrokenProduct(edits);
            String[] found = product.firstFinding(plan, seed, Math.max(seed, seeds));
            return found != null ? found : product.firstFinding(plan, 1, Math.min(seed - 1, seeds));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** So many seeds are tried: the unbroken product passes them. */
    static int mostSeeds(Plan.Kind plan) {
        return switch (plan) {
            case INSIDE -> 200;
            case OUTSIDE -> 100;
            case QUORUM -> 200;
            case HANDED, KEPT, STEERED, CLUSTER, NESTED -> 20;
        };
    }

    private static final Plan.Kind INSIDE = Plan.Kind.INSIDE;
    private static final Plan.Kind QUORUM = Plan.Kind.QUORUM;
    private static final Plan.Kind HANDED = Plan.Kind.HANDED;
    private static final Plan.Kind STEERED = Plan.Kind.STEERED;
    private static final Plan.Kind CLUSTER = Plan.Kind.CLUSTER;
    private static final Plan.Kind NESTED = Plan.Kind.NESTED;

    private Breaks() {}

    static Edit java(String type, String was, String is) {
        return new Edit("java/io/holdfast/" + type + ".java", was, is);
    }

    private static final Path SCRIPTS = Path.of("..", "core", "src", "main", "resources", "io", "holdfast", "lua");

    static Edit lua(String script, String was, String is) {
        return new Edit("resources/io/holdfast/lua/" + script + ".lua", was, is);
    }

    /** A rule of a script switched off: what stands between its marks. */
    static Edit off(String script, String rule) {
        return off(script, rule, "");
    }

    /** The same, with something in its place. */
    static Edit off(String script, String rule, String instead) {
        try {
            String text = Files.readString(SCRIPTS.resolve(script + ".lua"));
            int from = text.indexOf("-- rule " + rule + "\n");
            int to = from < 0 ? -1 : text.indexOf("-- end\n", from);
            if (to < 0) {
                throw new AssertionError(script + ".lua has no rule " + rule);
            }
            return lua(script, text.substring(from, to), instead);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Break of(String name, Plan.Kind plan, long seed, Set<Check> by, Edit... edits) {
        return new Break(name, plan.toString(), mostSeeds(plan), seed, by, List.of(edits));
    }

    static List<Break> all() {
        List<Break> all = new ArrayList<>(ofRequests());
        all.addAll(SharedBreaks.all());
        all.addAll(WorkBreaks.all());
        all.addAll(ReportBreaks.all());
        return all;
    }

    private static List<Break> ofRequests() {
        return List.of(
                of(
                        "a release does not check the owner id",
                        INSIDE,
                        1,
                        EnumSet.of(HOLDER, EXCLUSION, KEPT, UNFENCED),
                        lua("release", "own = isHoldOf(own, owner) and own", "")),
                of(
                        "the fast path of a release ignores waiters",
                        INSIDE,
                        1,
                        EnumSet.of(LIVENESS),
                        lua("release", "if own and not queued then -- mostly", "if own then -- mostly")),
                of(
                        "the fast path of an acquire ignores waiters",
                        INSIDE,
                        268,
                        EnumSet.of(ORDER, LIVENESS),
                        lua("acquire", "KEYS[2], KEYS[3], KEYS[4], KEYS[6]", "KEYS[6]")),
                of(
                        "the fast path of an acquire ignores tombstones",
                        INSIDE,
                        18,
                        EnumSet.of(ORPHAN, ANSWER),
                        lua("acquire", "KEYS[4], KEYS[6], KEYS[7])", "KEYS[4], KEYS[7])")),
                of(
                        "the deadline of a lease counts from the reply",
                        INSIDE,
                        15,
                        EnumSet.of(HOLDER, EXCLUSION, UNFENCED),
                        java(
                                "internal/queue/Request",
                                "                        keys, sent, options.leaseDuration().toNanos());\n"
                                        + "                granted(",
                                "                        keys, queue.kit.nanoTime(), options.leaseDuration().toNanos());\n"
                                        + "                granted(")),
                of(
                        "the deadline of a renewal counts from the reply",
                        INSIDE,
                        47,
                        EnumSet.of(HOLDER, EXCLUSION, UNFENCED),
                        java(
                                "internal/lease/Renewals",
                                "long term = hold.options.leaseDuration().toNanos();",
                                "long term = hold.options.leaseDuration().toNanos(); sentNanos = kit.nanoTime();")),
                of(
                        "deadlines have no allowance for clock drift",
                        INSIDE,
                        2,
                        EnumSet.of(HOLDER, EXCLUSION),
                        java("internal/wire/Deadlines", "return nanos / 100 + FIXED_DRIFT_NANOS;", "return 0;")),
                of(
                        "a take-back is never sent",
                        INSIDE,
                        1,
                        EnumSet.of(ORPHAN, ENDS, LIVENESS, ANSWER),
                        java(
                                "internal/lease/TakeBack",
                                "        item.attempt();\n        return item.first;",
                                "        done(item);\n        item.first.complete(ReleaseResult.ALREADY_GONE);\n        return item.first;")),
                of(
                        "an acquire ignores tombstones",
                        INSIDE,
                        18,
                        EnumSet.of(ORPHAN, ANSWER),
                        lua("acquire", "if redis.call('EXISTS', KEYS[6]) == 1 then", "if false then")),
                of(
                        "a repeated acquire does not extend the hold",
                        INSIDE,
                        1,
                        EnumSet.of(HOLDER, EXCLUSION),
                        lua("acquire", "    expireLater(lock.hold, ARGV[4])\n    -- end", "    -- end")),
                of(
                        "a handoff grants a full term instead of a claim",
                        INSIDE,
                        130,
                        EnumSet.of(LIVENESS),
                        lua(
                                "settle",
                                "grant(lock, owner, rest, window, more, math.floor(nowText / 1000) + window)",
                                "grant(lock, owner, rest, string.match(rest, '^%d+'), more)")),
                of(
                        "the client treats a claim as a full term",
                        INSIDE,
                        1,
                        EnumSet.of(HOLDER, EXCLUSION),
                        java(
                                "internal/queue/Request",
                                "deadlineOfHandoff(keys, grant.given().sinceMicros(), claimNanos,",
                                "deadlineOfHandoff(keys, grant.given().sinceMicros(), options.leaseDuration().toNanos(),")),
                of(
                        "the deadline of a claim counts from receipt of the message",
                        INSIDE,
                        31,
                        EnumSet.of(HOLDER, EXCLUSION, TOKENS),
                        java(
                                "internal/wire/Deadlines",
                                "long deadline = granted + divided(",
                                "long deadline = receivedNanos + divided(")),
                of(
                        "a lock is handed off to a disconnected client",
                        INSIDE,
                        38,
                        EnumSet.of(LIVENESS),
                        lua(
                                "queue",
                                "if string.sub(active, -2) == ' 1' and listeners(lock, client) == 0 then",
                                "if false then")),
                of(
                        "a lapsed claim does not make its client suspect",
                        INSIDE,
                        85,
                        EnumSet.of(LIVENESS),
                        off("queue", "suspect")),
                of(
                        "a suspect client stays suspect after it answers its probe",
                        INSIDE,
                        15,
                        EnumSet.of(STORM),
                        lua("heartbeat", "if suspect and suspect == ARGV[3] then", "if false then")),
                of(
                        "tokens count up from the key and ignore the clock",
                        INSIDE,
                        1,
                        EnumSet.of(TOKENS),
                        lua(
                                "hold",
                                "  if least or before and (before >= token or #before ~= #token) then\n"
                                        + "    local first = math.max(tonumber(token), ",
                                "  do\n    local first = math.max(")),
                of(
                        "a renewal recreates a missing hold",
                        INSIDE,
                        104,
                        EnumSet.of(ORPHAN, TOKENS, HOLDER),
                        lua("renew", "for i = 1, #KEYS do\n", """
                            for i = 1, #KEYS do
                              if not texts[i] then
                                local mine = ARGV[3 * i - 2] .. ' ' .. ARGV[3 * i - 1] .. ' '
                                texts[i] = mine .. nowText .. ' ' .. ARGV[3 * i] .. ' a/b'
                                redis.call('SET', KEYS[i], texts[i], 'PX', ARGV[3 * i])
                              end
                            """)),
                of(
                        "a released lease stays valid until the reply",
                        INSIDE,
                        1,
                        EnumSet.of(HOLDER, EXCLUSION),
                        java(
                                "internal/lease/Handle",
                                "        return presence.get() != HELD;\n",
                                "        return false;\n"),
                        java("internal/lease/Hold", "if (!state.release()) {", "if (!state.active()) {"),
                        java(
                                "internal/lease/Hold",
                                "        return answer.whenComplete((how, failure) -> {\n",
                                "        return answer.whenComplete((how, failure) -> {\n            state.release();\n")),
                of(
                        "waiting clients send no periodic refresh",
                        INSIDE,
                        4,
                        EnumSet.of(LIVENESS, ENDS, ORPHAN),
                        java(
                                "internal/queue/WaitingRoom",
                                "        refreshAll(partition -> true);\n    }\n\n    private void refreshAll",
                                "    }\n\n    private void refreshAll")),
                of(
                        "no client checks whether a claim has lapsed",
                        INSIDE,
                        4,
                        EnumSet.of(LIVENESS),
                        java(
                                "internal/queue/WaitingRoom",
                                "if (checks.remove(keys.hold(), look)) {",
                                "if (checks.remove(keys.hold(), look) && keys == null) {")),
                of(
                        "parked waiters never return to the queue",
                        INSIDE,
                        156,
                        EnumSet.of(LIVENESS, ORDER, ENDS),
                        lua(
                                "return_parked",
                                "if waiting and parked > 0 and redis.call('HEXISTS', lock.details, '@s:' .. requester) == 0 then",
                                "if false then")),
                of(
                        "a loss is reported only when the server replies",
                        INSIDE,
                        1,
                        EnumSet.of(TOLD),
                        java(
                                "internal/lease/Hold",
                                "        endIfPassed(now);\n        if (!active()) {\n            return false;",
                                "        if (state.passed(now) || !active()) {\n            return false;")),
                of(
                        "renewals start too late",
                        INSIDE,
                        4,
                        EnumSet.of(KEPT, Check.WARNED, Check.INTERRUPT),
                        java("internal/lease/Renewals", "Math.min(third, hold.leftNanos(now) - third)", "3 * third")),
                of(
                        "the details key never expires",
                        INSIDE,
                        1,
                        EnumSet.of(EXPIRY, LITTER),
                        lua("common", "    redis.call('PEXPIREAT', lock.details, at)\n", "")),
                of(
                        "a recreated queue key never expires",
                        INSIDE,
                        19,
                        EnumSet.of(EXPIRY, LITTER),
                        lua("common", "tonumber(waiterTtl) or first then", "tonumber(waiterTtl) then")),
                of(
                        "the queue is ordered by a hash of the owner id",
                        INSIDE,
                        1,
                        EnumSet.of(ORDER),
                        lua(
                                "order",
                                "if queueOrder == 'N' then",
                                "order = tonumber(string.sub(redis.sha1hex(owner), 1, 8), 16) if queueOrder == 'N' then")),
                of(
                        "priorities are ignored",
                        INSIDE,
                        1,
                        EnumSet.of(ORDER),
                        lua("order", "return order - priority * 4398046511104", "return order")),
                of(
                        "a new request takes a free lock ahead of waiters",
                        INSIDE,
                        268,
                        EnumSet.of(ORDER),
                        lua(
                                "acquire",
                                "settle(lock, waiting and owner or nil, false, facts[2], noted[1], noted[2])",
                                "if waiting then settle(lock, owner, false, facts[2], noted[1], noted[2]) end")),
                of(
                        "a failed request is not retried",
                        INSIDE,
                        1,
                        EnumSet.of(ENDS, LIVENESS),
                        java(
                                "internal/queue/Request",
                                "queue.kit.schedule(copies.nextRetryNanos(), () -> queue.repeats.add(this));",
                                "")),
                of(
                        "a timeout is reported without the server's acknowledgement",
                        INSIDE,
                        18,
                        EnumSet.of(ANSWER),
                        java(
                                "internal/queue/Request",
                                "outcome.refuse(() -> acknowledged != null && acknowledged\n",
                                "outcome.refuse(() -> acknowledged != null && keys != null\n")),
                of(
                        "a missing reply never times out",
                        INSIDE,
                        587,
                        EnumSet.of(ENDS),
                        java(
                                "internal/wire/ScriptCalls",
                                "if (!flight.get() && now - flight.sentNanos < timeoutNanos) {",
                                "if (!flight.get()) {")),
                of(
                        "quorum: a node that lost its data votes immediately",
                        QUORUM,
                        471,
                        EnumSet.of(EXCLUSION, HOLDER, UNFENCED, TOKENS),
                        lua("marker", "    return tonumber(quarantine)\n", "    return 0\n"),
                        lua(
                                "marker",
                                "local left = math.max(0, math.floor(since / 1000) + tonumber(quarantine) - now)",
                                "local left = 0")),
                of(
                        "quorum: differing tokens are not written back",
                        QUORUM,
                        75,
                        EnumSet.of(TOKENS, HOLDER),
                        java(
                                "internal/quorum/Ballot",
                                "if (granted.stream().allMatch(seat -> seat.token == leaseToken)) {",
                                "if (!granted.isEmpty()) {")),
                of(
                        "quorum: the write-back does not check the owner id",
                        QUORUM,
                        195,
                        EnumSet.of(WRITE_BACK),
                        lua(
                                "quorum_raise",
                                "if not isHoldOf(redis.call('GET', KEYS[1]), ARGV[1], ARGV[2]) then",
                                "if false then")),
                of(
                        "quorum: a minority of the nodes is enough",
                        QUORUM,
                        1,
                        EnumSet.of(EXCLUSION, HOLDER, UNFENCED, TOKENS),
                        java(
                                "internal/quorum/QuorumClient",
                                "this.majority = drivers.size() / 2 + 1;",
                                "this.majority = drivers.size() / 2;")),
                of(
                        "quorum: grants of a lost round are not taken back",
                        QUORUM,
                        7,
                        EnumSet.of(ORPHAN, ENDS, LIVENESS),
                        java(
                                "internal/quorum/Ballot",
                                "            takeBack();\n            caller.lost(this);",
                                "            caller.lost(this);")),
                of(
                        "quorum: one agreeing node is enough for a renewal",
                        QUORUM,
                        3,
                        EnumSet.of(HOLDER, EXCLUSION),
                        java(
                                "internal/quorum/BallotGrant",
                                "majority = agreed >= quorum.majority && (held == null || held);",
                                "majority = agreed >= 1 && (held == null || held);")),
                of(
                        "quorum: a restarted node trusts its old data",
                        QUORUM,
                        33,
                        EnumSet.of(EXCLUSION, HOLDER, UNFENCED, TOKENS),
                        lua("marker", "known = known and (durable == '1' or run == here)", "")),
                of(
                        "handed: the adopter keeps the previous owner id",
                        HANDED,
                        2,
                        EnumSet.of(HOLDER, EXCLUSION, KEPT, UNFENCED),
                        java("internal/queue/QueuedRequest", "final String owner;", "String owner;"),
                        java("internal/queue/Adoption", "private final String owner;", "private String owner;"),
                        java("internal/queue/Adoption", "        queue.kit.ending();\n", """
                                        queue.kit.ending();
                                        request.owner = ticket.owner();
                                        owner = ticket.owner();
                                """)),
                of(
                        "handed: a claim is confirmed too late",
                        HANDED,
                        3,
                        EnumSet.of(KEPT),
                        java("internal/queue/QueueGrant", "Math.min(claimNanos / 3, CONFIRM_NANOS)", "claimNanos / 3")),
                of(
                        "steered: a holder released by name gets no message",
                        STEERED,
                        80,
                        EnumSet.of(TOKENS, EXCLUSION, HOLDER),
                        lua(
                                "revoke",
                                "  mail[#mail + 1] = channelOf(lock, clientOf(held.public))\n  mail[#mail + 1] = 'V ' .. held.public .. ' ' .. string.match(held.rest, '^%d+') .. (drop == '1' and ' 1 ' or ' 0 ') .. lock.hold\n",
                                "")),
                of(
                        "steered: waiters inside the holder's client are not dropped",
                        STEERED,
                        1_233,
                        EnumSet.of(DROPPED),
                        java(
                                "internal/turns/LocalLine",
                                "return held ? refuse(waiting.all(), LocalRequest::evicted) : () -> {};",
                                "return () -> {};")),
                of(
                        "cluster: a mailbox opened only for a kept lock never closes",
                        CLUSTER,
                        2,
                        EnumSet.of(LITTER),
                        java("internal/queue/Mailboxes", "reader.startTicking(); // which closes it again", "")),
                of(
                        "cluster: all servers share one retry limit",
                        CLUSTER,
                        1,
                        EnumSet.of(LIVENESS),
                        java(
                                "internal/queue/RetryQueue",
                                "Object server = serverOf.apply(request);",
                                "Object server = lock;")),
                of(
                        "nested: an interrupted re-entry does not leave the hold",
                        NESTED,
                        1,
                        EnumSet.of(ORPHAN, ENDS),
                        java(
                                "internal/queue/Request",
                                ": how instanceof Joined joined ? joined.handle().get() : null;",
                                ": null;")));
    }

    /** Prints how each of them was found; exits with 1 if one was not. */
    public static void main(String[] names) {
        tell(all(), names);
    }

    static void tell(List<Break> all, String... names) {
        boolean missed = false;
        for (Break each : all) {
            if (names.length > 0 && !List.of(names).contains(each.name())) {
                continue;
            }
            long begin = System.nanoTime();
            String[] found =
                    new BrokenProduct(each.edits()).firstFinding(each.plan(), 1, Math.max(each.seed(), each.seeds()));
            String by = found == null ? "NOT FOUND" : found[0] + " | seed " + found[2] + " | " + found[3];
            missed |= found == null || !BrokenProduct.isOneOf(each.by(), found[0]);
            System.out.println("| " + each.name() + " | " + by + " | " + (System.nanoTime() - begin) / 1_000_000 + " ms"
                    + (found == null ? "" : " | " + found[1]));
        }
        System.exit(missed ? 1 : 0);
    }
}
