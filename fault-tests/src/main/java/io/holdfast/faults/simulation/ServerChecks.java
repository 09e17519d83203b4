package io.holdfast.faults.simulation;

import io.holdfast.LockOptions.Order;
import io.holdfast.faults.simulation.Checks.Check;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is looked at on the server itself, past all clients: who holds, who waits, and since when. Which waiter came first is
 * what was seen here, not what the queue says.
 */
final class ServerChecks {
    private static final long MILLI = Checks.MILLI;
    static final long ROUNDING = 2 * MILLI;
    /** The server sees that a process is gone. */
    private static final long NOTICED_AFTER = 1_000 * MILLI;
    /** A calm client takes back what it does not want within a round trip. */
    private static final long CALM_ORPHAN_AFTER = 100 * MILLI;

    /** A round trip, and one percent of a refresh interval. */
    static final long LOOKED_AT_AFTER = 150 * MILLI;

    private static final int LOOK_AT_EXPIRIES_EVERY = 16;

    private final Checks checks;
    private final Checks.Surroundings world;
    private final MemoryServer server;
    private final boolean strict;
    private final KeeperChecks keepers;
    final Leftovers leftovers;
    private final List<View> views = new ArrayList<>();
    private final Map<Integer, Integer> places = new HashMap<>(); // of the views, by lock
    private final String[] readHolds;
    private final Map<String, Asked> byOwner = new HashMap<>();
    private final Map<String, Machine> adopters = new HashMap<>(); // by the owner that each has got
    private final long refresh;
    private final long orphanAfter;
    private long queued;
    private long dirtySteps;
    private boolean dirty = true;
    private @Nullable Machine lastFrom;

    /** @param servers how many share the locks */
    ServerChecks(Plan plan, Checks checks, Checks.Surroundings world, Node node, int servers) {
        this.checks = checks;
        this.world = world;
        this.server = node.memory;
        this.strict = plan.kind() != Plan.Kind.OUTSIDE;
        List<String> words = new ArrayList<>(List.of("MGET"));
        for (int i = node.number; i < plan.locks(); i += servers) {
            View view = new View(i);
            places.put(i, views.size());
            views.add(view);
            words.add(view.key);
        }
        if (views.isEmpty()) {
            words.add("none");
        }
        this.readHolds = words.toArray(new String[0]);
        this.refresh = plan.options().refreshInterval().toNanos();
        this.leftovers = new Leftovers(checks, server, views, byOwner);
        this.keepers = new KeeperChecks(checks, world, this, server, refresh);
        // Repeated after the command timeout and two seconds at most; the claim window beside it.
        this.orphanAfter = 3 * plan.options().commandTimeout().toNanos() + 4_000 * MILLI;
    }

    @Nullable
    Asked ownerOf(String owner) {
        return byOwner.get(owner);
    }

    private View viewOf(int lock) {
        return views.get(Objects.requireNonNull(places.get(lock)));
    }

    /** A request has told its owner. */
    void owns(String owner, Asked asked) {
        byOwner.put(owner, asked);
    }

    /** A lease was handed to another client, which may hold it under an owner of its own. */
    void adopted(Held held, Asked asked) {
        byOwner.put(
                held.owner, byOwner.getOrDefault(held.origin, asked)); // of the grant: others may have entered it since
        adopters.put(held.owner, held.machine);
    }

    /** An operator has made the present hold last longer, which may have been granted in this very step. */
    void prolonged(int lock) {
        lookBetween();
        viewOf(lock).prolonged();
    }

    /** The server has come back with what it had earlier: nobody was granted what is held there now. */
    void restored() {
        for (View view : views) {
            Reply hold = server.command("GET", view.key);
            view.text = hold.isNull() ? null : holdOf(hold.asString());
            String[] words =
                    hold.isNull() ? new String[] {"", "0"} : hold.asString().split(" ", 3);
            view.owner = LineView.publicPart(words[0]);
            view.token = Long.parseLong(words[1]);
        }
    }

    /** What it sees of the lock whose hold has this key. */
    Stream<View> viewsOf(String key) {
        return views.stream().filter(view -> view.key.equals(key));
    }

    /** Something runs on the server now, or has just run, for a client if one is given. */
    void ran(@Nullable Machine from) {
        lookBetween();
        dirty = true;
        lastFrom = from;
    }

