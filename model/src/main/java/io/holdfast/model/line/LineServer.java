package io.holdfast.model.line;

import static io.holdfast.model.line.LineState.NONE;
import static io.holdfast.model.queue.QueueState.ABSENT;
import static io.holdfast.model.queue.QueueState.ASIDE;
import static io.holdfast.model.queue.QueueState.NOBODY;
import static io.holdfast.model.queue.QueueState.QUEUED;

import io.holdfast.model.line.LineBounds.Wish;
import io.holdfast.model.line.LineOutcome.Reply;
import io.holdfast.model.line.LineOutcome.Told;
import io.holdfast.model.queue.Message;
import io.holdfast.model.queue.Message.Kind;
import io.holdfast.model.queue.QueueBounds;
import io.holdfast.model.queue.QueueRules;
import io.holdfast.model.queue.QueueRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The server's part of a shared line: what each script does, as a pure function of the keys and the call. The methods have the names of
 * the files of Lua. Left out is what needs more than a look has: the limits of how much one script does, and keys of the holds that are
 * deleted, or written by other programs.
 */
public final class LineServer {
    private final QueueBounds<Wish> bounds;
    private final Set<LineRule> rules;
    private final QueueRules queueRules;

    public LineServer(QueueBounds<Wish> bounds, Set<LineRule> rules) {
        this.bounds = bounds;
        this.rules = rules;
        this.queueRules = QueueRules.of(name -> rules.contains(LineRule.valueOf(name)));
    }

    public LineOutcome run(LineState before, LineCall call) {
        return new Run(before.copy(), call.client()).of(call);
    }

    /** One script, from its first line to its last. */
    private final class Run extends QueueRun<LineState> {
        private final List<Integer> told = new ArrayList<>();
        private final Set<Integer> granted = new TreeSet<>();
        private final Set<Integer> begun = new TreeSet<>();
        private int passed;
        private final Ends ends;

        Run(LineState state, int requester) {
            super(bounds, queueRules, state, requester);
            ends = new Ends(state, bounds.tickMillis());
        }

        LineOutcome of(LineCall call) {
            Reply reply;
            if (call instanceof LineCall.Acquire asked) {
                reply = acquire(asked);
            } else if (call instanceof LineCall.Release asked) {
                reply = release(asked);
            } else if (call instanceof LineCall.Confirm asked) {
                reply = confirm(asked);
            } else if (call instanceof LineCall.Renew asked) {
                reply = renew(asked);
            } else if (call instanceof LineCall.Downgrade asked) {
                reply = downgrade(asked);
            } else if (call instanceof LineCall.Refresh asked) {
                reply = refresh(asked);
            } else if (call instanceof LineCall.Revoke asked) {
                reply = revoke(asked);
            } else if (call instanceof LineCall.Prolong asked) {
                reply = prolong(asked);
            } else if (call instanceof LineCall.Limit asked) {
                reply = limit(asked);
            } else {
                reply = clean();
            }
            s.tidy();
            return new LineOutcome(s, reply, begun, heard());
        }

        private boolean has(LineRule rule) {
            return rules.contains(rule);
        }

        private Wish wish(int owner) {
            return bounds.wishes().get(owner);
        }

        @Override
        protected long cost(int owner) {
            return wish(owner).weight();
        }

        @Override
        protected boolean keepsDetails() {
            return s.claims > 0;
        }

        // ---- who asks

