package io.holdfast.faults.simulation;

import io.holdfast.LockOptions.Order;
import io.holdfast.faults.simulation.LineChecks.Check;
import io.holdfast.faults.simulation.LineView.Hold;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is promised of read/write locks and of semaphores, looked at from outside clients and server: the side of the server, after
 * each command. What is there is read past the product's scripts.
 */
final class ServerLines {
    private static final long MILLI = Checks.MILLI;
    private static final long ROUNDING = 2;
    /** A calm client takes back what it does not want within a round trip. */
    private static final long CALM_ORPHAN_AFTER = 500 * MILLI;

    /** Scripts that end with the first in line granted, if there is room for it. */
    private static final Set<String> SETTLING =
            Set.of("LINE_ACQUIRE", "LINE_RELEASE", "LINE_REFRESH", "LINE_REVOKE", "LINE_LIMIT", "LINE_CLEAN");

    /** What a script was about. */
    private record Run(String script, String requester, List<String> arguments, String answer) {
        static Run of(Command command, Reply reply) {
            String script = LeaseLook.scriptOf(command);
            List<String> words = command.words();
            List<String> arguments =
                    script.isEmpty() ? List.of() : words.subList(3 + Integer.parseInt(words.get(2)), words.size());
            String answer = reply.isList() ? "" : reply.asString();
            return new Run(script, arguments.isEmpty() ? "" : arguments.get(0).split(" ", 2)[0], arguments, answer);
        }

        boolean isOf(String publicOwner) {
            return script.equals("LINE_RELEASE")
                    && LineView.publicPart(arguments.get(2)).equals(publicOwner);
        }

        /** Whether it is meant to end this hold. */
        boolean ends(String publicOwner, long token) {
            return isOf(publicOwner)
                    || (script.equals("LINE_REVOKE")
                            && (isNoneOr(arguments.get(2), publicOwner)
                                    || (publicOwner.startsWith("-")
                                            && arguments.get(2).equals("- " + token))));
        }

        /** Whether it is meant to drop those that wait. */
        boolean drops() {
            return script.equals("LINE_REVOKE") && arguments.get(3).equals("1");
        }

        /** When this hold ends at the earliest, as it was extended; 0 if it was not. */
        long lasts(String publicOwner, long now) {
            return script.equals("LINE_PROLONG") && isNoneOr(arguments.get(0), publicOwner)
                    ? now + Long.parseLong(arguments.get(1))
                    : 0;
        }

        private static boolean isNoneOr(String named, String publicOwner) {
            return named.isEmpty() || named.equals(publicOwner);
        }
    }

    private final LineChecks checks;
    private final LineChecks.Surroundings world;
    private final MemoryServer server;
    private final String[] keys = new String[LinePlan.LINES];
    private final LineView[] views = new LineView[LinePlan.LINES];
    private final long[] newest = new long[LinePlan.LINES]; // tokens
    private final long[] newestOfWriters = new long[LinePlan.LINES];
    private final long[] roomSince = new long[LinePlan.LINES];
    private final Set<String> over = new HashSet<>(); // owners that a release has ended
    private final Set<String> handed =
            new HashSet<>(); // owners that were told, and whose clients have said nothing since
    private final Map<String, Long> unwantedSince = new HashMap<>();
    private final Map<String, Long> promised = new HashMap<>(); // ends of holds that were lost, by owner and token
    private final Set<String> ghosts = new HashSet<>(); // owners that were over when the server lost its memory
    private final Set<Long> phases = new HashSet<>(); // tokens of readers that older data brought back
    private final long refresh;
    private final long orphanAfter;
    private final long clock; // of the server when the world began, in microseconds
    private long looks;

