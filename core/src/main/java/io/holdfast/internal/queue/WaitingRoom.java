package io.holdfast.internal.queue;

import io.holdfast.Contention;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.internal.deadlock.BlockedFlows;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Rest;
import io.holdfast.internal.safety.EndedHolders;
import io.holdfast.internal.wire.Announced;
import io.holdfast.internal.wire.Batches;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LockScripts;
import io.holdfast.internal.wire.LockScripts.Claim;
import io.holdfast.internal.wire.LockScripts.RefreshEntry;
import io.holdfast.internal.wire.LockScripts.RefreshReply;
import io.holdfast.internal.wire.LockScripts.State;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Notice;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client that wait, and all that keeps them alive: messages, the refresh, and the check after a
 * handoff.
 *
 * <p>Every request is known here by its owner id from before it first asks until its hold ends, so that a
 * message which overtakes its reply finds it, and one that comes late does not look like a grant for nobody. While it is
 * queued it also stands in the line of its lock.
 */
public final class WaitingRoom implements Mailboxes.Reader, EndedHolders.Waiters {
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    /** Locks in one call of the refresh. */
    private static final int BATCH = 50;

    /** In which order the server serves requests of one client, as far as the client can know it. */
    private static final Comparator<QueuedRequest> SERVED = Comparator.<QueuedRequest>comparingInt(
                    request -> -request.options.priority())
            .thenComparing(request -> switch (request.options.order()) {
                case SHARES -> 0;
                case LIFO -> 1;
                case FIFO -> 2;
                case RANDOM -> 3;
            })
            .thenComparingLong(request -> request.options.order() == LockOptions.Order.LIFO
                    ? -request.outcome.number
                    : request.outcome.number);

    /** The queued requests of this client for one lock, in the order in which they are served. */
    private static final class Line {
        final Keys keys;
        final ConcurrentSkipListSet<QueuedRequest> queued = new ConcurrentSkipListSet<>(SERVED);

        /** How often this client looks again for others, if nobody of its own waits. */
        final int furtherLooks;

        Line(Keys keys) {
            this(keys, 0);
        }

        Line(Keys keys, int furtherLooks) {
            this.keys = keys;
            this.furtherLooks = furtherLooks;
        }
    }

    /** When a lock is to be checked, and how often again if its hold is about to end then, too. */
    private record Look(long due, int further) {}

    /**
     * A claim is armed anew when the server hears of its client, so it may last longer than the handoff said. Whoever has
     * caused the handoff, and waits for nothing itself, looks again when it should be over; not for ever, because what it
     * sees may as well be a short term that is renewed.
     */
    private static final int FURTHER_LOOKS = 3;
    /** How often a line is refreshed again whose requests were granted the lock while the refresh was under way. */
    private static final int FURTHER_REFRESHES = 3;
    /**
     * With so little left a look has come early, since it was quicker on its way than the call that told the moment: what is
     * told now is still the same moment, and no further one.
     */
    private static final long EARLY_NANOS = 10_000_000L;

    private final QueueEngine queue;
    private final Map<String, QueuedRequest> byOwner = new ConcurrentHashMap<>(); // by the public part
    private final Map<String, Line> lines =
            new ConcurrentHashMap<>(); // by key of the hold; never an empty line for long
    private final Set<QueuedRequest> toAsk =
            new ConcurrentSkipListSet<>((one, other) -> Long.compare(one.outcome.number, other.outcome.number));
    private final Set<String> refused =
            ConcurrentHashMap.newKeySet(); // locks whose refresh is, by key of the hold; they are refreshed alone
    private final Map<String, Look> checks = new ConcurrentHashMap<>(); // by key of the hold
    private final Wanting wanting;
    private final Announced ticking = new Announced();

    WaitingRoom(QueueEngine queue) {
        this.queue = queue;
        this.wanting = new Wanting(queue.kit);
    }

    void add(QueuedRequest request) {
        byOwner.put(OwnerIds.publicPart(request.owner), request);
    }

