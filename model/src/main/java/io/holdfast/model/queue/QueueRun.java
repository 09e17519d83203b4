package io.holdfast.model.queue;

import static io.holdfast.model.queue.QueueState.ABSENT;
import static io.holdfast.model.queue.QueueState.ASIDE;
import static io.holdfast.model.queue.QueueState.NOBODY;
import static io.holdfast.model.queue.QueueState.NOWHERE;
import static io.holdfast.model.queue.QueueState.QUEUED;
import static io.holdfast.model.queue.QueueState.UNENDING;

import io.holdfast.model.queue.Message.Kind;
import io.holdfast.model.queue.QueueBounds.Share;
import java.util.ArrayList;
import java.util.List;

/**
 * One script, from its first line to its last: the part that works on the queue, of whatever kind of lock. The methods have the names of
 * {@code queue.lua} and of the files that are put into scripts.
 *
 * @param <S> the kind's state
 */
public abstract class QueueRun<S extends QueueState<S>> {
    /** A request has so many parts. */
    private static final long PARTS = 1_024;

    private enum Reach {
        HERE,
        AWAY,
        SUSPECT,
        GONE
    }

    protected final S s;
    protected final int requester;
    protected final List<Message> mail = new ArrayList<>();
    private final QueueBounds<?> bounds;
    private final QueueRules rules;
    private final Reach[] reach;

    /**
     * A script that has not begun.
     *
     * @param state of the script's own
     */
    protected QueueRun(QueueBounds<?> bounds, QueueRules rules, S state, int requester) {
        this.bounds = bounds;
        this.rules = rules;
        this.s = state;
        this.requester = requester;
        this.reach = new Reach[state.clients()];
    }

    /** What is published to clients that listen. */
    protected final List<Message> heard() {
        mail.removeIf(message -> !s.listens[message.client()]);
        return List.copyOf(mail);
    }

    /** Whether what is known of waiters is needed, since some have left the queue for a claim. */
    protected abstract boolean keepsDetails();

    /** Whether the details tell that the lock is to pause. */
    protected boolean isToPause() {
        return false;
    }

    // ---- queue.lua

    /**
     * The first waiter that can be told, not looking at the first so many.
     *
     * @param candidate a waiter of the client that asks, which is found where its order puts it, or {@link QueueState#NOBODY}
     */
    protected final int nextWaiter(int candidate, int from) {
        boolean placed = candidate != NOBODY && s.where[candidate] != NOWHERE && s.known[candidate];
        for (int looks = 0; looks <= 2 * s.owners(); looks++) {
            int[] line = s.inLine(QUEUED);
            boolean ended = line.length <= from;
            if (placed && (ended || isMetBefore(candidate, line[from]))) {
                return candidate;
            }
            if (ended) {
                return NOBODY;
            }
            int owner = line[from];
            switch (reach(bounds.clientOf(owner))) {
                case GONE -> dequeue(owner);
                case AWAY, SUSPECT -> park(owner);
                case HERE -> {
                    if (s.known[owner] && s.ends[owner] != -1) {
                        return owner;
                    }
                    moveOn(owner);
                }
            }
        }
        return NOBODY;
    }

    /** Groups may begin together: who stands in the queue is met there, and who is set aside comes before its equals. */
    private boolean isMetBefore(int candidate, int owner) {
        return candidate == owner
                || s.order[owner] > s.order[candidate]
                || (s.order[owner] == s.order[candidate] && s.where[candidate] == ASIDE);
    }

    private Reach reach(int client) {
        if (reach[client] == null) {
            Reach answer = Reach.HERE;
            if (s.deadline[client] < 0) {
                answer = Reach.GONE;
            } else if (client != requester) {
                answer = s.suspect[client]
                        ? Reach.SUSPECT
                        : s.seen[client] && !s.listens[client] ? Reach.AWAY : Reach.HERE;
            }
            reach[client] = answer;
        }
        return reach[client];
    }

    /** For a script that looks at its own client first. */
    protected final void judgeRequester() {
        if (s.deadline[requester] >= 0) {
            reach[requester] = Reach.HERE;
        }
    }

    private void park(int owner) {
        s.where[owner] = ASIDE;
        s.queueLeft = s.count(QUEUED) == 0 ? 0 : s.queueLeft;
        s.parkedLeft = s.detailsLeft;
        int client = bounds.clientOf(owner);
        s.parked[client] = count(s.parked[client]) + 1;
    }

    private void moveOn(int owner) {
        if (!s.known[owner] || !bounds.wishes().get(owner).toTail()) {
            dequeue(owner);
            return;
        }
        s.ends[owner] = bounds.wishes().get(owner).life();
        s.sequence = count(s.sequence) + 1;
        long band = s.order[owner] - QueueState.withoutPriority(s.order[owner]);
        s.order[owner] = band + s.sequence;
    }

    /** Whether there was such a waiter. */
    protected final boolean dequeue(int owner) {
        return leaves(owner, false);
    }