    ServerLines(LineChecks checks, LineChecks.Surroundings world, MemoryServer server, long refresh, long timeout) {
        this.checks = checks;
        this.world = world;
        this.server = server;
        this.refresh = refresh;
        // Repeated after the command timeout and two seconds at most.
        this.orphanAfter = timeout * 101 / 100 + 2_500 * MILLI;
        List<Reply> time = server.command("TIME").asList();
        this.clock = Long.parseLong(time.get(0).asString()) * 1_000_000
                + Long.parseLong(time.get(1).asString())
                - world.now() / 1_000;
        for (int i = 0; i < keys.length; i++) {
            keys[i] = "hf:{" + (i == LinePlan.SEMAPHORE ? "%sem:" : "%rw:") + LinePlan.nameOf(i) + "}";
            views[i] = new LineView(server, keys[i], serverMillis());
            roomSince[i] = Asked.NEVER;
        }
    }

    LineView view(int line) {
        return views[line];
    }

    long serverMillis() {
        return (clock + world.now() / 1_000) / 1_000;
    }

    // ---- after each command

    /** The server has carried out a command. */
    void answered(Command command, Reply reply) {
        Run run = Run.of(command, reply);
        long now = serverMillis();
        for (int line = 0; line < keys.length; line++) {
            String key = keys[line];
            if (command.words().contains(key) || command.words().contains(key + ":m")) {
                LineView before = views[line];
                views[line] = new LineView(server, key, now);
                look(line, before, views[line], run, now);
            }
        }
        if (run.script.equals("LINE_RELEASE")) {
            String owner = LineView.publicPart(run.arguments.get(2));
            boolean buried = !run.arguments.get(3).startsWith("0 ");
            // Whoever gives back what a late copy got after its tombstone was forgotten does not know whether there are
            // more.
            if (buried || !ghosts.contains(owner)) {
                over.add(owner);
            }
        }
        if (++looks % 8 == 0) {
            expiries();
        }
    }

    private void look(int line, LineView before, LineView after, Run run, long now) {
        String wrong = after.disagreement();
        if (wrong != null) {
            checks.found(Check.ORPHAN, run.script + " leaves " + keys[line] + ": " + wrong);
        }
        handed.removeIf(owner -> LineView.clientOf(owner).equals(run.requester));
        if (run.script.equals("LINE_REVOKE")) {
            before.holds.forEach((owner, hold) -> {
                if (run.ends(owner, hold.token()) && !after.holds.containsKey(owner)) {
                    checks.revoked(owner, hold.token(), !isAway(owner));
                }
            });
        }
        if (run.drops()) {
            before.owners().stream()
                    .filter(owner -> !after.owners().contains(owner))
                    // Whoever has been granted the line asks anew: its hold was ended, not its request.
                    .filter(owner -> !before.holds.containsKey(owner)
                            || (before.waitsFor(owner)
                                    && before.holds.get(owner).end() <= now))
                    .forEach(owner -> {
                        checks.dropped(owner);
                        over.add(owner);
                    });
        }
        nobodyIsRobbed(before, after, run, now);
        after.holds.forEach((owner, hold) -> {
            Hold earlier = before.holds.get(owner);
            if (earlier == null || earlier.token() != hold.token()) {
                if (!hold.rests()) {
                    granted(line, before, after, owner, hold, run, now);
                }
            }
        });
        sharePhase(line, after);
        nobodyComesBack(before, after);
        nobodyLosesItsPlace(before, after, run, now);
        if (SETTLING.contains(run.script) && !run.answer.startsWith("GONE") && !run.answer.startsWith("EVICTED")) {
            String first = firstWithRoom(line, now, run.requester);
            if (first != null) {
                checks.found(
                        Check.LIVENESS,
                        run.script + " leaves room for " + first + ", the first in line, of " + keys[line] + ": "
                                + after);
            }
        }
        room(line, now);
    }

