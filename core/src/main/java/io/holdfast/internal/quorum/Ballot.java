package io.holdfast.internal.quorum;

import io.holdfast.Contention;
import io.holdfast.Holder;
import io.holdfast.HoldfastException;
import io.holdfast.LockOptions;
import io.holdfast.NodeFailure;
import io.holdfast.ServerRefusedException;
import io.holdfast.internal.lease.OneShot;
import io.holdfast.internal.lease.Rest;
import io.holdfast.internal.wire.Deadlines;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.QuorumScripts.QuorumReply;
import io.holdfast.internal.wire.QuorumScripts.QuorumWord;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.internal.wire.ServerClock;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One round of asking all nodes for one owner, and what the nodes have granted to it for as long as it holds the lock.
 *
 * <p><b>Phases.</b> <em>Asking</em> until a majority has granted, or cannot grant any more and it is known whether the lock is
 * taken or nodes are away, or the node timeout is over.
 * If all that granted gave the same token, the ballot is <em>won</em>: that token is the last one on each of them. Else it
 * is <em>raising</em>: the largest token is written back to those that granted, until a majority of them has accepted it.
 * Then it is <em>won</em>, else <em>lost</em>. A won ballot is <em>over</em> when its hold has ended.
 *
 * <p><b>Late grants.</b> One that comes while raising counts if its token is not above the one that is written back; one
 * that comes when the ballot is won joins the hold. Both get the write-back, and are released with the others.
 *
 * <p><b>No orphan.</b> A copy is counted as asked before the phase is looked at, and the phase is set before the copies are
 * looked at: so who ends a ballot sees the copy, or whoever sends it sees the end. What may still be under way is taken
 * back with a tombstone.
 *
 * <p>Votes are counted under a lock; what follows from them is done after it.
 *
 * <p><b>Errors.</b> What follows is read off what was counted, so that the next event, a timer's at the latest, does what an error has
 * kept from being done. The timer is set before any node is asked. A reply whose handling fails counts as lost.
 */
final class Ballot {
    enum Phase {
        ASKING,
        RAISING,
        WON,
        LOST,
        OVER
    }

    /** Who has called for it: told once, on a thread of a driver or of the timers; again after an error. */
    interface Caller {
        void won(Ballot ballot, long token, long deadline);

        void lost(Ballot ballot);
    }

    /** A term that a node has granted or renewed, in the reply to a request that left then. */
    private record Term(long sentNanos, long nanos) {}

    /** One node's part in it. */
    static final class Seat {
        final VotingNode node;
        private final AtomicInteger asked = new AtomicInteger();
        private final AtomicInteger answered = new AtomicInteger();
        /** Of the node's own grant; 0 if it has granted nothing, or says that it is gone. */
        private volatile long token;

        private volatile @Nullable Term term; // the last one
        private volatile boolean underWay; // a copy of the acquire, neither answered nor given up
        private volatile @Nullable OneShot raising; // the write-back that its token needs

        private volatile @Nullable HoldfastException failure;
        private boolean heard; // guarded by the ballot's lock, as are the others
        private boolean raised; // the write-back was accepted
        private boolean out; // can be counted no more
        private boolean forGood; // refused in a way that asking again does not change
        private @Nullable QuorumReply taken;

        Seat(VotingNode node) {
            this.node = node;
        }

        long token() {
            return token;
        }

        /** Whether a copy of the acquire may still be under way. */
        boolean unanswered() {
            return asked.get() > answered.get();
        }

        boolean wasAsked() {
            return asked.get() > 0;
        }

        @Nullable
        HoldfastException failure() {
            return failure;
        }

        /** It stands behind the hold for a term from then. */
        void lasts(long sentNanos, Duration anew) {
            Term before = term;
            Term now = new Term(sentNanos, anew.toNanos());
            if (before == null || now.sentNanos + now.nanos - before.sentNanos - before.nanos > 0) {
                term = now;
            }
        }

        void failed(@Nullable HoldfastException how) {
            failure = how;
        }
    }

    final QuorumClient quorum;
    final Keys keys;
    final String owner;
    final List<Seat> seats = new ArrayList<>();
    private final LockOptions options;
    private final String actorLabel;
    private final Caller caller;
    private final OneShot telling = new OneShot();
    private final OneShot takingBack = new OneShot();
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Phase phase = Phase.ASKING; // written under the lock
    private volatile long leaseToken; // written under the lock
    private volatile long sentNanos; // when what it waits for left; written under the lock
    private long grantedMicros; // guarded by lock
    private volatile @Nullable Runnable timer;