    /** The same, of one that was granted the lock, and has a claim, if {@code claimed}. */
    protected final boolean leaves(int owner, boolean claimed) {
        int stood = s.where[owner];
        leaveLine(owner);
        if (!s.known[owner]) {
            return stood != NOWHERE;
        }
        s.known[owner] = false;
        if (!claimed) {
            noteShare(owner, -1, false);
        }
        int client = bounds.clientOf(owner);
        if (stood == ASIDE) {
            s.parked[client] = count(s.parked[client]) - 1;
        }
        uncount(client, 1);
        return true;
    }

    /** A waiter stands nowhere any more; what is known of it stays. */
    protected final void leaveLine(int owner) {
        s.where[owner] = NOWHERE;
        s.queueLeft = s.count(QUEUED) == 0 ? 0 : s.queueLeft;
        s.parkedLeft = s.count(ASIDE) == 0 ? 0 : s.parkedLeft;
    }

    /** So many waiters less of a client, whose details are gone. */
    protected final void uncount(int client, int count) {
        s.waiters[client] = count(s.waiters[client]) - count;
        if (s.waiters[client] <= 0) {
            s.forget(client);
            boolean needed = (rules.claimsKeepDetails() && keepsDetails()) || isToPause();
            if (!needed && standing() == 0) {
                s.dropDetails();
            }
        }
    }

    /** Takes a waiter out of the queue, or from where it stands aside, for a claim or a hold. */
    protected final void leaveQueue(int owner) {
        if (s.where[owner] == ASIDE) {
            s.parked[bounds.clientOf(owner)] = count(s.parked[bounds.clientOf(owner)]) - 1;
        }
        leaveLine(owner);
    }

    /** A claim has lapsed: its waiter stands again where it was, aside. */
    protected final void putBack(int owner) {
        if (!s.known[owner]) {
            return;
        }
        noteShare(owner, 1, false);
        if (rules.suspect()) {
            int client = bounds.clientOf(owner);
            s.suspect[client] = true;
            s.parked[client] = count(s.parked[client]) + 1;
        }
        if (rules.lapseBack()) {
            s.where[owner] = rules.suspect() ? ASIDE : QUEUED;
        }
        if (rules.suspect()) {
            s.parkedLeft = s.count(ASIDE) > 0 ? s.detailsLeft : 0;
        } else {
            s.queueLeft = s.count(QUEUED) > 0 ? s.detailsLeft : 0;
        }
    }

    protected final void sweep() {
        for (int owner : s.inLine(ASIDE)) {
            if (reach(bounds.clientOf(owner)) == Reach.GONE) {
                dequeue(owner);
            }
        }
    }

    protected final int cleanAll() {
        int removed = 0;
        for (int place : new int[] {QUEUED, ASIDE}) {
            for (int owner : s.inLine(place)) {
                if (reach(bounds.clientOf(owner)) == Reach.GONE) {
                    dequeue(owner);
                    removed++;
                }
            }
        }
        return removed;
    }

    // ---- return_parked.lua, enqueue.lua

    /**
     * Where a request stands that waits already.
     *
     * @param own whether a hold of the owner is written
     */
    protected final void back(int owner, boolean own) {
        if (s.known[owner] && s.where[owner] == ASIDE && !s.suspect[requester]) {
            s.where[owner] = QUEUED;
            if (s.count(ASIDE) == 0) {
                s.parkedLeft = 0;
            }
            s.queueLeft = s.detailsLeft;
            s.parked[requester] = count(s.parked[requester]) - 1;
        }
        if (rules.placeBack() && s.known[owner] && !own && s.where[owner] == NOWHERE) {
            if (s.count(ASIDE) == 0) {
                s.parked[requester] = ABSENT;
            }
            dequeue(owner);
        }
        if (s.known[owner] && s.ends[owner] == -1 && bounds.wishes().get(owner).toTail() && s.where[owner] == QUEUED) {
            moveOn(owner);
        }
    }

    /** The order of a request that queues next. */
    protected final long orderOf(int owner) {
        return bounds.place(owner, count(s.sequence) + 1)
                - bounds.wishes().get(owner).priority() * QueueState.BAND;
    }

    /** How much a request counts in the share of its group. */
    protected long cost(int owner) {
        return 1;
    }

    /** The order of a request of a group; see share.lua. */
    private long enter(int owner, Share share) {
        int group = share.group();
        long begin = s.groupEnds[group];
        if (rules.shareIdle() && begin <= s.present) {
            begin = Math.min(Math.max(s.idle, s.present) + 1, s.present + PARTS - 1);
            s.idle = begin;
        }
        s.groupEnds[group] = begin + length(owner, share);
        s.groupWaits[group]++;
        s.shares = true;
        return begin - QueueState.BAND / 2;
    }

    private long length(int owner, Share share) {
        return Math.max(1, cost(owner) * PARTS / share.weight());
    }

    /** A request of a group is granted the lock, before it leaves the queue. */
    protected final void noteGranted(int owner) {
        noteShare(owner, -1, true);
    }

