package io.holdfast.model.exclusive;

import static io.holdfast.model.exclusive.LockState.ABSENT;
import static io.holdfast.model.exclusive.LockState.ASIDE;
import static io.holdfast.model.exclusive.LockState.FOREVER;
import static io.holdfast.model.exclusive.LockState.KEPT;
import static io.holdfast.model.exclusive.LockState.NOBODY;
import static io.holdfast.model.exclusive.LockState.NOWHERE;
import static io.holdfast.model.exclusive.LockState.QUEUED;
import static io.holdfast.model.exclusive.LockState.RECALLED;
import static io.holdfast.model.exclusive.LockState.RESTS;
import static io.holdfast.model.exclusive.LockState.UNENDING;
import static io.holdfast.model.exclusive.LockState.UNMARKED;

import io.holdfast.model.exclusive.Bounds.Wish;
import io.holdfast.model.exclusive.Outcome.Kind;
import io.holdfast.model.exclusive.Outcome.Message;
import io.holdfast.model.exclusive.Outcome.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The server's part of an exclusive lock: what each script does, as a pure function of the keys and the call. The methods have the
 * names of the files of Lua.
 */
public final class LockServer {
    private final Bounds bounds;
    private final Set<Rule> rules;

    public LockServer(Bounds bounds, Set<Rule> rules) {
        this.bounds = bounds;
        this.rules = rules;
    }

    public Outcome run(LockState before, Call call) {
        return new Run(before.copy(), call.client()).of(call);
    }

    /** A tick later. */
    public LockState later(LockState before) {
        LockState after = before.copy();
        after.left = sooner(after.left);
        after.queueLeft = sooner(after.queueLeft);
        after.parkedLeft = sooner(after.parkedLeft);
        after.detailsLeft = sooner(after.detailsLeft);
        for (int client = 0; client < after.clients(); client++) {
            after.deadline[client] = past(after.deadline[client]);
        }
        for (int owner = 0; owner < after.owners(); owner++) {
            after.ends[owner] = past(after.ends[owner]);
        }
        after.tidy();
        return after;
    }

    private static int sooner(int left) {
        return left > 0 && left < FOREVER ? left - 1 : left;
    }

    private static int past(int left) {
        return left >= 0 && left < FOREVER ? left - 1 : left;
    }

    /** An operator deletes a key by hand. */
    public LockState withoutKey(LockState before, int place) {
        LockState after = before.copy();
        if (place == QUEUED) {
            after.queueLeft = 0;
        } else {
            after.parkedLeft = 0;
        }
        after.tidy();
        return after;
    }

    private enum Reach {
        HERE,
        AWAY,
        SUSPECT,
        GONE
    }

    /** One script, from its first line to its last. */
    private final class Run {
        private final LockState s;
        private final int requester;
        private final Reach[] reach;
        private final List<Message> mail = new ArrayList<>();
        private int mine = NOBODY;
        private int handed;
        private int granted = NOBODY;

        Run(LockState state, int requester) {
            this.s = state;
            this.requester = requester;
            this.reach = new Reach[state.clients()];
        }

        Outcome of(Call call) {
            Reply reply;
            if (call instanceof Call.Acquire asked) {
                reply = acquire(asked);
            } else if (call instanceof Call.Release asked) {
                reply = release(asked);
            } else if (call instanceof Call.Confirm asked) {
                reply = confirm(asked);
            } else if (call instanceof Call.Renew asked) {
                reply = renew(asked);
            } else if (call instanceof Call.Refresh asked) {
                reply = refresh(asked);
            } else if (call instanceof Call.Revoke asked) {
                reply = revoke(asked);
            } else if (call instanceof Call.Prolong asked) {
                reply = prolong(asked);
            } else if (call instanceof Call.Clean) {
                reply = clean();
            } else if (call instanceof Call.Adopt asked) {
                reply = adopt(asked);
            } else {
                reply = adopted((Call.Adopted) call);
            }
            s.tidy();
            mail.removeIf(message -> !s.listens[message.client()]);
            return new Outcome(s, reply, granted, List.copyOf(mail));
        }

        private Wish wish(int owner) {
            return bounds.wishes().get(owner);
        }

        // ---- who asks

