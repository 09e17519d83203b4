package io.holdfast.internal.quorum;

import io.holdfast.LeaseTicket;
import io.holdfast.LossReason;
import io.holdfast.NodeFailure;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.internal.lease.Grant;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.OneShot;
import io.holdfast.internal.lease.Renewals;
import io.holdfast.internal.lease.Withdrawals;
import io.holdfast.internal.quorum.Ballot.Seat;
import io.holdfast.internal.wire.LockScripts.ConfirmEntry;
import io.holdfast.internal.wire.LockScripts.RenewEntry;
import io.holdfast.internal.wire.LockScripts.Renewed;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The votes of a quorum's nodes.
 *
 * <p>The hold lasts longer only by rounds that a majority of all nodes has agreed to, and that counts from when the round
 * left. It is gone when so many nodes have said so that no majority can stand behind it.
 */
final class BallotGrant implements Grant {
    private static final long JOIN_NANOS = 100_000_000L;
    /** As often as a renewal is repeated. */
    private static final int JOINS_A_TERM = 18;

    private final QuorumClient quorum;
    private final QuorumPoll poll;
    private final Ballot ballot;
    private final long token;
    private final Instant since;
    private @Nullable Hold hold; // set before anybody else sees this

    BallotGrant(QuorumClient quorum, QuorumPoll poll, Ballot ballot, long token) {
        this.quorum = quorum;
        this.poll = poll;
        this.ballot = ballot;
        this.token = token;
        this.since = ballot.grantedAt();
    }

    @Override
    public void of(Hold made) {
        hold = made;
    }

    private Hold hold() {
        return Objects.requireNonNull(hold);
    }

    @Override
    public String inWords() {
        return LogText.lock(ballot.keys.name()) + " with token " + token;
    }

    @Override
    public String owner() {
        return ballot.owner;
    }

    @Override
    public long token() {
        return token;
    }

    @Override
    public Instant since() {
        return since;
    }

    @Override
    public boolean isHeldOnServer() {
        String owner = OwnerIds.publicPart(ballot.owner);
        return quorum.look(ballot.keys)
                .holder()
                .filter(holder -> holder.owner().equals(owner))
                .isPresent();
    }

    @Override
    public LeaseTicket ticket() {
        throw new UnsupportedOperationException("the lease of " + LogText.lock(ballot.keys.name())
                + " is of a quorum: only this client knows the grants that make up the lease, so no ticket can hand it"
                + " over");
    }

    @Override
    public List<NodeFailure> nodeFailures() {
        return ballot.failures();
    }

    // ---- nodes that join

    /**
     * Where others asked for the lock too, it may rest on a bare majority, the rest having voted for somebody who has taken
     * that back by now. One node more that fails would cost the lease.
     */
    void joinSoon() {
        if (ballot.members() < ballot.seats.size()) {
            long delay = Math.min(JOIN_NANOS, hold().options.leaseDuration().toNanos() / JOINS_A_TERM);
            quorum.kit.schedule(delay, this::join);
        }
    }

    /** Asks the nodes that do not stand behind the hold to join: they were away, or are back without their memory. */
    private void join() {
        if (hold().isAttended()) {
            ballot.seats.forEach(ballot::join);
        }
    }

    // ---- rounds that keep it

    @Override
    public long deadline(long sentNanos, long termNanos) {
        return ballot.deadline(sentNanos, termNanos);
    }

    @Override
    public long lowered(long deadline, LongUnaryOperator ofServer) {
        return ballot.atMost(deadline);
    }

    /** What each node that stands behind the hold has granted. */
    private Map<Seat, Long> members() {
        Map<Seat, Long> members = new LinkedHashMap<>();
        for (Seat seat : ballot.seats) {
            long nodeToken = seat.token();
            if (nodeToken != 0) {
                members.put(seat, nodeToken);
            }
        }
        return members;
    }