    Ballot(QuorumClient quorum, Keys keys, String owner, LockOptions options, String actorLabel, Caller caller) {
        this.quorum = quorum;
        this.keys = keys;
        this.owner = owner;
        this.options = options;
        this.actorLabel = actorLabel;
        this.caller = caller;
        for (VotingNode node : quorum.nodes) {
            seats.add(new Seat(node));
        }
    }

    /** When the majority was complete, by the clock of the node that said the latest time. */
    Instant grantedAt() {
        lock.lock();
        try {
            return ServerClock.instant(grantedMicros);
        } finally {
            lock.unlock();
        }
    }

    /** Asks all nodes at once. */
    void start() {
        long now = quorum.kit.nanoTime();
        lock.lock();
        try {
            sentNanos = now;
        } finally {
            lock.unlock();
        }
        setTimer(quorum.options.nodeTimeout().toNanos());
        long proposal = quorum.proposeToken(now);
        for (Seat seat : seats) {
            ask(seat, proposal, now);
        }
    }

    private boolean open() {
        return phase != Phase.LOST && phase != Phase.OVER;
    }

    private void ask(Seat seat, long proposal, long sent) {
        HoldfastException unfit = seat.node.unfit();
        if (unfit != null) {
            heard(seat, null, unfit, false);
            follow();
            return;
        }
        seat.asked.incrementAndGet();
        if (!open()) {
            seat.asked.decrementAndGet();
            return;
        }
        seat.underWay = true;
        try {
            seat.node.acquire(
                    keys,
                    owner,
                    options.leaseDuration(),
                    proposal,
                    actorLabel,
                    sent,
                    (reply, failure) -> answered(seat, sent, reply, failure));
        } catch (RuntimeException | Error e) {
            seat.underWay = false; // nor will it be answered: a hold may ask it again
            throw e;
        }
    }

    private void answered(Seat seat, long sent, @Nullable QuorumReply reply, @Nullable DriverException failure) {
        seat.underWay = false;
        HoldfastException problem = reply == null
                ? seat.node.unreachableOrRefused(
                        failure == null ? DriverException.unknown("the reply is malformed", null) : failure)
                : problemOf(seat, reply);
        boolean rejected = failure != null && failure.kind() == DriverException.Kind.REJECTED;
        boolean forGood = (rejected && failure != null && !Refusals.isTransient(failure))
                || (reply != null && reply.word() == QuorumWord.OTHER);
        if (reply != null && reply.word() == QuorumWord.GRANTED) {
            seat.lasts(sent, options.leaseDuration());
        }
        heard(seat, reply, problem, forGood);
        // Only now: whoever takes back sees either the grant, or a copy that is not answered.
        if (reply != null || rejected) {
            seat.answered.incrementAndGet();
        }
        follow();
    }

    private @Nullable HoldfastException problemOf(Seat seat, QuorumReply reply) {
        return switch (reply.word()) {
            case GRANTED, TAKEN -> null;
            case FRESH ->
                new ServerRefusedException(
                        seat.node.name() + " is new, or has lost its memory: it votes again in "
                                + reply.remainingMillis() + " ms",
                        null);
            case OTHER -> seat.node.disagrees(reply.otherAgreement());
            case GONE ->
                new ServerRefusedException(
                        seat.node.name() + ": the request was withdrawn by another process with the same ids", null);
        };
    }

    /** Counts what one node said. {@link #follow} has to be called. */
    private void heard(Seat seat, @Nullable QuorumReply reply, @Nullable HoldfastException problem, boolean forGood) {
        lock.lock();
        try {
            seat.failure = problem;
            seat.heard = true;
            if (reply == null || reply.word() != QuorumWord.GRANTED) {
                seat.out = seat.token == 0;
                seat.forGood = forGood;
                seat.taken = reply != null && reply.word() == QuorumWord.TAKEN ? reply : null;
                decide();
                return;
            }
            long token = reply.token();
            seat.token = token;
            seat.taken = null;
            if (phase == Phase.ASKING) { // this node is one of those that made it a lease
                grantedMicros = Math.max(grantedMicros, reply.timeMicros());
                decide();
            } else if (open()) {
                // Above the token that is written back, it would let a later lease have a lower one than this node
                // gave.
                seat.out = token > leaseToken;
                seat.raising = phase == Phase.WON && token == leaseToken ? null : new OneShot();
            } // else it was taken back already
        } finally {
            lock.unlock();
        }
    }