        private Reply acquire(LineCall.Acquire asked) {
            int owner = asked.owner();
            boolean nobody = s.countHolders() == 0;
            boolean nothing = s.detailsLeft == 0
                    && s.queueLeft == 0
                    && s.parkedLeft == 0
                    && s.limitLeft == 0
                    && s.tombstone[owner] == 0
                    && !anyEvicted();
            if (nobody && nothing) {
                return grantNow(owner, false);
            }
            boolean own = s.holds(owner);
            boolean alone = nothing; // others hold, and nothing else is there
            if (!alone) {
                judgeRequester();
                if (has(LineRule.TOMBSTONE) && s.tombstone[owner] != 0) {
                    return Reply.of("GONE");
                }
                if (!own && s.evicted[owner]) {
                    return Reply.of("EVICTED");
                }
                back(owner, own);
            }
            boolean waiting = s.known[owner];
            settle(waiting ? owner : NOBODY);
            if ((own || waiting) && s.holds(owner)) {
                takeUp(owner);
                if (has(LineRule.REARM)) {
                    ends.readAnew();
                    s.left[owner] = later(s.left[owner], bounds.term(owner));
                }
                return new Reply(granted(owner), describe(false));
            }
            waiting = s.known[owner];
            if (!waiting && admits(owner) && !(has(LineRule.NEWCOMER) && standsBefore(owner))) {
                return grantNow(owner, !alone);
            }
            if (asked.limit() > 0 && asked.queues() && !waiting) {
                if (standing() >= asked.limit()) {
                    cleanAll();
                }
                if (standing() >= asked.limit()) {
                    return new Reply("FULL 0 " + standing(), describe(false));
                }
            }
            enter(owner, asked.queues());
            if (asked.queues() && !waiting && !wish(owner).share().isNone()) {
                settle(owner);
            }
            boolean waits = asked.queues() || waiting;
            int place = waits ? placeOf(owner) : 0;
            return new Reply((waits ? "QUEUED " : "TAKEN ") + place + " " + standing(), describe(false));
        }

        private Reply grantNow(int owner, boolean describes) {
            decide(owner, false);
            give(List.of(owner));
            return new Reply(granted(owner), describes ? describe(false) : null);
        }

        private String granted(int owner) {
            return "GRANTED T" + s.token[owner] + s.slotsOf(owner) + " S" + owner;
        }

        /** Whether the first waiter that was not passed stands before where a request would enter. */
        private boolean standsBefore(int owner) {
            int[] line = s.inLine(QUEUED);
            return line.length > passed && s.order[line[passed]] < orderOf(owner);
        }

        // ---- who ends

        private Reply release(LineCall.Release asked) {
            int owner = asked.owner();
            boolean queued = s.count(QUEUED) > 0 || s.claims != ABSENT || s.sequence != ABSENT;
            String word;
            if (s.holds(owner)) {
                word = "RELEASED";
                boolean claim = s.claimed[owner];
                if (asked.rest() > 0) {
                    s.rests[owner] = true;
                    s.claimed[owner] = false;
                    s.left[owner] = asked.rest();
                    ends.begunRest(asked.sinceGrant() ? NOBODY : owner);
                } else {
                    leave(owner);
                }
                if (claim && queued) {
                    finish(owner);
                }
                if (!queued && !asked.tombstone()) {
                    return Reply.of(word);
                }
            } else {
                word = dequeue(owner) ? "WITHDRAWN" : "GONE";
            }
            if (asked.tombstone() && has(LineRule.TOMBSTONE)) {
                s.tombstone[owner] = 1;
            }
            if (!word.equals("RELEASED") && !has(LineRule.CANCELSERVES)) {
                return Reply.of(word + " 0 0 0 0 0");
            }
            settle(NOBODY);
            return new Reply(word, describe(true));
        }

        // ---- who holds

        private Reply confirm(LineCall.Confirm asked) {
            int owner = asked.owner();
            if (!isAlive(owner, asked.token())) {
                return Reply.of("0");
            }
            s.left[owner] = later(s.left[owner], bounds.term(owner));
            takeUp(owner);
            return Reply.of("1");
        }

        private Reply renew(LineCall.Renew asked) {
            if (!isAlive(asked.owner(), asked.token())) {
                return Reply.of("0");
            }
            s.left[asked.owner()] = later(s.left[asked.owner()], bounds.term(asked.owner()));
            return Reply.of("1");
        }