    /**
     * The votes of one renewal or extension, for which each node that stands behind the hold is asked once.
     *
     * <p>Nothing is called while its counts are locked.
     */
    private final class Votes {
        private final long sentNanos;
        private final Duration term;
        private final Consumer<@Nullable Boolean> over;
        private final ReentrantLock lock = new ReentrantLock();
        private final OneShot closing = new OneShot();
        private final Set<Seat> silent; // those that have not answered; guarded by lock, as is the next
        private int agreed; // guarded by lock

        /** @param over told once: true if a majority agreed, false if the hold is lost, null if too few answered */
        Votes(Duration term, long sentNanos, Collection<Seat> asked, Consumer<@Nullable Boolean> over) {
            this.term = term;
            this.sentNanos = sentNanos;
            this.silent = new HashSet<>(asked);
            this.over = over;
        }

        /** @param held null if there was no answer */
        void answered(Seat seat, long nodeToken, @Nullable Boolean held, @Nullable DriverException failure) {
            if (held != null && held) {
                seat.lasts(sentNanos, term);
            } else if (held != null) {
                ballot.gone(seat, nodeToken);
            }
            boolean majority;
            boolean tooFew;
            lock.lock();
            try {
                seat.failed(failure == null ? null : seat.node.unreachableOrRefused(failure));
                silent.remove(seat);
                agreed += held != null && held ? 1 : 0;
                // Not when it becomes one only: an error may come then, and the next one makes it count.
                majority = agreed >= quorum.majority && (held == null || held);
                // Not "the last one": it may overtake the one that made the majority, and has not closed yet.
                tooFew = silent.isEmpty() && agreed < quorum.majority;
            } finally {
                lock.unlock();
            }
            if (majority) {
                // Also if the round was given up already: what a majority has agreed to counts.
                close(hold().armed(deadline(sentNanos, term.toNanos()), false));
            } else if (ballot.members() < quorum.majority) {
                hold().lose(LossReason.NOT_ON_SERVER);
                close(false);
            } else if (tooFew) {
                close(null);
            }
        }

        /** The node timeout is over: those that have not answered are named until they do. */
        void timeOut() {
            lock.lock();
            try {
                silent.forEach(seat -> seat.failed(seat.node.silent()));
            } finally {
                lock.unlock();
            }
        }

        /** Ends it without an agreement, unless it has ended. */
        void close(@Nullable Boolean result) {
            closing.run(() -> over.accept(result));
        }
    }

    /** The calls that renew holds on one node. */
    private record Lane(VotingNode node) implements Renewals.Lane {
        @Override
        public Server server() {
            return node.server;
        }

        @Override
        public void renew(
                List<RenewEntry> entries,
                long sentNanos,
                BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback) {
            node.server.exclusiveScripts.renew(entries, sentNanos, callback);
        }
    }

    /** @param votes those of the round */
    private record Part(Hold hold, Votes votes, Seat seat, RenewEntry entry) implements Renewals.Part {
        @Override
        public boolean answered(Renewed how, long sentNanos) {
            votes.answered(seat, entry.token(), how != Renewed.GONE, null);
            return false;
        }

        @Override
        public void failed(DriverException failure) {
            votes.answered(seat, entry.token(), null, failure);
        }
    }

    @Override
    public void renew(Renewals.Round round) {
        Map<Seat, Long> members = members();
        if (members.size() < quorum.majority) {
            hold().lose(LossReason.NOT_ON_SERVER);
            return;
        }
        Duration term = hold().options.leaseDuration();
        Votes votes = new Votes(term, round.sentNanos, members.keySet(), agreed -> renewed(agreed, round.sentNanos));
        members.forEach((seat, nodeToken) -> round.add(
                new Lane(seat.node),
                new Part(hold(), votes, seat, new RenewEntry(ballot.keys, ballot.owner, nodeToken, term.toMillis()))));
        // A node that hangs is not waited for: what it answers later counts for its part only.
        round.whenLate(() -> {
            votes.timeOut();
            votes.close(null);
        });
    }