    /** Goes on to the next phase, if what was counted is enough. To be called under the lock. */
    private void decide() {
        if (phase == Phase.ASKING) {
            List<Seat> granted = seats.stream().filter(seat -> seat.token != 0).toList();
            if (granted.size() >= quorum.majority) {
                leaseToken = granted.stream().mapToLong(Seat::token).max().orElseThrow();
                if (granted.stream().allMatch(seat -> seat.token == leaseToken)) {
                    phase = Phase.WON;
                    return;
                }
                granted.forEach(seat -> seat.raising = new OneShot());
                sentNanos = quorum.kit.nanoTime();
                phase = Phase.RAISING;
                return;
            }
        } else if (phase == Phase.RAISING) {
            if (seats.stream().filter(seat -> seat.raised).count() >= quorum.majority) {
                phase = Phase.WON;
                return;
            }
        } else {
            return;
        }
        long possible = seats.stream().filter(seat -> !seat.out).count();
        if (possible < quorum.majority && (phase == Phase.RAISING || !mayTellYet())) {
            lose();
        }
    }

    /** To be called under the lock. */
    private void lose() {
        quorum.kit.ending(); // before anybody can see the end; until it is taken back
        phase = Phase.LOST;
    }

    /** Does what follows from what was counted, as far as it was not done yet. */
    private void follow() {
        for (Seat seat : seats) {
            OneShot raising = seat.raising;
            if (raising != null && open()) {
                raising.run(() -> raise(seat, seat.token));
            }
        }
        if (phase != Phase.ASKING && phase != Phase.RAISING && telling.run(this::tell)) {
            cancelTimer();
        }
    }

    private void tell() {
        if (phase == Phase.WON) {
            caller.won(
                    this,
                    leaseToken,
                    deadline(sentNanos, options.leaseDuration().toNanos()));
        } else { // perhaps ended by a caller who could not be told to the end that it was won
            takeBack();
            caller.lost(this);
        }
    }

    /**
     * Whether the nodes that have not answered yet can make the difference between a lock that is taken and nodes that are
     * away. They are waited for until the node timeout is over. To be called under the lock.
     */
    private boolean mayTellYet() {
        long told = seats.stream().filter(Ballot::tells).count();
        long silent = seats.stream().filter(seat -> !seat.heard).count();
        return told < quorum.majority && told + silent >= quorum.majority;
    }

    /** Whether the node has said that it grants the lock, or that somebody else holds it. */
    private static boolean tells(Seat seat) {
        return seat.taken != null || (seat.token != 0 && seat.failure == null);
    }

    /**
     * The end of a term that a majority has granted or renewed. Where nodes' clocks were seen to run fast, it ends when that may
     * leave too few of them for a majority.
     */
    long deadline(long sent, long termNanos) {
        return atMost(Deadlines.ofReply(sent, termNanos));
    }

    /** What is left of a deadline, by what is known now of the nodes' clocks. */
    long atMost(long deadline) {
        if (seats.stream().noneMatch(seat -> seat.node.server.clockHasRunAhead(0))) {
            return deadline;
        }
        List<Long> ends = new ArrayList<>();
        for (Seat seat : seats) {
            Term term = seat.term;
            if (seat.token != 0 && term != null) {
                ends.add(seat.node.server.deadline(keys, term.sentNanos, term.nanos));
            }
        }
        if (ends.size() < quorum.majority) {
            return deadline; // it is about to be lost
        }
        ends.sort((one, other) -> Long.compare(other - one, 0));
        long end = ends.get(quorum.majority - 1);
        return end - deadline < 0 ? end : deadline;
    }

    /** Writes the lease's token back to a node that has granted. */
    private void raise(Seat seat, long nodeToken) {
        VotingNode node = seat.node;
        long sent = quorum.kit.nanoTime();
        node.server.quorumScripts.raise(
                keys, owner, nodeToken, leaseToken, options.leaseDuration(), sent, (held, failure) -> {
                    lock.lock();
                    try {
                        if (held != null) {
                            if (held) {
                                seat.lasts(sent, options.leaseDuration());
                            }
                            seat.raised = held && !seat.out;
                            seat.out |= !held;
                            seat.failure = null;
                            if (!held && seat.token == nodeToken) {
                                seat.token = 0;
                            }
                        } else if (failure != null) {
                            seat.out |= phase == Phase.RAISING && !seat.raised;
                            seat.failure = seat.node.unreachableOrRefused(failure);
                        }
                        decide();
                    } finally {
                        lock.unlock();
                    }
                    follow();
                });
    }

    private void setTimer(long nanos) {
        Runnable cancel = quorum.kit.schedule(nanos, this::timeOut);
        timer = cancel;
        if (!open()) {
            cancel.run();
        }
    }

    /** Unless a node has not answered yet: the timer names it. */
    private void cancelTimer() {
        Runnable cancel = timer;
        if (cancel != null && (!open() || seats.stream().allMatch(seat -> seat.heard))) {
            cancel.run();
        }
    }