        private Reply acquire(Call.Acquire asked) {
            int owner = asked.owner();
            if (rules.contains(Rule.TOMBSTONE) && s.tombstone[owner] != 0) {
                return Reply.of("GONE");
            }
            boolean plain = s.isFree() && s.queueLeft == 0 && s.parkedLeft == 0 && s.detailsLeft == 0
                    && s.tombstone[owner] == 0 && !anyEvicted();
            if (plain) {
                grant(owner, bounds.term(), wish(owner).keeps() ? KEPT : UNMARKED);
                return new Reply("GRANTED", "T" + s.token + " S", s.token, false, NOBODY, 0);
            }
            if (s.holder == owner) {
                if (rules.contains(Rule.REARM)) {
                    s.left = later(s.left, bounds.term());
                }
                if (s.claim == owner) {
                    dequeue(owner, true);
                }
                return granted();
            }
            if (s.evicted[owner]) {
                return Reply.of("EVICTED");
            }
            if (s.isFree()) {
                if (rules.contains(Rule.SETTLEFIRST) || s.known[owner]) {
                    settle(s.known[owner] ? owner : NOBODY, false, s.sequence != ABSENT);
                }
                if (s.isFree()) {
                    boolean alone = standing() == 0;
                    grant(owner, bounds.term(), wish(owner).keeps() && alone ? KEPT : UNMARKED);
                    if (s.known[owner]) {
                        dequeue(owner, false);
                    }
                } else if (s.holder == owner) {
                    s.left = later(s.left, bounds.term());
                    dequeue(owner, true);
                }
                if (s.holder == owner) {
                    return granted();
                }
            }
            if (asked.limit() > 0 && asked.queues() && !s.known[owner]) {
                if (waiting() >= asked.limit()) {
                    cleanAll();
                }
                if (waiting() >= asked.limit()) {
                    recall();
                    return described("FULL", " 0 " + waiting());
                }
            }
            back(owner);
            return enter(owner, asked.queues());
        }

        private Reply granted() {
            return new Reply(
                    "GRANTED", "T" + s.token + " S " + (s.mark == KEPT ? 1 : 0), s.token, false, NOBODY, handed);
        }

        private void back(int owner) {
            if (s.known[owner] && s.where[owner] == ASIDE && !s.suspect[requester]) {
                s.where[owner] = QUEUED;
                if (s.count(ASIDE) == 0) {
                    s.parkedLeft = 0;
                }
                s.queueLeft = later(s.queueLeft == 0 ? UNENDING : s.queueLeft, bounds.waiterDeadline());
                s.parked[requester] = count(s.parked[requester]) - 1;
            }
            if (rules.contains(Rule.PLACEBACK) && s.known[owner] && s.where[owner] == NOWHERE) {
                if (s.count(ASIDE) == 0) {
                    s.parked[requester] = ABSENT;
                }
                dequeue(owner, false);
            }
            if (s.known[owner] && s.ends[owner] == -1 && wish(owner).toTail() && s.where[owner] == QUEUED) {
                moveOn(owner);
            }
        }

        private Reply enter(int owner, boolean queues) {
            if (queues && !s.known[owner]) {
                s.sequence = count(s.sequence) + 1;
                s.known[owner] = true;
                s.ends[owner] = wish(owner).life() == 0 ? ABSENT : wish(owner).life();
                s.waiters[requester] = count(s.waiters[requester]) + 1;
                boolean first = s.count(QUEUED) == 0;
                boolean unheard = s.deadline[requester] == ABSENT;
                boolean over = unheard || s.deadline[requester] <= 0;
                if (unheard) {
                    s.deadline[requester] = bounds.waiterDeadline();
                    s.seen[requester] = s.listens[requester];
                }
                s.where[owner] = QUEUED;
                int order = wish(owner).newestFirst() ? -s.sequence : s.sequence;
                s.order[owner] = order - wish(owner).priority() * LockState.BAND;
                s.queueLeft = s.queueLeft == 0 ? UNENDING : s.queueLeft;
                s.detailsLeft = s.detailsLeft == 0 ? UNENDING : s.detailsLeft;
                if (first || over) {
                    outliveWaiters(first);
                }
            }
            if (s.count(ASIDE) > 0) {
                s.parkedLeft = later(s.parkedLeft, bounds.waiterDeadline());
                sweep();
            }
            boolean waits = queues || s.known[owner];
            int place = waits ? placeOf(owner) : 0;
            recall();
            return described(waits ? "QUEUED" : "TAKEN", " " + place + " " + waiting());
        }