    /** A request goes on with the hold of another, under its owner; false if that one is not known any more. May be said again. */
    boolean replace(QueuedRequest before, QueuedRequest by) {
        String owner = OwnerIds.publicPart(by.owner);
        return byOwner.replace(owner, before, by) || byOwner.get(owner) == by;
    }

    /** The request stands in the server's queue. */
    void queued(QueuedRequest request) {
        toAsk.remove(request);
        lines.compute(request.keys.hold(), (hold, present) -> {
            Line line = present == null ? new Line(request.keys) : present;
            line.queued.add(request);
            return line;
        });
        if (!request.pending()) {
            leaveLine(request);
        } else {
            queue.mailboxes.want(request.keys); // mostly open: only who can be told asks to be queued
        }
        queue.standsStill();
        startTicking();
    }

    /** Shows who waits; those for whom a shared one asks are shown by their own line. */
    void show(BlockedFlows to) {
        for (QueuedRequest each : byOwner.values()) {
            if (!each.isShared()) {
                to.waits(each.outcome, each.owner, true, each::finish);
            }
        }
    }

    /** The request wants to queue but cannot yet: it asks again when messages flow, and with every refresh. */
    void askLater(QueuedRequest request) {
        toAsk.add(request);
        queue.mailboxes.want(request.keys);
        if (!request.pending()) {
            toAsk.remove(request);
        } else if (queue.mailboxes.listening(request.keys) && toAsk.remove(request)) {
            queue.repeats.add(request); // once: a copy too many may be under way when the lease ends
        }
        startTicking();
    }

    /** Whether a request of this client stands in the queue of a lock. */
    @Override
    public boolean waitsFor(Keys keys) {
        return lines.containsKey(keys.hold());
    }

    /** The request became a hold; it stays known by its owner. */
    void settled(QueuedRequest request) {
        toAsk.remove(request);
        leaveLine(request);
    }

    /** The request or its hold has ended. */
    void remove(QueuedRequest request) {
        settled(request);
        byOwner.remove(OwnerIds.publicPart(request.owner), request);
    }

    private void leaveLine(QueuedRequest request) {
        if (lines.containsKey(request.keys.hold())) {
            lines.computeIfPresent(request.keys.hold(), (hold, line) -> {
                line.queued.remove(request);
                return line.queued.isEmpty() ? null : line;
            });
        }
    }

    /** All requests that have not ended, and those that became holds, as long as these last. */
    Collection<QueuedRequest> requests() {
        return List.copyOf(byOwner.values());
    }

    /** A hold has begun: requests of the same actor that wait for it may share it. */
    void ownHoldBegan(Hold hold) {
        Line line = lines.get(hold.keys().hold());
        if (line != null) {
            for (QueuedRequest request : line.queued) {
                if (request.outcome.demand.actor().equals(hold.origin.demand.actor())) {
                    request.meetOwnHold();
                }
            }
        }
    }

    // ---- messages