    /**
     * Sees who holds and who waits between two commands of one step. A step is one command mostly; but when a client
     * blocks for an answer, all that it had sent is carried out in that step: before the step is over, a lock is granted
     * to one request and refused to the next, or a request is queued and handed the lock. Only what commands have left so
     * far counts: a lock that is granted after an answer was free.
     */
    private void lookBetween() {
        if (!dirty) {
            return; // nothing has run since the last step
        }
        List<Reply> holds = server.command(readHolds).asList();
        for (int i = 0; i < views.size(); i++) {
            Reply hold = holds.get(i);
            look(views.get(i), hold.isNull() ? null : holdOf(hold.asString()), true, world.now());
        }
    }

    /** What every look sees, after a command or a step: whoever was granted the lock since the last was next in the queue. */
    private void look(View view, @Nullable String text, boolean ran, long now) {
        List<String> before = view.queue;
        if (ran) {
            lookAtQueue(view, now);
        }
        if (text != null) {
            view.heldAt = now;
            if (!text.equals(view.seen)) {
                granted(view, text, before, now);
            }
        }
        view.seen = text;
    }

    private void granted(View view, String text, List<String> queueBefore, long now) {
        long token = View.token(text);
        if (token != view.judged) { // or it was handed from client to client
            view.judged = token;
            String heldBefore = view.seen == null ? "" : LineView.publicPart(view.seen);
            inOrder(view, byOwner.get(LineView.publicPart(text)), heldBefore, queueBefore, now);
        }
    }

    /** A shared hold gets a lease, the first or a further one, which has a token of its own. */
    void lends(Shared shared, Held held) {
        View view = viewOf(held.lock);
        if (shared.granted > 0) {
            view.lastToken = Math.max(view.lastToken, held.token);
            Asked holder = byOwner.get(view.owner);
            if (strict && holder != null && holder.shared == shared) {
                for (String owner : view.queue) {
                    Asked other = byOwner.get(owner);
                    if (other != null && other.shared != shared && other.queuedAt != Asked.NEVER) {
                        shared.othersWaitSince(Math.max(other.queuedAt, view.grantedAt), held.obtainedAt);
                    }
                }
            }
        } else if (shared.token != held.token) { // within one step with the grant, which was not seen yet
            Reply hold = server.command("GET", view.key);
            shared.grantedByServer(
                    held.token, !hold.isNull() && holdOf(hold.asString()).endsWith(" K"), world.now());
        }
    }

    /** One who does not wait was told that somebody holds the lock. */
    void saidTaken(Asked asked) {
        View view = viewOf(asked.item.lock());
        if (view.kept && view.grantedAt < asked.askedAt) {
            view.wantedSince = Math.min(view.wantedSince, world.now());
        }
    }

    /** Whether nobody held it then or at any time since, between the commands of the present step too. */
    boolean freeSince(int lock, long since) {
        lookBetween();
        View view = viewOf(lock);
        return view.text == null && view.heldAt < since;
    }

    void afterStep() {
        long now = world.now();
        boolean ran = dirty;
        dirty = false;
        List<Reply> holds = server.command(readHolds).asList();
        for (int i = 0; i < views.size(); i++) {
            View view = views.get(i);
            Reply hold = holds.get(i);
            String text = hold.isNull() ? null : holdOf(hold.asString());
            look(view, text, ran, now);
            if (text == null ? view.text != null : !text.equals(view.text)) {
                changed(view, text, now);
            }
            if (view.text != null) {
                outlasts(view);
                owned(view, now);
                claimed(view, now);
                if (strict) {
                    keepers.lastsATerm(view, now);
                    keepers.tellsItself(view, now);
                    keepers.givenBack(view, now);
                }
            } else {
                served(view, now);
            }
        }
        if (ran && ++dirtySteps % LOOK_AT_EXPIRIES_EVERY == 0) {
            expiries();
        }
    }

    /** The text of a hold as it was granted: that it was recalled since is noted in it, and it is the same hold. */
    private static String holdOf(String text) {
        return text.endsWith(" R") ? text.substring(0, text.length() - 1) + "K" : text;
    }

    private void lookAtQueue(View view, long now) {
        List<Reply> queue = server.command("ZRANGE", view.key + ":q", "0", "-1").asList();
        if (queue.isEmpty()) {
            view.queue = List.of();
            return;
        }
        List<String> owners = new ArrayList<>(queue.size());
        for (Reply reply : queue) {
            String owner = LineView.publicPart(reply.asString());
            owners.add(owner);
            Asked asked = byOwner.get(owner);
            if (asked != null && asked.queuedAs == Asked.NEVER) {
                asked.queuedAs = queued++;
                asked.queuedAt = now;
            }
        }
        view.queue = owners;
    }