        private boolean isAlive(int owner, long token) {
            return s.holds(owner) && s.left[owner] > 0 && (s.token[owner] == token || !has(LineRule.TOKENCOMPARE));
        }

        private Reply downgrade(LineCall.Downgrade asked) {
            int owner = asked.owner();
            if (!s.holds(owner) || s.left[owner] == 0) {
                return Reply.of("GONE");
            }
            if (s.mode[owner] == 'W' && s.token[owner] == asked.token()) {
                s.last = nextToken();
                if (has(LineRule.DGTOKEN)) {
                    s.token[owner] = s.last;
                }
                s.mode[owner] = 'D';
                s.weight[owner] = 1;
                s.used = 1;
                s.phase = s.token[owner];
                takeUp(owner);
                s.left[owner] = Math.max(s.left[owner], bounds.term(owner));
                begun.add(owner);
                if (has(LineRule.DGSERVES)) {
                    settle(NOBODY);
                }
            } else if (s.mode[owner] == 'D') {
                if (has(LineRule.DGREARM)) {
                    s.left[owner] = later(s.left[owner], bounds.term(owner));
                }
            } else {
                return Reply.of("GONE");
            }
            return new Reply("DOWNGRADED T" + s.token[owner] + " S" + owner, describe(false));
        }

        // ---- who reports

        private Reply refresh(LineCall.Refresh asked) {
            tellGrants(asked.named());
            boolean resend = false;
            int heard = told.size();
            if (asked.count() > heard) {
                int first = asked.named().stream()
                        .filter(owner -> !granted.contains(owner))
                        .findFirst()
                        .orElse(NOBODY);
                resend = heartbeat(asked.count() - heard, first, asked.heardProbe());
            }
            purge();
            int at = 0;
            do {
                int candidate = at < asked.named().size() ? asked.named().get(at) : NOBODY;
                serve(candidate);
                if (!granted.contains(candidate)) {
                    break;
                }
                at++;
            } while (at < asked.named().size());
            sweep();
            boolean perhapsMore = !told.isEmpty()
                    && asked.count() > told.size()
                    && told.size() >= asked.named().size();
            return new Reply((resend || perhapsMore ? "RESEND " : "OK ") + standing(), describe(false));
        }

        private void tellGrants(List<Integer> named) {
            for (int owner : named) {
                if (s.holds(owner) && s.left[owner] > 0) {
                    if (has(LineRule.TELLREARM)) {
                        s.left[owner] = later(s.left[owner], bounds.term(owner));
                    }
                    takeUp(owner);
                    granted.add(owner);
                    told.add(owner);
                }
            }
        }

        // ---- operators

        private Reply revoke(LineCall.Revoke asked) {
            purge();
            int ended = 0;
            List<Integer> claims = new ArrayList<>();
            for (int owner : s.holders()) {
                boolean meant = asked.resting() > 0
                        ? s.rests[owner] && s.token[owner] == asked.resting()
                        : asked.owner() == LineCall.ALL || (asked.owner() == owner && !s.rests[owner]);
                if (meant) {
                    ended++;
                    if (!s.rests[owner]) {
                        mail.add(new Message(Kind.V, bounds.clientOf(owner), owner, s.token[owner], false));
                    }
                    if (s.claimed[owner]) {
                        claims.add(owner);
                    }
                    leave(owner);
                }
            }
            claims.forEach(this::finish);
            int dropped =
                    drop(asked.drop() == LineCall.NONE ? 0 : asked.drop() == LineCall.ALL ? -1 : asked.drop() + 1);
            settle(NOBODY);
            return new Reply((ended > 0 ? "RELEASED " : "NOTHING ") + ended + " " + dropped, describe(false));
        }

        private Reply prolong(LineCall.Prolong asked) {
            int longest = 0;
            for (int owner : s.holders()) {
                boolean meant = asked.owner() == LineCall.ALL || (asked.owner() == owner && !s.rests[owner]);
                if (meant && s.left[owner] > 0) {
                    s.left[owner] = later(s.left[owner], bounds.prolonged());
                    longest = Math.max(longest, s.left[owner]);
                }
            }
            return Reply.of(longest == 0 ? "NOTHING 0" : "HELD " + (long) longest * bounds.tickMillis());
        }