    /**
     * {@code G owner token grantedMicros claimMillis kept hold} is a grant, whose client is told of others that want the lock if
     * kept is 1, {@code L grantedMicros n owner token claimMillis … hold} are n grants of a lock that several may hold, {@code P
     * suspicion hold} is a probe, {@code E owner
     * hold} tells that an operator has dropped a waiter, {@code O token since keptMillis label hold} that what those want who wait for
     * the lock was done, {@code R token hold} that others want a lock whose hold
     * leases of this client share, {@code V owner token drop hold} that a hold of it was ended by name, and if drop is 1, that those
     * which wait for the lock were dropped, {@code A client number} that a client looks and asks this one to report,
     * {@code D number client} that one has
     * reported which was asked.
     */
    @Override
    public void onMessage(String text) {
        long received = queue.kit.nanoTime();
        try {
            Notice notice = Notice.of(text);
            if (notice instanceof Notice.Granted granted) {
                granted.grants().forEach(grant -> onGrant(grant, granted.hold(), received));
            } else if (notice instanceof Notice.Probe probe) {
                Line line = lines.get(probe.hold());
                if (line != null) {
                    refresh(List.of(line), probe.probe());
                }
            } else if (notice instanceof Notice.Dropped dropped) {
                QueuedRequest request = byOwner.get(dropped.ownerPublic());
                if (request != null) {
                    request.evicted();
                }
            } else if (notice instanceof Notice.Done done) {
                onDone(done);
            } else if (notice instanceof Notice.Recalled recalled) {
                queue.kept().recalled(recalled.hold(), recalled.token());
            } else if (notice instanceof Notice.Revoked revoked) {
                QueuedRequest request = byOwner.get(revoked.ownerPublic());
                if (request != null) {
                    if (revoked.waitersToo()) {
                        queue.kept().dropped(revoked.hold(), request.owner);
                    }
                    request.revoked(revoked.token());
                }
            } else {
                queue.reports.onMessage(text);
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, () -> "a message is none of Holdfast's: " + text, e);
        }
    }

    /** A request that has asked, and whose reply is under way yet, is answered by this as well. */
    private void onDone(Notice.Done done) {
        for (QueuedRequest request : requests()) {
            if (request.keys.hold().equals(done.hold()) && request.pending()) {
                request.outcome.contention = new Contention(
                        Optional.of(done.record()),
                        Duration.ofMillis(done.millis()),
                        0,
                        0,
                        Optional.empty(),
                        Optional.empty());
                request.finish(request.outcome.recorded());
            }
        }
    }

    private void onGrant(Notice.Grant grant, String hold, long received) {
        QueuedRequest request = byOwner.get(grant.ownerPublic());
        if (request != null) {
            request.grantedByMessage(grant, received);
        } else {
            giveBack(grant.ownerPublic(), hold);
        }
    }

    /**
     * A grant that nobody waits for is released at once. Without a tombstone: whoever ended this owner left one if it was
     * needed, and most of these are grants of leases that ended before a second notice of them came.
     */
    private void giveBack(String ownerPublic, String hold) {
        String owner = queue.kit.ids.complete(ownerPublic);
        Keys keys = Keys.ofHold(queue.kit.options.prefix(), hold);
        if (owner != null && keys != null) {
            queue.withdrawals.takeBack(keys, owner, false, Rest.NONE);
        }
    }

    /** Messages flow, for the first time or again; some may have been missed. */
    @Override
    public void messagesUp(IntPredicate partitions) {
        queue.mailboxes.messagesUp(partitions);
        for (QueuedRequest request : List.copyOf(toAsk)) {
            if (queue.mailboxes.listening(request.keys) && toAsk.remove(request)) {
                queue.repeats.add(request);
            }
        }
        refreshAll(partitions);
    }

    /** Messages for one lock can come from now on; whoever is queued already may have missed some. */
    @Override
    public void listeningTo(Keys keys) {
        for (QueuedRequest request : List.copyOf(toAsk)) {
            if (request.keys.hold().equals(keys.hold()) && toAsk.remove(request)) {
                queue.repeats.add(request);
            }
        }
        Line line = lines.get(keys.hold());
        if (line != null) {
            refresh(List.of(line), "0");
        }
    }

    void commandsUp(IntPredicate partitions) {
        refreshAll(partitions);
    }

    // ---- what replies tell

    /** Follows up what a reply said of a lock: a claim of this client, a handoff to another, a hold about to end. */
    @Override
    public void observe(Keys keys, State state, long sent) {
        observe(keys, state, sent, keys.kind().isLine());
    }