    private void renewed(@Nullable Boolean agreed, long sentNanos) {
        if (agreed == null) {
            quorum.kit
                    .renewals()
                    .failed(
                            hold(),
                            "no majority of the nodes answered in time: " + Refusals.inWords(ballot.failures()));
        } else if (agreed) {
            quorum.kit.renewals().renewed(hold(), sentNanos);
        } else {
            return;
        }
        join(); // one of those that did not answer may be replaced
    }

    @Override
    public void accept(Duration atLeast) {
        if (atLeast.compareTo(quorum.options.maxLeaseDuration()) > 0) {
            throw new IllegalArgumentException("atLeast is " + atLeast
                    + ", must be at most the quorum's maxLeaseDuration, " + quorum.options.maxLeaseDuration());
        }
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration term) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        Map<Seat, Long> members = members();
        if (members.size() < quorum.majority) {
            hold().lose(LossReason.NOT_ON_SERVER); // and nobody may be left who would answer
            result.complete(false);
            return result;
        }
        long sent = quorum.kit.nanoTime();
        Votes votes = new Votes(term, sent, members.keySet(), agreed -> {
            if (agreed != null) {
                result.complete(agreed);
                return;
            }
            List<NodeFailure> failures = ballot.failures();
            result.completeExceptionally(new ServerUnreachableException(
                    failures,
                    LogText.lock(ballot.keys.name()) + ": no majority of the nodes answered the extension: "
                            + Refusals.inWords(failures)));
        });
        members.forEach((seat, nodeToken) -> seat.node.server.exclusiveScripts.confirm(
                ballot.keys,
                new ConfirmEntry(ballot.owner, nodeToken, term.toMillis()),
                sent,
                (held, failure) -> votes.answered(seat, nodeToken, held, failure)));
        quorum.kit.schedule(quorum.options.nodeTimeout().toNanos(), votes::timeOut);
        return result;
    }

    // ---- its end

    @Override
    public void acceptRest() {
        throw new UnsupportedOperationException(inWords() + " cannot rest after a release: " + QuorumClient.RESTS);
    }

    @Override
    public void forget() {
        poll.forget();
    }

    @Override
    public CompletableFuture<ReleaseResult> release() {
        ballot.over();
        CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
        List<Seat> asked = ballot.seats.stream().filter(Seat::wasAsked).toList();
        Map<Seat, ReleaseResult> told = new ConcurrentHashMap<>();
        for (Seat seat : asked) {
            VotingNode node = seat.node;
            node.takeBack.ending();
            boolean unanswered = seat.unanswered();
            Duration tombstone = Withdrawals.tombstone(unanswered);
            node.server.quorumScripts.release(ballot.keys, ballot.owner, tombstone, (held, failure) -> {
                if (held == null) {
                    ballot.takeBack(seat);
                } else {
                    node.withdrawals.released(ballot.keys, ballot.owner, unanswered);
                }
                ReleaseResult how = held == null
                        ? ReleaseResult.UNCONFIRMED
                        : held ? ReleaseResult.RELEASED : ReleaseResult.ALREADY_GONE;
                if (told.putIfAbsent(seat, how) == null) { // else told once more, after an error
                    node.takeBack.ended();
                }
                int gone = count(told, ReleaseResult.ALREADY_GONE) + ballot.seats.size() - asked.size();
                if (count(told, ReleaseResult.RELEASED) >= quorum.majority) {
                    result.complete(ReleaseResult.RELEASED);
                } else if (gone > ballot.seats.size() - quorum.majority) {
                    result.complete(ReleaseResult.ALREADY_GONE);
                } else if (told.size() == asked.size()) {
                    result.complete(ReleaseResult.UNCONFIRMED);
                }
            });
        }
        return result;
    }

    private static int count(Map<Seat, ReleaseResult> told, ReleaseResult how) {
        return Collections.frequency(told.values(), how);
    }

    @Override
    public void takeBack(LossReason reason) {
        ballot.abandon();
    }
}