        private Reply limit(LineCall.Limit asked) {
            boolean before = s.limitLeft > 0;
            s.limit = asked.permits() < 0 ? ABSENT : asked.permits();
            s.limitLeft = asked.permits() < 0 ? 0 : asked.ticks();
            if (has(LineRule.UNLIMITSERVES)) {
                settle(NOBODY);
            }
            return new Reply(before ? "1" : "0", describe(false));
        }

        private Reply clean() {
            int removed = cleanAll();
            settle(NOBODY);
            return new Reply(removed + " " + standing(), describe(false));
        }

        // ---- line.lua

        /** The owner has heard of its grant: if that was a claim, it is one no more. */
        private void takeUp(int owner) {
            if (s.claimed[owner]) {
                s.claimed[owner] = false;
                finish(owner);
            }
        }

        private void finish(int owner) {
            endClaims(1);
            if (s.known[owner]) {
                s.known[owner] = false;
                uncount(bounds.clientOf(owner), 1);
            }
        }

        private void endClaims(int count) {
            if (s.claims > 0) {
                s.claims -= count;
            }
        }

        private void leave(int owner) {
            ends.readAnew();
            if (s.mode[owner] != 'W' && has(LineRule.WEIGHTBACK)) {
                s.used -= s.weight[owner];
            }
            s.endSlots(owner, has(LineRule.SLOTBACK));
            s.mode[owner] = NONE;
            if (s.countHolders() == 0) {
                s.used = 0;
                s.taken = 0;
                s.phase = has(LineRule.CLOSEPHASE) ? 0 : s.phase;
            }
        }

        private void purge() {
            if (!has(LineRule.PURGE)) {
                return;
            }
            ends.read();
            List<Integer> lapsed = new ArrayList<>();
            for (int owner : s.holders()) {
                if (s.left[owner] == 0) {
                    if (s.claimed[owner]) {
                        lapsed.add(owner);
                    }
                    leave(owner);
                }
            }
            if (s.countHolders() == 0) {
                ends.read();
            }
            endClaims(lapsed.size());
            for (int owner : lapsed) {
                s.claimed[owner] = false;
                putBack(owner);
            }
        }

        private int most() {
            return s.limitLeft > 0 ? s.limit : Integer.MAX_VALUE;
        }

        private boolean admits(int owner) {
            Wish wish = wish(owner);
            if (s.writer() != NOBODY) {
                return false;
            }
            return switch (wish.mode()) {
                case 'W' -> s.countHolders() == 0 && !(has(LineRule.PAUSED) && isPaused());
                case 'R' -> !(has(LineRule.PAUSED) && isPaused());
                default -> s.used + wish.weight() <= Math.min(wish.limit(), most());
            };
        }

        private boolean isPaused() {
            return s.limitLeft > 0 && s.limit == 0;
        }

        private boolean isOverLimit(int owner) {
            Wish wish = wish(owner);
            return has(LineRule.OVERLIMIT) && wish.mode() == 'P' && wish.weight() > most() && most() > 0;
        }

        private void decide(int owner, boolean claim) {
            s.mode[owner] = wish(owner).mode();
            s.weight[owner] = wish(owner).weight();
            s.claimed[owner] = claim;
            s.left[owner] = claim ? bounds.claim(owner) : bounds.term(owner);
            if (s.mode[owner] != 'W') {
                s.used += s.weight[owner];
            }
        }

        /** Writes the numbers of what was decided. */
        private void give(List<Integer> grants) {
            for (int owner : grants) {
                s.last = nextToken();
                s.token[owner] = s.last;
                if (s.mode[owner] == 'R' && has(LineRule.PHASE)) {
                    s.phase = s.phase == 0 ? s.token[owner] : s.phase;
                    s.token[owner] = s.phase;
                }
                s.giveSlots(owner, wish(owner).slots() ? s.weight[owner] : 0, has(LineRule.SLOTTAKEN));
                begun.add(owner);
                ends.grant(owner);
            }
        }