    private boolean isClaim(View view) {
        Reply claim = server.command("HGET", view.key + ":d", "@claim");
        return !claim.isNull() && LineView.publicPart(claim.asString()).equals(view.owner);
    }

    private void changed(View view, @Nullable String text, long now) {
        view.unownedSince = Asked.NEVER;
        view.wantedSince = Asked.NEVER;
        view.grantedAt = now;
        view.kept = text != null && text.endsWith(" K");
        view.text = text;
        if (text == null) {
            view.freeSince = now;
            view.owner = "";
            return;
        }
        String[] words = text.split(" ", 5);
        Asked before = byOwner.get(view.owner);
        view.owner = LineView.publicPart(words[0]);
        long token = Long.parseLong(words[1]);
        if (token == view.token && before != null && before == byOwner.get(view.owner)) {
            return; // handed from client to client
        }
        view.token = token;
        view.rests = view.owner.equals("-");
        if (view.rests) {
            checks.rests(view.number, view.releasedBy, token);
            return;
        }
        if (token <= view.lastToken) {
            // Also the same token: nothing but a grant makes a hold.
            checks.found(
                    Check.TOKENS,
                    view.key + " is granted to " + byOwner.get(view.owner) + " with " + token + " after "
                            + view.lastToken);
        }
        view.lastToken = token;
        Asked of = byOwner.get(view.owner);
        if (of != null && of.shared != null) {
            of.shared.grantedByServer(token, view.kept, now);
        } else if (view.kept) {
            checks.found(Check.FAIR, view.key + " is kept by " + of + ", which does not share its hold");
        }
        view.claimedAt = isClaim(view) ? now : Asked.NEVER;
        view.brief = isClaim(view) && Long.parseLong(words[3]) * MILLI <= refresh;
        view.handedBy = lastFrom;
        Asked next = byOwner.get(view.owner);
        if (next != null) {
            handed(view, next, now);
        }
    }

    /** What a waiter costs that cannot take up its grant. */
    private void handed(View view, Asked next, long now) {
        if (strict && next.refused) {
            checks.found(Check.ANSWER, next + " was told that it does not hold, and is granted " + view.key);
        }
        Machine machine = next.machine;
        // What it had sent itself before it stood still may bring it the lock.
        boolean handoff =
                view.claimedAt != Asked.NEVER && strict && lastFrom != machine && !world.copiesSince(machine, now);
        if (handoff
                && machine.standsStillSince(now - NOTICED_AFTER)
                && world.wasCalmUntilItsDeath(machine, next.queuedAt - Checks.GRACE)) {
            checks.found(Check.LIVENESS, view.key + " is handed to " + next + ", whose process is gone");
        }
        Machine before = view.lastClaimant;
        boolean lapsed = now - view.lastHandoffAt >= view.lastClaim;
        if (handoff && lapsed && before == machine && machine.standsStillSince(view.lastHandoffAt)) {
            checks.found(Check.LIVENESS, view.key + " is handed to " + next + ", whose process did not take the last");
        }
        view.lastClaimant = handoff ? machine : null;
        view.lastHandoffAt = now;
        view.lastClaim = next.item.options().handoffTimeout().toNanos();
    }

    /** A waiter that stands still costs a claim window, not a term. */
    private void claimed(View view, long now) {
        Asked asked = byOwner.get(view.owner);
        if (asked == null || view.claimedAt == Asked.NEVER || !strict || view.isProlonged()) {
            return;
        }
        if (now - view.claimedAt > LOOKED_AT_AFTER
                && waitsCalmly(asked, now, Math.min(view.claimedAt, asked.queuedAt))
                && isClaim(view)) {
            checks.found(
                    Check.LIVENESS,
                    view.key + " was handed to " + asked + " " + (now - view.claimedAt) / MILLI
                            + " ms ago, which was not told");
        }
        long claim = asked.item.options().handoffTimeout().toNanos();
        // A refresh that was under way arms the claim anew.
        if (now - view.claimedAt > 2 * claim + 900 * MILLI
                && asked.machine.standsStillSince(view.claimedAt)
                && !world.copiesSince(asked.machine, view.claimedAt)) {
            if (!isClaim(view)) {
                view.claimedAt = Asked.NEVER; // what was under way has taken it up
                return;
            }
            checks.found(
                    Check.LIVENESS,
                    view.key + " is kept for " + asked + ", whose process stands still, since "
                            + (now - view.claimedAt) / MILLI + " ms");
        }
    }