    /** @param acted whether the reply was to something that may have changed when others can be granted the lock */
    private void observe(Keys keys, State state, long sent, boolean acted) {
        for (Claim claim : state.claims()) {
            QueuedRequest request = byOwner.get(claim.ownerPublic());
            if (request != null) {
                request.grantedByReply(claim, sent);
            } else {
                giveBack(claim.ownerPublic(), keys.hold());
            }
        }
        EndedHolders ended = queue.endedHolders;
        if (ended != null) {
            ended.observe(keys, state);
        }
        if (state.more()) {
            checkAt(keys, queue.kit.nanoTime(), FURTHER_LOOKS);
        } else if (state.handedOverNanos() >= 0) {
            checkAt(keys, sent + state.handedOverNanos(), FURTHER_LOOKS);
        } else if (endsBeforeTheNextRefresh(state) && (acted || lines.containsKey(keys.hold()))) {
            // Of a lock that several may hold, whoever acted can have made the moment earlier than others know.
            checkAt(keys, sent + state.overNanos(), FURTHER_LOOKS);
        }
    }

    private boolean endsBeforeTheNextRefresh(State state) {
        return state.overNanos() >= 0
                && state.overNanos() < queue.kit.options.refreshInterval().toNanos();
    }

    /**
     * Checks a lock at a time of this clock; the newest knowledge about it decides when. What counts from when a call left comes
     * to the server as much later as that call did. A look that comes too early all the same changes nothing, and tells when
     * to look again.
     */
    private void checkAt(Keys keys, long due, int further) {
        Look before = checks.put(keys.hold(), new Look(due, further));
        if (before == null || before.due() - due > 0) {
            queue.kit.schedule(due - queue.kit.nanoTime(), () -> check(keys));
        }
    }

    private void check(Keys keys) {
        Look look = checks.get(keys.hold());
        if (look == null) {
            return;
        }
        long left = look.due() - queue.kit.nanoTime();
        if (left > 0) {
            queue.kit.schedule(left, () -> check(keys));
            return;
        }
        if (checks.remove(keys.hold(), look)) {
            Line line = lines.get(keys.hold());
            refresh(List.of(line == null ? new Line(keys, look.further()) : line), "0");
        }
    }

    /** As {@link Wanting#add}; looks at once, too. */
    CompletableFuture<Void> wanted(Keys keys, BooleanSupplier lasts, BooleanSupplier here) {
        CompletableFuture<Void> told = wanting.add(keys, lasts, here);
        refresh(List.of(lines.getOrDefault(keys.hold(), new Line(keys))), "0");
        startTicking();
        return told;
    }

    // ---- the refresh

    /** Makes sure that there are refreshes, and that mailboxes are closed again. */
    @Override
    public void startTicking() {
        ticking.announce(
                () -> queue.kit.schedule(queue.kit.options.refreshInterval().toNanos(), this::tick));
    }

    /**
     * The locks for whose messages this client has to listen: all that a request waits for, also one that stands in no line
     * because its answer is under way or was lost, and all that it may keep.
     */
    private Set<String> usersOfMailboxes() {
        Set<String> holds = new HashSet<>();
        for (QueuedRequest request : byOwner.values()) {
            if (request.pending() && !request.waitLimit.isNone()) {
                holds.add(request.keys.hold());
            }
        }
        queue.kept().addKept(holds);
        return holds;
    }

    private void tick() {
        ticking.begins();
        boolean mailboxes = queue.mailboxes.closeUnused(this::usersOfMailboxes);
        if (lines.isEmpty() && toAsk.isEmpty() && wanting.isEmpty() && !mailboxes) {
            return;
        }
        startTicking();
        refused.retainAll(lines.keySet());
        for (QueuedRequest request : toAsk) {
            queue.mailboxes.want(request.keys); // if it could not be opened before
            queue.repeats.add(request);
        }
        for (Line line : lines.values()) {
            queue.mailboxes.want(line.keys);
        }
        refreshAll(partition -> true);
    }

