package io.holdfast.model.exclusive;

import static io.holdfast.model.exclusive.LockState.ABSENT;
import static io.holdfast.model.exclusive.LockState.DONE;
import static io.holdfast.model.exclusive.LockState.KEPT;
import static io.holdfast.model.exclusive.LockState.NOBODY;
import static io.holdfast.model.exclusive.LockState.PAUSED;
import static io.holdfast.model.exclusive.LockState.RECALLED;
import static io.holdfast.model.exclusive.LockState.RESTS;
import static io.holdfast.model.exclusive.LockState.UNMARKED;

import io.holdfast.model.exclusive.Bounds.Wish;
import io.holdfast.model.exclusive.Outcome.Reply;
import io.holdfast.model.queue.Message;
import io.holdfast.model.queue.Message.Kind;
import io.holdfast.model.queue.QueueBounds;
import io.holdfast.model.queue.QueueRules;
import io.holdfast.model.queue.QueueRun;
import java.util.Arrays;
import java.util.Set;

/**
 * The server's part of an exclusive lock: what each script does, as a pure function of the keys and the call. The methods have the
 * names of the files of Lua.
 */
public final class LockServer {
    private final QueueBounds<Wish> bounds;
    private final Set<Rule> rules;
    private final QueueRules queueRules;

    public LockServer(QueueBounds<Wish> bounds, Set<Rule> rules) {
        this.bounds = bounds;
        this.rules = rules;
        this.queueRules = QueueRules.of(name -> rules.contains(Rule.valueOf(name)));
    }

    public Outcome run(LockState before, Call call) {
        return new Run(before.copy(), call.client()).of(call);
    }

    /** One script, from its first line to its last. */
    private final class Run extends QueueRun<LockState> {
        private int mine = NOBODY;
        private int handed;
        private int granted = NOBODY;

        Run(LockState state, int requester) {
            super(bounds, queueRules, state, requester);
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
            } else if (call instanceof Call.Pause asked) {
                reply = pause(asked);
            } else if (call instanceof Call.Note asked) {
                reply = Reply.of(s.holder == asked.owner() ? "NOTED" : "GONE"); // what it changes is for people
            } else if (call instanceof Call.Clean) {
                reply = clean();
            } else if (call instanceof Call.Adopt asked) {
                reply = adopt(asked);
            } else {
                reply = adopted((Call.Adopted) call);
            }
            s.tidy();
            return new Outcome(s, reply, granted, heard());
        }

        @Override
        protected boolean keepsDetails() {
            return s.claim != NOBODY;
        }

        @Override
        protected boolean isToPause() {
            return s.pause != ABSENT && rules.contains(Rule.PAUSEKEEPS);
        }

        private Wish wish(int owner) {
            return bounds.wishes().get(owner);
        }

        // ---- who asks

        private Reply acquire(Call.Acquire asked) {
            int owner = asked.owner();
            if (s.holder == DONE && rules.contains(Rule.DONE)) {
                return described("DONE", " 0 0");
            }
            if (rules.contains(Rule.TOMBSTONE) && s.tombstone[owner] != 0) {
                return Reply.of("GONE");
            }
            boolean plain = s.isFree()
                    && s.queueLeft == 0
                    && s.parkedLeft == 0
                    && s.detailsLeft == 0
                    && s.tombstone[owner] == 0
                    && !anyEvicted();
            if (plain) {
                grant(owner, bounds.term(owner), wish(owner).keeps() ? KEPT : UNMARKED);
                return new Reply("GRANTED", "T" + s.token + " S", s.token, false, NOBODY, 0);
            }
            if (s.holder == owner) {
                if (rules.contains(Rule.REARM)) {
                    s.left = later(s.left, bounds.term(owner));
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
                    grant(owner, bounds.term(owner), wish(owner).keeps() && alone ? KEPT : UNMARKED);
                    if (s.known[owner]) {
                        dequeue(owner);
                    }
                } else if (s.holder == owner) {
                    s.left = later(s.left, bounds.term(owner));
                    dequeue(owner, true);
                }
                if (s.holder == owner) {
                    return granted();
                }
            }
            if (asked.limit() > 0 && asked.queues() && !s.known[owner]) {
                if (standing() >= asked.limit()) {
                    cleanAll();
                }
                if (standing() >= asked.limit()) {
                    recall();
                    return described("FULL", " 0 " + standing());
                }
            }
            back(owner, false);
            enter(owner, asked.queues());
            boolean waits = asked.queues() || s.known[owner];
            int place = waits ? placeOf(owner) : 0;
            recall();
            return described(waits ? "QUEUED" : "TAKEN", " " + place + " " + standing());
        }