    /** Nobody who waits undisturbed is passed over. Whoever held it before stands there until it confirms. */
    private void inOrder(View view, @Nullable Asked next, String heldBefore, List<String> queueBefore, long now) {
        if (!strict || next == null) {
            return;
        }
        boolean queued = next.queuedAs != Asked.NEVER;
        if (queued && next.item.options().requestLife() != null) {
            return; // it may have entered anew
        }
        for (String owner : queueBefore) {
            Asked other = byOwner.get(owner);
            if (other == null
                    || other == next
                    || owner.equals(heldBefore)
                    || checks.wasRevoked(owner)
                    || !waitsCalmly(other, now, other.queuedAt)) {
                continue;
            }
            int higher = Integer.compare(
                    other.item.options().priority(), next.item.options().priority());
            boolean fifo = other.item.options().order() == Order.FIFO
                    && next.item.options().order() == Order.FIFO;
            if (!queued || higher > 0 || (higher == 0 && fifo && other.queuedAs < next.queuedAs)) {
                checks.found(
                        Check.ORDER,
                        next + " got lock" + view.number + " before " + other + ", which waits since "
                                + (now - other.queuedAt) / MILLI + " ms");
            }
        }
    }

    boolean waitsCalmly(Asked asked, long now, long since) {
        return !asked.done
                && !asked.withdrawn
                && asked.waitsUntil() > now
                && asked.queuedAt < now
                && asked.item.options().requestLife() == null
                && asked.machine.isRunning()
                && world.undisturbed(asked.machine, asked.item.lock(), since - Checks.GRACE - 3 * refresh);
    }

    /** The server keeps a hold at least as long as its lease says. */
    private void outlasts(View view) {
        if (!strict) {
            return;
        }
        long left = -1;
        for (Held held : checks.leases()) {
            if (held.lock != view.number || held.given || held.revoked || held.machine.state() == Machine.State.DEAD) {
                continue;
            }
            double lease = held.leftInWorld();
            if (lease <= 0) {
                continue;
            }
            if (!isOf(held, view)) {
                checks.found(Check.HOLDER, held + " is good, but the server has " + view.owner + " " + view.token);
                return;
            }
            if (left < 0) {
                left = server.command("PTTL", view.key).asLong() * MILLI;
            }
            if (lease > left + ROUNDING) {
                checks.found(
                        Check.HOLDER,
                        held + " is good for " + (long) lease / MILLI + " ms, on the server for " + left / MILLI
                                + " ms");
            }
        }
    }

    /** Leases that share a hold have tokens that the server has reserved with it. */
    private boolean isOf(Held held, View view) {
        if (!held.owner.equals(view.owner)) {
            return false;
        }
        if (held.shared == null || held.token == view.token) {
            return held.token == view.token;
        }
        Reply reserved = server.command("GET", view.key + ":t");
        return held.token > view.token && !reserved.isNull() && held.token <= Long.parseLong(reserved.asString());
    }

    /** A hold is somebody's: of a lease, of a request, or of a process that is gone, until its term is over. */
    private void owned(View view, long now) {
        if (view.owner.equals("-")) {
            return;
        }
        Asked asked = byOwner.get(view.owner);
        if (asked == null) {
            checks.found(Check.ORPHAN, view.key + " is held by " + view.owner + ", who never asked");
            return;
        }
        Machine responsible = asked.machine;
        Shared shared = asked.shared;
        boolean left = asked.keepsHold;
        // One that asks for several gives the hold to one of them at once.
        boolean mine = shared == null ? !asked.done : shared.isIdle() && now - shared.idleSince <= shared.mayBeIdle();
        for (Held held : checks.leases()) {
            if (held.lock == view.number
                    && (shared == null ? held.token == view.token : held.owner.equals(view.owner))) {
                responsible = held.machine;
                mine |= held.overSince == Asked.NEVER;
                left |= held.detached && !held.given;
            }
        }
        mine |= left;
        responsible = adopters.getOrDefault(view.owner, responsible); // also when its lease is forgotten
        long closedAt = world.closedAt(responsible);
        if (strict && closedAt != Asked.NEVER && !left && now - closedAt > CALM_ORPHAN_AFTER) {
            checks.found(
                    Check.ORPHAN,
                    view.key + " is held for " + asked + ", whose client was closed " + (now - closedAt) / MILLI
                            + " ms ago");
        }
        if (mine || !responsible.isRunning()) {
            view.unownedSince = Asked.NEVER;
        } else if (view.unownedSince == Asked.NEVER) {
            view.unownedSince = now;
        } else if (strict && tooLong(view, asked, responsible, now)) {
            checks.found(
                    Check.ORPHAN,
                    view.key + " is held for " + asked + ", which has ended, since " + (now - view.unownedSince) / MILLI
                            + " ms");
        }
    }