    private void granted(int line, LineView before, LineView after, String owner, Hold hold, Run run, long now) {
        boolean reads = hold.mode() == 'R';
        boolean joins = reads && phases.contains(hold.token());
        if (!joins && hold.token() <= (reads ? newestOfWriters : newest)[line]) {
            checks.found(
                    Check.TOKENS,
                    owner + " " + hold + " after " + newest[line] + ", of writers " + newestOfWriters[line]);
        }
        newest[line] = Math.max(newest[line], hold.token());
        if (hold.mode() == 'W') {
            newestOfWriters[line] = hold.token();
        }
        if (hold.mode() == 'D') {
            return; // held it before
        }
        fits(line, after, owner, hold, now);
        LineRequest request = checks.ownerOf(owner);
        if (request == null) {
            checks.found(Check.ORPHAN, owner + " is nobody's: " + hold);
            return;
        }
        checks.grantedAgain(owner, hold.token(), request);
        if (hold.isClaim() && !LineView.clientOf(owner).equals(run.requester) && !handed.add(owner)) {
            checks.found(
                    Check.LIVENESS, keys[line] + " is handed to " + request + " again, which was not heard meanwhile");
        }
        inOrder(line, before, after, request, hold, now);
    }

    private void fits(int line, LineView after, String owner, Hold hold, long now) {
        int used = 0;
        for (Map.Entry<String, Hold> each : after.holds.entrySet()) {
            Hold other = each.getValue();
            if (other.end() <= now || each.getKey().equals(owner)) {
                continue;
            }
            used += other.weight();
            if (hold.isAlone() || other.isAlone()) {
                checks.found(Check.EXCLUSION, owner + " " + hold + " is granted beside " + other);
            }
        }
        LineRequest request = checks.ownerOf(owner);
        int most = Math.min(LinePlan.PERMITS, after.most(now));
        if (line == LinePlan.SEMAPHORE && request != null && used + hold.weight() > most) {
            checks.found(Check.EXCLUSION, owner + " " + hold + " is granted beside " + used + " permits of " + most);
        }
    }

    /**
     * Who waits since before this command, and waits still, could be told: it is passed by nobody that stands behind it, unless it
     * asks for more than an operator's limit.
     */
    private void inOrder(int line, LineView before, LineView after, LineRequest request, Hold hold, long now) {
        Double order = hold.isClaim() ? Double.valueOf(hold.order()) : before.placeOf(request.owner);
        before.queue.forEach((owner, place) -> {
            Double stands = after.queue.get(owner);
            LineRequest other = checks.ownerOf(LineView.publicPart(owner));
            if (stands == null || other == null || after.isOverLimit(owner, now)) {
                return;
            }
            boolean passed;
            if (order != null) {
                passed = place < order && stands < order;
            } else {
                int ahead = Integer.compare(
                        other.item.options().priority(), request.item.options().priority());
                passed = ahead > 0
                        || (ahead == 0
                                && other.item.options().order() == Order.FIFO
                                && request.item.options().order() == Order.FIFO);
            }
            if (passed) {
                checks.found(
                        Check.ORDER,
                        request + " is granted " + keys[line] + " before " + other + ", of " + after.queue);
            }
        });
    }

    /** What is not meant goes on, and no hold ends earlier than the server has said. */
    private void nobodyIsRobbed(LineView before, LineView after, Run run, long now) {
        before.holds.forEach((owner, hold) -> {
            if (hold.end() <= now || run.ends(owner, hold.token())) {
                return;
            }
            Hold later = after.holds.get(owner);
            if (later == null) {
                checks.found(Check.HOLDER, run.script + " ends " + owner + " " + hold + ", which is not meant");
            } else if (later.token() == hold.token()) {
                long due = Math.max(hold.end(), run.lasts(owner, now));
                if (later.end() < due) {
                    checks.found(Check.HOLDER, owner + " ends " + (due - later.end()) + " ms too early: " + later);
                }
            }
        });
    }

    private void sharePhase(int line, LineView after) {
        long phase = 0;
        for (Hold hold : after.holds.values()) {
            if (hold.mode() == 'R' || hold.mode() == 'D') {
                if (phase != 0 && hold.token() != phase) {
                    checks.found(Check.TOKENS, "readers of one phase of " + keys[line] + ": " + after.holds);
                }
                phase = hold.token();
            }
        }
    }

    private void nobodyComesBack(LineView before, LineView after) {
        List<String> now = new ArrayList<>(after.holds.keySet());
        after.queue.keySet().forEach(owner -> now.add(LineView.publicPart(owner)));
        after.parked.keySet().forEach(owner -> now.add(LineView.publicPart(owner)));
        for (String owner : now) {
            if (over.contains(owner) && !before.holds.containsKey(owner) && !before.waitsFor(owner)) {
                checks.found(Check.ORPHAN, checks.ownerOf(owner) + " was ended, and is back");
            }
        }
    }