        private Reply granted() {
            return new Reply(
                    "GRANTED", "T" + s.token + " S " + (s.mark == KEPT ? 1 : 0), s.token, false, NOBODY, handed);
        }

        // ---- who ends

        private Reply release(Call.Release asked) {
            int owner = asked.owner();
            boolean queued = s.detailsLeft != 0;
            boolean own = s.holder == owner || (!rules.contains(Rule.OWNERCHECK) && !s.isFree());
            String word;
            if (own) {
                long token = s.token;
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
                    s.holder = asked.done() ? DONE : RESTS;
                    s.token = token;
                    s.left = asked.rest();
                    if (asked.done() && rules.contains(Rule.ANSWERS)) {
                        answer();
                    }
                }
                word = "RELEASED";
            } else {
                word = dequeue(owner, s.claim == owner) ? "WITHDRAWN" : "GONE";
            }
            if (asked.tombstone() && rules.contains(Rule.TOMBSTONE)) {
                s.tombstone[owner] = s.tombstone[owner] == 2 ? 2 : 1;
            }
            settle(NOBODY, word.equals("GONE"), queued);
            return described(word, "");
        }

        /** Tells all that wait of the record, and ends the queue. */
        private void answer() {
            for (int client = 0; client < s.clients(); client++) {
                if (s.waiters[client] != ABSENT) {
                    mail.add(new Message(Kind.O, client, NOBODY, s.token, false));
                }
            }
            for (int owner = 0; owner < s.owners(); owner++) {
                leaveLine(owner);
            }
            int pause = s.pause;
            s.dropDetails();
            if (pause != ABSENT) {
                s.pause = pause;
                s.detailsLeft = pause;
            }
        }

        private void free() {
            s.holder = NOBODY;
            s.token = 0;
            s.left = 0;
            s.mark = UNMARKED;
        }

        // ---- who holds

        private boolean isMine(int owner, long token) {
            return s.holder == owner && (!rules.contains(Rule.TOKENCOMPARE) || s.token == token);
        }

        private Reply confirm(Call.Confirm asked) {
            if (!isMine(asked.owner(), asked.token())) {
                return Reply.of("GONE");
            }
            s.left = later(s.left, bounds.term(asked.owner()));
            dequeue(asked.owner(), s.claim == asked.owner());
            return Reply.of("HELD");
        }

        private Reply renew(Call.Renew asked) {
            if (!isMine(asked.owner(), asked.token())) {
                return Reply.of("0");
            }
            s.left = later(s.left, bounds.term(asked.owner()));
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
            s.left = later(s.left, bounds.term(asked.owner()));
            return Reply.of("HELD", " S");
        }

        private Reply adopted(Call.Adopted asked) {
            boolean handedOver = s.holder >= 0 && s.holder != asked.owner() && s.token == asked.token();
            return Reply.of(handedOver || s.tombstone[asked.owner()] == 2 ? "ADOPTED" : "OTHER");
        }

        // ---- who reports

        private Reply refresh(Call.Refresh asked) {
            int first = asked.first() == s.claim ? NOBODY : asked.first();
            boolean resend = asked.count() > 0 && heartbeat(asked.count(), first, asked.heardProbe());
            settle(asked.first(), true, s.sequence != ABSENT);
            if (asked.count() > 0 && mine == NOBODY) {
                recall();
            }
            sweep();
            return described(resend ? "RESEND" : "OK", " " + standing());
        }

        // ---- operators

        private Reply revoke(Call.Revoke asked) {
            String word = "NOTHING";
            if (!s.isFree()) {
                boolean named = s.hasToken() && asked.token() >= s.token;
                boolean meant = asked.token() == 0
                        ? s.holder != PAUSED // nobody's hold: the end of the pause is a call of its own
                        : named && (asked.token() == s.token || asked.token() <= s.last);
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
            int dropped = drop(asked.drop());
            settle(NOBODY, false, s.sequence != ABSENT);
            return described(word, " " + dropped);
        }

        private Reply prolong(Call.Prolong asked) {
            if (s.isFree() || (asked.token() != 0 && asked.token() != s.token)) {
                return Reply.of("NOTHING", " 0");
            }
            s.left = later(s.left, bounds.prolonged());
            return Reply.of("HELD", " D" + s.left);
        }

        private Reply pause(Call.Pause asked) {
            boolean before = s.holder == PAUSED || s.pause > 0;
            s.pause = ABSENT;
            if (s.holder == PAUSED) {
                free();
            }
            s.tidy(); // details without a field are no key, and end with it
            boolean queued = s.sequence != ABSENT;
            if (asked.ticks() > 0) {
                s.pause = asked.ticks();
                s.detailsLeft = Math.max(s.detailsLeft, asked.ticks());
            }
            settle(NOBODY, false, queued);
            if (asked.ticks() == 0) {
                return described(before ? "RESUMED" : "NOTHING", "");
            } else if (s.holder == PAUSED) {
                return described("PAUSED", "");
            }
            recall();
            return described("NOTED", "");
        }

        private Reply clean() {
            int removed = cleanAll();
            settle(NOBODY, false, s.sequence != ABSENT);
            return described(Integer.toString(removed), " " + standing());
        }

        // ---- settle.lua

        private void settle(int candidate, boolean tell, boolean queued) {
            if (!s.isFree()) {
                if (tell && s.claim == s.holder && bounds.clientOf(s.claim) == requester && s.known[s.claim]) {
                    s.left = later(s.left, bounds.claim(s.claim));
                    mine = s.claim;
                }
                return;
            }
            if (!queued && s.pause == ABSENT) {
                return;
            }
            if (s.claim != NOBODY) {
                int lapsed = s.claim;
                s.claim = NOBODY;
                putBack(lapsed);
            }
            if (s.pause != ABSENT && rules.contains(Rule.PAUSE)) {
                int left = s.pause;
                s.pause = ABSENT;
                if (left > 0) {
                    s.holder = PAUSED;
                    s.token = 0;
                    s.left = left;
                    s.mark = UNMARKED;
                    return;
                }
            }
            handoff(candidate);
        }

        private void handoff(int candidate) {
            int owner = nextWaiter(candidate, 0);
            if (owner == NOBODY) {
                return;
            }
            noteGranted(owner);
            leaveQueue(owner);
            boolean alone = standing() == 0;
            grant(owner, bounds.claim(owner), wish(owner).more() > 0 && alone ? KEPT : UNMARKED);
            s.claim = owner;
            int client = bounds.clientOf(owner);
            if (client == requester) {
                mine = owner;
            } else {
                handed = bounds.claim(owner);
                mail.add(new Message(Kind.G, client, owner, s.token, s.mark == KEPT));
            }
        }

        private void grant(int owner, int left, int mark) {
            s.holder = owner;
            s.token = nextToken();
            s.last = s.token + wish(owner).more();
            s.left = left;
            s.mark = mark;
            granted = owner;
        }

        /** Ends a waiter, and with it, perhaps, the claim. */
        private boolean dequeue(int owner, boolean claimed) {
            if (claimed) {
                s.claim = NOBODY;
            }
            return leaves(owner, claimed);
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

        private Reply described(String word, String rest) {
            return new Reply(word, rest, 0, true, mine, handed);
        }
    }

    @Override
    public String toString() {
        return "LockServer[" + bounds + ", " + Arrays.toString(rules.toArray()) + "]";
    }
}