    private boolean tooLong(View view, Asked asked, Machine responsible, long now) {
        long unowned = now - view.unownedSince;
        return (unowned > CALM_ORPHAN_AFTER
                        && world.undisturbed(responsible, view.number, asked.askedAt - Checks.GRACE))
                || (unowned > orphanAfter && world.undisturbed(responsible, view.number, view.unownedSince));
    }

    /** A lock that nobody holds goes to who waits. */
    private void served(View view, long now) {
        if (!view.queue.isEmpty()) {
            for (String owner : view.queue) {
                Asked asked = byOwner.get(owner);
                // When nobody's refresh meets the free lock.
                long since = asked == null ? now : Math.max(view.freeSince, asked.queuedAt);
                if (asked != null && now - since > mostIdle(view) && strict && waitsCalmly(asked, now, since)) {
                    checks.found(
                            Check.LIVENESS,
                            asked + " waits for " + view.key + ", which is free since " + (now - view.freeSince) / MILLI
                                    + " ms");
                }
            }
        }
        if (!strict) {
            return;
        }
        for (Held held : checks.leases()) {
            if (held.lock == view.number
                    && !held.given
                    && !held.revoked
                    && held.machine.state() != Machine.State.DEAD
                    && held.leftInWorld() > 0) {
                checks.found(Check.HOLDER, held + " is good, but nobody holds the lock on the server");
            }
        }
    }

    /** Looked at now and then: who can be told again does not stay aside. */
    void nobodyStaysAside() {
        long now = world.now();
        for (View view : views) {
            for (Reply waiter :
                    server.command("ZRANGE", view.key + ":p", "0", "-1").asList()) {
                Asked asked = byOwner.get(LineView.publicPart(waiter.asString()));
                if (strict && asked != null && asked.queuedAt < now && waitsCalmly(asked, now, now - 2_000 * MILLI)) {
                    checks.found(Check.LIVENESS, asked + " stands aside in " + view.key + ", and could be told");
                }
            }
        }
    }

    /**
     * How long a lock may be free while somebody calm waits. Who waits looks when the hold should have ended; after a claim
     * that was not taken up, who caused the handoff looks, and only if that one cannot, the next refresh finds it.
     */
    private long mostIdle(View view) {
        Machine giver = view.handedBy;
        if (view.rests || view.brief) {
            return mostRefresh(); // nobody was told when that is
        }
        boolean looked = view.claimedAt == Asked.NEVER
                || (giver != null
                        && giver.isRunning()
                        && world.undisturbed(giver, view.number, view.claimedAt - Checks.GRACE));
        return looked ? LOOKED_AT_AFTER : mostRefresh();
    }

    /** Looked at now and then: a request is served, also where the server does not know of it. */
    void nobodyIsForgotten() {
        long now = world.now();
        for (Asked asked : checks.open()) {
            Integer place = places.get(asked.item.lock());
            if (place == null || !strict || asked.item.waitMillis() == 0) {
                continue;
            }
            View view = views.get(place);
            long since = Math.max(asked.askedAt, view.freeSince);
            if (view.text == null
                    && now - since > mostRefresh()
                    && !asked.done
                    && !asked.withdrawn
                    && asked.waitsUntil() > now
                    && asked.item.options().requestLife() == null
                    && asked.machine.isRunning()
                    && world.undisturbed(asked.machine, view.number, since - Checks.GRACE - 3 * refresh)) {
                checks.found(
                        Check.LIVENESS,
                        asked + " wants " + view.key + ", which is free since " + (now - view.freeSince) / MILLI
                                + " ms");
            }
        }
    }

    private long mostRefresh() {
        return refresh * 101 / 100 + 300 * MILLI;
    }

    private void expiries() {
        for (Reply key : server.command("KEYS", "*").asList()) {
            if (server.command("PTTL", key.asString()).asLong() == -1) {
                checks.found(Check.EXPIRY, key.asString() + " has none");
            }
        }
    }
}