    private void nobodyLosesItsPlace(LineView before, LineView after, Run run, long now) {
        Map<String, Double> waited = new HashMap<>(before.queue);
        waited.putAll(before.parked);
        before.holds.forEach((owner, hold) -> {
            if (hold.isClaim()) {
                waited.put(owner + "~" + hold.secret(), Double.valueOf(hold.order()));
            }
        });
        waited.forEach((owner, place) -> {
            String publicOwner = LineView.publicPart(owner);
            Double stands = after.queue.getOrDefault(owner, after.parked.get(owner));
            LineView.Hold had = before.holds.get(publicOwner);
            boolean meant = run.drops() || (had == null ? run.isOf(publicOwner) : run.ends(publicOwner, had.token()));
            if (stands == null
                    ? !after.holds.containsKey(publicOwner) && !meant && before.deadlineOf(owner) >= now
                    : !stands.equals(place)) {
                checks.found(
                        Check.ORDER,
                        checks.ownerOf(publicOwner) + " has lost its place " + place + " by " + run.script
                                + (stands == null ? "" : ", and has " + stands));
            }
        });
    }

    // ---- room

    /** The first in line that can be told, if there is room for it; who asks can, by the reply. */
    private @Nullable String firstWithRoom(int line, long now, String requester) {
        LineView view = views[line];
        for (String owner : view.queue.keySet()) {
            if (view.isOverLimit(owner, now)) {
                continue; // whoever comes next must not wait for it
            }
            boolean asks = LineView.clientOf(owner).equals(requester);
            if (view.deadlineOf(owner) >= now
                    && (asks || (!view.isSuspect(owner) && !(view.wasSeenListening(owner) && isAway(owner))))) {
                return view.hasRoomFor(owner, now) ? owner : null;
            }
        }
        return null;
    }

    /** Whether its client does not listen. */
    private boolean isAway(String owner) {
        String channel = "hf:to:" + LineView.clientOf(owner);
        return server.command("PUBSUB", "NUMSUB", channel).asList().get(1).asLong() == 0;
    }

    /** Whether anybody still wants what it waits for: older data brings back those that have ended. */
    private boolean somebodyWaits(int line) {
        return Stream.concat(views[line].queue.keySet().stream(), views[line].parked.keySet().stream())
                .map(LineView::publicPart)
                .anyMatch(owner -> {
                    LineRequest request = checks.ownerOf(owner);
                    return request != null && checks.isWanted(owner, request);
                });
    }

    private void room(int line, long now) {
        String first = firstWithRoom(line, now, "");
        if (first == null || !somebodyWaits(line)) {
            roomSince[line] = Asked.NEVER;
            return;
        }
        roomSince[line] = Math.min(roomSince[line], world.now());
        long since = roomSince[line];
        LineRequest request = checks.ownerOf(LineView.publicPart(first));
        boolean calm = world.allCalm(since - LineChecks.GRACE);
        long bound = calm ? ServerChecks.LOOKED_AT_AFTER : refresh * 101 / 100 + 1_000 * MILLI;
        if (world.now() - since > bound
                && request != null
                && request.machine.isRunning()
                && world.isCalm(request.machine, since - LineChecks.GRACE)) {
            checks.found(
                    Check.LIVENESS,
                    keys[line] + " has room for " + request + " since " + (world.now() - since) / MILLI + " ms"
                            + (calm ? ", nothing was wrong" : "") + ": " + views[line]);
        }
    }

    // ---- now and then

    /** Time alone has passed. */
    void beat() {
        long now = serverMillis();
        for (int line = 0; line < keys.length; line++) {
            room(line, now);
            for (String owner : views[line].holds.keySet()) {
                wanted(owner, views[line].holds.get(owner).end() > now, line);
            }
            for (String owner : views[line].queue.keySet()) {
                wanted(LineView.publicPart(owner), views[line].deadlineOf(owner) > now, line);
            }
            for (String owner : views[line].parked.keySet()) {
                wanted(LineView.publicPart(owner), views[line].deadlineOf(owner) > now, line);
            }
        }
    }