        private int placeOf(int owner) {
            if (s.where[owner] != QUEUED) {
                return waiting();
            }
            int place = 1;
            for (int other : s.inLine(QUEUED)) {
                if (other == owner) {
                    break;
                }
                place += other == s.claim ? 0 : 1;
            }
            for (int other : s.inLine(ASIDE)) {
                place += s.order[other] <= s.order[owner] ? 1 : 0;
            }
            return place;
        }

        // ---- who ends

        private Reply release(Call.Release asked) {
            int owner = asked.owner();
            boolean queued = s.detailsLeft != 0;
            boolean own = s.holder == owner || (!rules.contains(Rule.OWNERCHECK) && !s.isFree());
            String word;
            if (own) {
                int token = s.token;
                free();
                boolean alone = !asked.tombstone() && asked.rest() == 0;
                if (!queued && alone && (asked.used() == 0 || asked.used() >= token)) {
                    s.last = asked.used() == 0 ? s.last : asked.used();
                    return Reply.of("RELEASED");
                }
                if (s.claim == owner) {
                    dequeue(owner, true);
                }
                s.last = asked.used() >= token ? asked.used() : s.last;
                if (asked.rest() > 0) {
                    s.holder = RESTS;
                    s.token = token;
                    s.left = asked.rest();
                }
                word = "RELEASED";
            } else {
                word = dequeue(owner, false) ? "WITHDRAWN" : "GONE";
            }
            if (asked.tombstone() && rules.contains(Rule.TOMBSTONE)) {
                s.tombstone[owner] = s.tombstone[owner] == 2 ? 2 : 1;
            }
            settle(NOBODY, word.equals("GONE"), queued);
            return described(word, "");
        }

        private void free() {
            s.holder = NOBODY;
            s.token = 0;
            s.left = 0;
            s.mark = UNMARKED;
        }

        // ---- who holds

        private boolean isMine(int owner, int token) {
            return s.holder == owner && (!rules.contains(Rule.TOKENCOMPARE) || s.token == token);
        }

        private Reply confirm(Call.Confirm asked) {
            if (!isMine(asked.owner(), asked.token())) {
                return Reply.of("GONE");
            }
            s.left = later(s.left, bounds.term());
            dequeue(asked.owner(), s.claim == asked.owner());
            return Reply.of("HELD");
        }

        private Reply renew(Call.Renew asked) {
            if (!isMine(asked.owner(), asked.token())) {
                return Reply.of("0");
            }
            s.left = later(s.left, bounds.term());
            return Reply.of(s.mark == RECALLED ? "2" : "1");
        }

        private Reply adopt(Call.Adopt asked) {
            if (!s.isHeldBy(asked.owner(), asked.used())) {
                boolean other = s.isFree() || s.token != asked.token();
                if (other || (rules.contains(Rule.TICKETOWNER) && s.holder != asked.old())) {
                    return Reply.of("GONE", " 0");
                }
                if (rules.contains(Rule.NEWTOMBSTONE) && s.tombstone[asked.owner()] != 0) {
                    return Reply.of("GONE", " 0");
                }
                int before = s.holder;
                s.holder = asked.owner();
                s.token = asked.used();
                s.mark = UNMARKED;
                s.last = asked.used();
                if (before >= 0) {
                    dequeue(before, s.claim == before);
                }
                if (rules.contains(Rule.OLDTOMBSTONE)) {
                    s.tombstone[asked.old()] = 2;
                }
            }
            s.left = later(s.left, bounds.term());
            return Reply.of("HELD", " S");
        }

        private Reply adopted(Call.Adopted asked) {
            boolean handedOver = s.holder >= 0 && s.holder != asked.owner() && s.token == asked.token();
            return Reply.of(handedOver || s.tombstone[asked.owner()] == 2 ? "ADOPTED" : "OTHER");
        }

        // ---- who reports

        private Reply refresh(Call.Refresh asked) {
            boolean resend = asked.count() > 0 && heartbeat(asked);
            settle(asked.first(), true, s.sequence != ABSENT);
            if (asked.count() > 0 && mine == NOBODY) {
                recall();
            }
            sweep();
            return described(resend ? "RESEND" : "OK", " " + standing());
        }