    /** The node timeout is over: of what was asked first, or of the write-back. */
    private void timeOut() {
        long left;
        lock.lock();
        try {
            left = phase == Phase.RAISING
                    ? sentNanos + quorum.options.nodeTimeout().toNanos() - quorum.kit.nanoTime()
                    : 0;
            for (Seat seat : open() ? seats : List.<Seat>of()) {
                boolean unraised = phase == Phase.RAISING && left <= 0 && seat.token != 0 && !seat.raised && !seat.out;
                if (!seat.heard || unraised) {
                    seat.failure = seat.node.silent();
                }
            }
            if (left <= 0 && (phase == Phase.ASKING || phase == Phase.RAISING)) {
                lose();
            }
        } finally {
            lock.unlock();
        }
        if (left > 0) {
            setTimer(left);
        }
        follow();
    }

    /** Asks a node again that does not stand behind the hold, for the same owner. Called by a hold that is valid. */
    void join(Seat seat) {
        if (phase == Phase.WON && seat.token == 0 && !seat.underWay) {
            ask(seat, leaseToken, quorum.kit.nanoTime());
        }
    }

    /** The node says that the grant with this token is gone. */
    void gone(Seat seat, long token) {
        lock.lock();
        try {
            if (seat.token == token) {
                seat.token = 0;
            }
        } finally {
            lock.unlock();
        }
    }

    /** How many nodes stand behind the hold. */
    int members() {
        return (int) seats.stream().filter(seat -> seat.token != 0).count();
    }

    /** The hold has ended: nobody is asked or told any more. The caller releases. A ballot that was lost is over already. */
    void over() {
        telling.skip();
        lock.lock();
        try {
            if (open()) {
                phase = Phase.OVER;
            }
        } finally {
            lock.unlock();
        }
        cancelTimer();
    }

    /** Nobody wants it any more: ends it, and takes back what came of it. */
    void abandon() {
        quorum.kit.ending(); // before anybody can see the end
        try {
            over();
            takeBack();
        } finally {
            quorum.kit.ended();
        }
    }

    /** An error has kept its caller from asking all nodes, or from hearing of the end, and another ballot follows. */
    void giveUp() {
        if (telling.skip()) {
            abandon();
        }
    }

    /** Ends the owner on all nodes that were asked, unless that was done. */
    private void takeBack() {
        takingBack.run(() -> {
            seats.forEach(this::takeBack);
            if (phase == Phase.LOST) {
                quorum.kit.ended();
            }
        });
    }

    /** Ends the owner on one node, in the background until it has answered. */
    void takeBack(Seat seat) {
        // Read first: a reply sets the token, and then counts as an answer. Between the reads it would be neither.
        boolean unanswered = seat.unanswered();
        // One that has refused, and has no copy under way, has nothing of this owner.
        if (unanswered || seat.token != 0) {
            seat.node.withdrawals.takeBack(keys, owner, unanswered, Rest.NONE);
        }
    }

    // ---- what a lost ballot tells

    /** Whether a majority has answered whether it grants the lock: then it is not held, and not for lack of servers. */
    boolean answered() {
        lock.lock();
        try {
            return seats.stream().filter(Ballot::tells).count() >= quorum.majority;
        } finally {
            lock.unlock();
        }
    }

    /** Whether so many nodes refuse for good that asking again is in vain. */
    boolean inVain() {
        lock.lock();
        try {
            return seats.stream().filter(seat -> seat.forGood).count() > seats.size() - quorum.majority;
        } finally {
            lock.unlock();
        }
    }

    List<NodeFailure> failures() {
        List<NodeFailure> failures = new ArrayList<>();
        for (Seat seat : seats) {
            HoldfastException failure = seat.failure;
            if (failure != null) {
                failures.add(new NodeFailure(seat.node.name(), failure));
            }
        }
        return failures;
    }

    /** Who holds the lock on most of the nodes that refused, and when that will be too few of them without renewal. */
    Contention contention() {
        Map<String, List<QuorumReply>> byHolder = new HashMap<>();
        lock.lock();
        try {
            for (Seat seat : seats) {
                QuorumReply reply = seat.taken;
                if (reply != null) {
                    byHolder.computeIfAbsent(reply.holder().map(Holder::owner).orElse(""), owner -> new ArrayList<>())
                            .add(reply);
                }
            }
        } finally {
            lock.unlock();
        }
        List<QuorumReply> most = List.of();
        for (List<QuorumReply> replies : byHolder.values()) {
            most = replies.size() > most.size() ? replies : most;
        }
        if (most.isEmpty()) {
            return Contention.NOTHING_KNOWN;
        }
        Optional<Holder> holder = most.get(0).holder();
        return new Contention(
                holder,
                Duration.ofMillis(quorum.ofMajority(
                        most.stream().map(QuorumReply::remainingMillis).toList())),
                0,
                0);
    }
}