    private void refreshAll(IntPredicate partitions) {
        List<Line> together = new ArrayList<>();
        for (Keys keys : wanting.locks()) {
            if (partitions.test(queue.server.partition(keys)) && !waitsFor(keys)) {
                together.add(new Line(keys));
            }
        }
        for (Line line : lines.values()) {
            if (partitions.test(queue.server.partition(line.keys))) {
                if (refused.contains(line.keys.hold())) {
                    refresh(List.of(line), "0");
                } else {
                    together.add(line);
                }
            }
        }
        for (LockScripts scripts : queue.server.allScripts()) {
            List<Line> alike = together.stream()
                    .filter(line -> queue.server.scripts(line.keys) == scripts)
                    .toList();
            Batches.send(queue.server, alike, line -> line.keys.hold(), BATCH, batch -> refresh(batch, "0"));
        }
    }

    private void refresh(List<Line> batch, String heard) {
        refresh(batch, heard, FURTHER_REFRESHES);
    }

    private void refresh(List<Line> batch, String heard, int further) {
        List<RefreshEntry> entries = new ArrayList<>(batch.size());
        List<List<QueuedRequest>> counted = new ArrayList<>(batch.size());
        LockScripts scripts = queue.server.scripts(batch.get(0).keys);
        int most = scripts.mostNamed();
        for (Line line : batch) {
            List<QueuedRequest> waiting = List.copyOf(line.queued);
            List<String> first =
                    waiting.stream().limit(most).map(request -> request.owner).toList();
            entries.add(new RefreshEntry(line.keys, waiting.size(), first));
            counted.add(waiting);
        }
        long sent = queue.kit.nanoTime();
        scripts.refresh(entries, heard, sent, (replies, failure) -> {
            if (replies == null) {
                notRefreshed(batch, heard, failure);
                return;
            }
            for (int i = 0; i < Math.min(batch.size(), replies.size()); i++) {
                refreshed(batch.get(i), counted.get(i), replies.get(i), sent, further);
            }
        });
    }

    /** Its waiters ask again: the server then tells each of them what is wrong. */
    private void notRefreshed(List<Line> batch, String heard, @Nullable DriverException failure) {
        if (Batches.sendAlone(batch, failure, alone -> refresh(alone, heard))
                || failure == null
                || batch.size() > 1
                || failure.kind() != DriverException.Kind.REJECTED
                || Refusals.isTransient(failure)) {
            return;
        }
        Line line = batch.get(0);
        if (refused.add(line.keys.hold())) { // told once, however long it goes on
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "the server refuses to refresh the waiters of " + LogText.lock(line.keys.name()) + ": "
                            + failure.getMessage());
        }
        line.queued.forEach(queue.repeats::add);
    }

    private void refreshed(Line line, List<QueuedRequest> counted, RefreshReply reply, long sent, int further) {
        refused.remove(line.keys.hold());
        State state = reply.state();
        observe(line.keys, state, sent, false);
        if (reply.waiters() > 0) {
            wanting.othersWait(line.keys);
        }
        if (line.furtherLooks > 0
                && endsBeforeTheNextRefresh(state)
                && !checks.containsKey(line.keys.hold())
                && !lines.containsKey(line.keys.hold())) {
            int looks = state.overNanos() <= EARLY_NANOS ? line.furtherLooks : line.furtherLooks - 1;
            checkAt(line.keys, sent + state.overNanos(), looks);
        }
        if (reply.resend()) {
            // Neither what came into the line since, nor what this reply or a message has taken out of it.
            List<QueuedRequest> unknown = new ArrayList<>(counted);
            unknown.retainAll(line.queued);
            if (unknown.size() < counted.size() && further > 0) { // the server may have missed only those
                refresh(List.of(line), "0", further - 1);
                return;
            }
            LOG.log(
                    System.Logger.Level.DEBUG,
                    () -> "the server has lost sight of waiters of " + LogText.lock(line.keys.name())
                            + ": asking again");
            for (QueuedRequest request : unknown) {
                request.outcome.tell(LockEvent.Requeued::new);
                queue.repeats.add(request);
            }
        }
    }

    /** How many requests have not ended, and holds. */
    public int size() {
        return byOwner.size();
    }
}