        /** Whether the client is to repeat its requests. */
        private boolean heartbeat(Call.Refresh asked) {
            if (count(s.waiters[requester]) == 0) {
                return true;
            }
            s.seen[requester] |= s.listens[requester];
            s.deadline[requester] = bounds.waiterDeadline();
            outliveWaiters(false);
            s.parkedLeft = s.parkedLeft == 0 ? 0 : later(s.parkedLeft, bounds.waiterDeadline());
            s.suspect[requester] &= !asked.heardProbe();
            if (s.suspect[requester]) {
                mail.add(new Message(Kind.P, requester, NOBODY, 0, false));
            } else if (count(s.parked[requester]) > 0) {
                return true;
            }
            if (rules.contains(Rule.STANDING) && asked.first() >= 0 && s.where[asked.first()] == NOWHERE) {
                return true;
            }
            return s.waiters[requester] < asked.count();
        }

        // ---- operators

        private Reply revoke(Call.Revoke asked) {
            String word = "NOTHING";
            if (!s.isFree()) {
                boolean meant = asked.token() == 0
                        || asked.token() == s.token
                        || (asked.token() > s.token && asked.token() <= s.last);
                word = meant ? "RELEASED" : "OTHER";
            }
            if (word.equals("RELEASED")) {
                if (s.holder >= 0) {
                    if (rules.contains(Rule.REVOKEMESSAGE)) {
                        boolean all = asked.drop() == Call.Revoke.ALL;
                        mail.add(new Message(Kind.V, bounds.clientOf(s.holder), s.holder, s.token, all));
                    }
                    if (s.claim == s.holder) {
                        dequeue(s.claim, true);
                    }
                }
                free();
            }
            int dropped = 0;
            for (int place : new int[] {QUEUED, ASIDE}) {
                for (int owner : s.inLine(place)) {
                    boolean meant = asked.drop() == Call.Revoke.ALL || asked.drop() == owner + 1;
                    if (meant && owner != s.claim) {
                        dropped++;
                        s.evicted[owner] = true;
                        dequeue(owner, false);
                        mail.add(new Message(Kind.E, bounds.clientOf(owner), owner, 0, false));
                    }
                }
            }
            settle(NOBODY, false, s.sequence != ABSENT);
            return described(word, " " + dropped);
        }

        private Reply prolong(Call.Prolong asked) {
            if (s.isFree() || (asked.token() != 0 && asked.token() != s.token)) {
                return Reply.of("NOTHING", " 0");
            }
            s.left = later(s.left, bounds.term() + 1);
            return Reply.of("HELD", " D" + s.left);
        }

        private Reply clean() {
            int removed = cleanAll();
            settle(NOBODY, false, s.sequence != ABSENT);
            return described(Integer.toString(removed), " " + waiting());
        }

        // ---- settle.lua

        private void settle(int candidate, boolean tell, boolean queued) {
            if (!s.isFree()) {
                if (tell && s.claim == s.holder && bounds.clientOf(s.claim) == requester && s.known[s.claim]) {
                    s.left = later(s.left, bounds.claim());
                    mine = s.claim;
                }
                return;
            }
            if (!queued) {
                return;
            }
            if (s.claim != NOBODY) {
                if (s.known[s.claim] && rules.contains(Rule.SUSPECT)) {
                    s.suspect[bounds.clientOf(s.claim)] = true;
                }
                s.claim = NOBODY;
            }
            handoff(candidate);
        }

        private void handoff(int candidate) {
            int owner = nextWaiter(candidate);
            if (owner == NOBODY) {
                return;
            }
            boolean alone = standing() == 1;
            grant(owner, bounds.claim(), wish(owner).keeps() && alone ? KEPT : UNMARKED);
            s.claim = owner;
            int client = bounds.clientOf(owner);
            if (client == requester) {
                mine = owner;
            } else {
                handed = bounds.claim();
                mail.add(new Message(Kind.G, client, owner, s.token, s.mark == KEPT));
            }
        }

        private void grant(int owner, int left, int mark) {
            s.holder = owner;
            s.token = s.last + 1;
            s.last = s.token + wish(owner).more();
            s.left = left;
            s.mark = mark;
            granted = owner;
        }

        // ---- queue.lua