    private void noteShare(int owner, int more, boolean granted) {
        Share share = bounds.wishes().get(owner).share();
        int group = share.group();
        if (share.isNone() || !s.shares) {
            return;
        }
        s.groupWaits[group] = Math.max(0, s.groupWaits[group] + more);
        if (QueueState.isShare(s.order[owner])) {
            long begin = s.order[owner] + QueueState.BAND / 2;
            long over = begin + length(owner, share);
            if (granted) {
                s.groupGranted[group] = Math.max(s.groupGranted[group], over);
                s.present = rules.shareNow() ? Math.max(s.present, begin) : s.present;
            } else if (more < 0 && over == s.groupEnds[group]) {
                s.groupEnds[group] = begin;
            }
        }
        if (rules.shareBack() && s.groupWaits[group] == 0) {
            s.groupEnds[group] = s.groupGranted[group];
        }
    }

    /** Queues a request that is to wait, and does not yet. */
    protected final void enter(int owner, boolean queues) {
        if (queues && !s.known[owner]) {
            Share share = bounds.wishes().get(owner).share();
            s.order[owner] = share.isNone() ? orderOf(owner) : enter(owner, share);
            s.sequence = count(s.sequence) + 1;
            s.known[owner] = true;
            int life = bounds.wishes().get(owner).life();
            s.ends[owner] = life == 0 ? ABSENT : life;
            s.waiters[requester] = count(s.waiters[requester]) + 1;
            boolean first = s.count(QUEUED) == 0;
            boolean unheard = s.deadline[requester] == ABSENT;
            boolean over = unheard || s.deadline[requester] <= 0;
            if (unheard) {
                s.deadline[requester] = bounds.waiterDeadline();
                s.seen[requester] = s.listens[requester];
            }
            s.where[owner] = QUEUED;
            s.queueLeft = s.queueLeft == 0 ? UNENDING : s.queueLeft;
            s.detailsLeft = s.detailsLeft == 0 ? UNENDING : s.detailsLeft;
            if (first || over) {
                outliveWaiters(first);
            }
        }
        if (s.count(ASIDE) > 0) {
            sweep();
        }
    }

    /** The place of a request in the order of service. */
    protected final int placeOf(int owner) {
        if (s.where[owner] != QUEUED) {
            return standing();
        }
        int[] queue = s.inLine(QUEUED);
        int place = 1;
        for (int other : queue) {
            if (other == owner) {
                break;
            }
            place++;
        }
        for (int other : s.inLine(ASIDE)) {
            place += s.order[other] <= s.order[owner] ? 1 : 0;
        }
        return place;
    }

    // ---- heartbeat.lua, drop_waiters.lua

    /**
     * Whether the client is to repeat its requests.
     *
     * @param first the first of them, or {@link QueueState#NOBODY}
     */
    protected final boolean heartbeat(int requests, int first, boolean heardProbe) {
        if (count(s.waiters[requester]) == 0) {
            return true;
        }
        s.seen[requester] |= s.listens[requester];
        s.deadline[requester] = bounds.waiterDeadline();
        outliveWaiters(false);
        s.suspect[requester] &= !heardProbe;
        if (s.suspect[requester]) {
            mail.add(new Message(Kind.P, requester, NOBODY, 0, false));
        } else if (count(s.parked[requester]) > 0) {
            return true;
        }
        if (rules.standing() && first >= 0 && s.where[first] == NOWHERE) {
            return true;
        }
        return s.waiters[requester] < requests;
    }

    /**
     * Drops waiters.
     *
     * @param which 0 for none, -1 for all, or 1 and an owner
     */
    protected final int drop(int which) {
        int dropped = 0;
        for (int place : new int[] {QUEUED, ASIDE}) {
            for (int owner : s.inLine(place)) {
                if (which == -1 || which == owner + 1) {
                    dropped++;
                    s.evicted[owner] = true;
                    dequeue(owner);
                    mail.add(new Message(Kind.E, bounds.clientOf(owner), owner, 0, false));
                }
            }
        }
        return dropped;
    }

    // ---- common.lua and expiry.lua

    private void outliveWaiters(boolean first) {
        if (s.detailsLeft < bounds.waiterDeadline() || first) {
            s.detailsLeft = Math.max(bounds.keysLive(), s.detailsLeft);
            s.queueLeft = s.count(QUEUED) == 0 ? 0 : s.detailsLeft;
            s.parkedLeft = s.count(ASIDE) == 0 ? 0 : s.detailsLeft;
        }
    }

    /** The token of a grant. */
    protected final long nextToken() {
        return Math.max(bounds.clock(), s.last + 1);
    }

    protected final int later(int left, int least) {
        return rules.laterOnly() ? Math.max(left, least) : least;
    }

    protected final int standing() {
        return s.count(QUEUED) + s.count(ASIDE);
    }

    protected final boolean anyEvicted() {
        for (boolean each : s.evicted) {
            if (each) {
                return true;
            }
        }
        return false;
    }

    protected static int count(int value) {
        return value == ABSENT ? 0 : value;
    }
}