    private void wanted(String owner, boolean lives, int line) {
        LineRequest request = checks.ownerOf(owner);
        if (request == null
                || !lives
                || !request.machine.isRunning()
                || ghosts.contains(owner)
                || checks.isWanted(owner, request)) {
            unwantedSince.remove(owner);
            return;
        }
        long first = unwantedSince.computeIfAbsent(owner, unknown -> world.now());
        boolean calm = world.isCalm(request.machine, first - LineChecks.GRACE);
        long since = Math.max(first, world.troubledUntil(request.machine));
        if (world.now() - since > (calm ? CALM_ORPHAN_AFTER : orphanAfter)) {
            checks.found(
                    Check.ORPHAN,
                    request + ", which is over, has " + keys[line] + " since " + (world.now() - since) / MILLI + " ms: "
                            + views[line]);
        }
    }

    /**
     * Behind a valid lease stands a hold with its token, that ends no earlier, or stood when the server lost its memory.
     *
     * @return whether the hold is there
     */
    boolean stands(LineLease held, double leftNanos) {
        Hold hold = views[held.line()].holds.get(held.owner);
        boolean stands = hold != null && hold.token() == held.lease.token();
        long end = promised.getOrDefault(held.owner + " " + held.lease.token(), 0L);
        if (hold != null && stands) {
            end = Math.max(end, hold.end());
        }
        long left = Math.max(0, end - serverMillis());
        if (end == 0 || left + ROUNDING < leftNanos / MILLI) {
            checks.found(
                    Check.HOLDER,
                    held + " has " + (long) (leftNanos / MILLI) + " ms left, on the server " + left + ": " + hold);
        }
        return stands;
    }

    /** The server has lost what it knew, or has older data: each lease may go on for as long as it was promised. */
    void memoryIsLost() {
        long now = serverMillis();
        long later = clock + world.now() / 1_000;
        for (int line = 0; line < keys.length; line++) {
            views[line].holds.forEach(
                    (owner, hold) -> promised.merge(owner + " " + hold.token(), hold.end(), Math::max));
            LineView view = new LineView(server, keys[line], now);
            for (String owner : view.owners()) {
                LineRequest request = checks.ownerOf(owner);
                if (request == null || !checks.isWanted(owner, request)) {
                    ghosts.add(owner);
                }
            }
            view.holds.values().stream().filter(hold -> !hold.isAlone()).forEach(hold -> phases.add(hold.token()));
            views[line] = view;
            later = Math.max(later, newest[line] + 1);
        }
        ghosts.addAll(over); // tombstones are forgotten, too: late copies may be granted once more
        over.clear();
        handed.clear(); // what was told is told again
        checks.memoryIsLost(later);
    }

    private void expiries() {
        for (Reply key : server.command("KEYS", "hf:*").asList()) {
            long left = server.command("PTTL", key.asString()).asLong();
            if (left < 0) {
                checks.found(Check.EXPIRY, key.asString() + " has no expiry");
            }
        }
        long now = serverMillis();
        for (int line = 0; line < keys.length; line++) {
            for (Hold hold : views[line].holds.values()) {
                for (String key : List.of(keys[line], keys[line] + ":m")) {
                    if (hold.end() > now && server.command("PTTL", key).asLong() < hold.end() - now) {
                        checks.found(Check.EXPIRY, key + " ends before " + hold);
                    }
                }
            }
        }
    }

    /** When all has been quiet for long enough: tombstones and tokens remain. */
    void nothingLeft() {
        List<String> left = server.command("KEYS", "hf:*").asList().stream()
                .map(Reply::asString)
                .filter(key -> !key.endsWith(":t") && !key.contains("}:x:") && !key.endsWith(":e"))
                .toList();
        if (!left.isEmpty()) {
            checks.found(Check.ORPHAN, "left on the server: " + left + " " + List.of(views));
        }
    }
}