        private void serve(int candidate) {
            List<Integer> grants = new ArrayList<>();
            List<Integer> mine = new ArrayList<>();
            boolean again = true;
            int own = candidate;
            passed = 0;
            while (again) {
                int owner = nextWaiter(own, passed);
                again = false;
                if (owner == NOBODY) {
                    break;
                }
                boolean parked = s.where[owner] == ASIDE;
                if (admits(owner)) {
                    boolean isMine = bounds.clientOf(owner) == requester;
                    noteGranted(owner);
                    leaveQueue(owner);
                    if (isMine) {
                        mine.add(owner);
                        s.known[owner] = false;
                    } else {
                        s.claims = count(s.claims) + 1;
                    }
                    decide(owner, !isMine);
                    grants.add(owner);
                    again = has(LineRule.BATCH);
                } else if (parked) {
                    again = has(LineRule.SUSPECTPASSES);
                } else if (isOverLimit(owner)) {
                    passed++;
                    again = true;
                } else if (!has(LineRule.STRICT)) {
                    passed++;
                    again = true;
                }
                own = owner == own ? NOBODY : own;
            }
            give(grants);
            if (!mine.isEmpty()) {
                uncount(requester, mine.size());
            }
            granted.addAll(grants);
            for (int owner : grants) {
                if (mine.contains(owner)) {
                    told.add(owner);
                } else {
                    mail.add(new Message(Kind.G, bounds.clientOf(owner), owner, s.token[owner], false));
                }
            }
        }

        private void settle(int candidate) {
            purge();
            serve(candidate);
        }

        private Told describe(boolean others) {
            int first = NOBODY;
            int aside = NOBODY;
            for (int owner : s.inLine(QUEUED)) {
                if (!s.known[owner]) {
                    break;
                }
                if (!isOverLimit(owner)) {
                    first = owner;
                    break;
                }
                aside = aside == NOBODY ? owner : aside;
            }
            int[] holders = ends.inOrder();
            long at = Ends.NEVER;
            if (aside != NOBODY || (first != NOBODY && wish(first).mode() == 'P')) {
                at = first == NOBODY
                        ? Ends.NEVER
                        : ends.roomFor(
                                wish(first).weight(), Math.min(wish(first).limit(), most()));
                boolean limited = aside != NOBODY || most() < wish(first).limit();
                if (limited && has(LineRule.CAPENDS)) {
                    Wish then = wish(aside != NOBODY ? aside : first);
                    long ended = (long) s.limitLeft * bounds.tickMillis() + 1;
                    if (s.used + then.weight() > then.limit()) {
                        long room = ends.roomFor(then.weight(), then.limit());
                        ended = room == Ends.NEVER ? ended : Math.max(ended, room);
                    }
                    at = Math.min(at, ended);
                }
            } else if (first != NOBODY) {
                at = holders.length == 0 ? Ends.NEVER : ends.millis(holders[holders.length - 1]);
                if (isPaused() && has(LineRule.CAPENDS)) {
                    long ended = (long) s.limitLeft * bounds.tickMillis() + 1;
                    boolean beside = wish(first).mode() == 'R' && s.writer() == NOBODY;
                    at = beside || at == Ends.NEVER ? ended : Math.max(at, ended);
                }
            }
            int last = holders.length == 0 ? NOBODY : holders[holders.length - 1];
            long left = last == NOBODY ? 0 : ends.millis(last);
            if (last != NOBODY && others && !s.rests[last] && bounds.clientOf(last) == requester) {
                last = NOBODY;
            }
            long wake = at == Ends.NEVER ? 0 : Math.max(1, at);
            return new Told(wake, s.countHolders(), s.used, List.copyOf(told), last, left);
        }
    }
}