        private int nextWaiter(int candidate) {
            boolean placed = candidate != NOBODY && s.where[candidate] != NOWHERE && s.known[candidate];
            for (int looks = 0; looks <= 2 * s.owners(); looks++) {
                int[] line = s.inLine(QUEUED);
                if (placed && (line.length == 0 || s.order[line[0]] >= s.order[candidate])) {
                    return candidate;
                }
                if (line.length == 0) {
                    return NOBODY;
                }
                int owner = line[0];
                switch (reach(bounds.clientOf(owner))) {
                    case GONE -> dequeue(owner, false);
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

        private void park(int owner) {
            s.where[owner] = ASIDE;
            s.queueLeft = s.count(QUEUED) == 0 ? 0 : s.queueLeft;
            s.parkedLeft = later(s.parkedLeft == 0 ? UNENDING : s.parkedLeft, bounds.waiterDeadline());
            int client = bounds.clientOf(owner);
            s.parked[client] = count(s.parked[client]) + 1;
        }

        private void moveOn(int owner) {
            if (!s.known[owner] || !wish(owner).toTail()) {
                dequeue(owner, false);
                return;
            }
            s.ends[owner] = wish(owner).life();
            s.sequence = count(s.sequence) + 1;
            int band = s.order[owner] - LockState.withoutPriority(s.order[owner]);
            s.order[owner] = band + s.sequence;
        }

        /** Whether there was such a waiter. */
        private boolean dequeue(int owner, boolean claimed) {
            boolean known = s.known[owner];
            if (claimed) {
                s.claim = NOBODY;
            }
            int stood = s.where[owner];
            s.where[owner] = NOWHERE;
            s.queueLeft = s.count(QUEUED) == 0 ? 0 : s.queueLeft;
            s.parkedLeft = s.count(ASIDE) == 0 ? 0 : s.parkedLeft;
            if (!known) {
                return stood != NOWHERE;
            }
            s.known[owner] = false;
            int client = bounds.clientOf(owner);
            if (stood == ASIDE) {
                s.parked[client] = count(s.parked[client]) - 1;
            }
            s.waiters[client] = count(s.waiters[client]) - 1;
            if (s.waiters[client] <= 0) {
                s.forget(client);
                if (standing() == 0) {
                    s.dropDetails();
                }
            }
            return true;
        }

        private void sweep() {
            for (int owner : s.inLine(ASIDE)) {
                if (reach(bounds.clientOf(owner)) == Reach.GONE) {
                    dequeue(owner, false);
                }
            }
        }

        private int cleanAll() {
            int removed = 0;
            for (int place : new int[] {QUEUED, ASIDE}) {
                for (int owner : s.inLine(place)) {
                    if (reach(bounds.clientOf(owner)) == Reach.GONE) {
                        dequeue(owner, false);
                        removed++;
                    }
                }
            }
            return removed;
        }

        private void recall() {
            if (s.holder < 0 || s.mark == UNMARKED) {
                return;
            }
            if (rules.contains(Rule.RECALLMARK)) {
                s.mark = RECALLED;
            }
            mail.add(new Message(Kind.R, bounds.clientOf(s.holder), s.holder, s.token, false));
        }

        // ---- common.lua and expiry.lua

        private void outliveWaiters(boolean first) {
            if (s.detailsLeft < bounds.waiterDeadline() || first) {
                s.detailsLeft = bounds.keysLive();
                s.queueLeft = s.count(QUEUED) == 0 ? 0 : bounds.keysLive();
            }
        }

        private int later(int left, int least) {
            return rules.contains(Rule.LATERONLY) ? Math.max(left, least) : least;
        }

        private int standing() {
            return s.count(QUEUED) + s.count(ASIDE);
        }

        private int waiting() {
            return standing() - (s.claim == NOBODY ? 0 : 1);
        }

        private boolean anyEvicted() {
            for (boolean each : s.evicted) {
                if (each) {
                    return true;
                }
            }
            return false;
        }

        private Reply described(String word, String rest) {
            return new Reply(word, rest, 0, true, mine, handed);
        }
    }

    private static int count(int value) {
        return value == ABSENT ? 0 : value;
    }

    @Override
    public String toString() {
        return "LockServer[" + bounds + ", " + Arrays.toString(rules.toArray()) + "]";
    }
}
