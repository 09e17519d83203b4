package io.holdfast;

import io.holdfast.Ballot.Seat;
import io.holdfast.QueueScripts.RenewEntry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One hold of a quorum as its client knows it: the state behind a {@link Lease}.
 *
 * <p>It ends once ({@link LeaseState}), as a hold on one server does. Its deadline is raised only by rounds
 * that a majority of all nodes has agreed to, and counts from when the round left. It is gone when so many nodes have said so
 * that no majority can stand behind it.
 */
final class QuorumHold implements Holding {
    /** What is to be done, once, some time before the deadline. Each is itself and no other. */
    private static final class Ending {
        final long beforeNanos;
        final Runnable action;

        Ending(long beforeNanos, Runnable action) {
            this.beforeNanos = beforeNanos;
            this.action = action;
        }
    }

    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final long JOIN_NANOS = 100_000_000L;

    final QuorumClient quorum;
    final QuorumRequest request;
    final Ballot ballot;
    private final long token;
    private final Instant since;
    private final LeaseState state;
    private final CompletableFuture<LossReason> lost = new CompletableFuture<>();
    private final List<Consumer<Duration>> warningListeners = new CopyOnWriteArrayList<>();
    private volatile WeakReference<@Nullable Lease> handle = new WeakReference<>(null);
    private volatile boolean detached;
    private volatile boolean warned;
    private final List<Ending> endings = new CopyOnWriteArrayList<>();
    private volatile @Nullable Runnable timer;

    QuorumHold(QuorumRequest request, Ballot ballot, long token, long deadline) {
        this.quorum = request.quorum;
        this.request = request;
        this.ballot = ballot;
        this.token = token;
        this.since = ballot.grantedAt();
        this.state = new LeaseState(
                deadline,
                quorum.nanoTime(),
                request.options.renewed(),
                request.scoped ? request.options.longestScope() : request.options.longestHold());
    }

    Lease newHandle() {
        Lease lease = new Lease(this);
        handle = new WeakReference<>(lease);
        return lease;
    }

    /** Called once, when the request has taken this hold as its outcome. */
    void begin() {
        quorum.holds.add(this);
        if (request.options.renewed()) {
            quorum.renewals.add(this);
            joinSoon();
        }
        arm();
        if (quorum.isClosed()) {
            lose(LossReason.CLIENT_CLOSED);
        }
    }

    /**
     * Where others asked for the lock too, it may rest on a bare majority, the rest having voted for somebody who has taken
     * that back by now. One node more that fails would cost the lease.
     */
    private void joinSoon() {
        if (ballot.members() < ballot.seats.size()) {
            long delay = Math.min(JOIN_NANOS, request.options.term().toNanos() / 18);
            quorum.timers.schedule(delay, this::join);
        }
    }

    /** Asks the nodes that do not stand behind the hold to join: they were away, or are back without their memory. */
    void join() {
        if (isValid() && !detached) {
            ballot.seats.forEach(ballot::join);
        }
    }

    private boolean forgotten() {
        return handle.get() == null;
    }

    boolean active() {
        return state.active();
    }

    @Override
    public boolean isValid() {
        endIfPassed(quorum.nanoTime());
        return active();
    }

    @Override
    public Duration remaining() {
        long now = quorum.nanoTime();
        endIfPassed(now);
        return state.remaining(now);
    }

    @Override
    public Duration peek() {
        return state.remaining(quorum.nanoTime());
    }

    /** What is seen once must stay so, even if an answer to a renewal arrives now. */
    private void endIfPassed(long now) {
        if (state.passed(now)) {
            lose(state.reasonAtDeadline(now, forgotten()));
        }
    }

    /** Whether to go on renewing; false ends the renewal for good. */
    boolean mayRenew() {
        if (!active() || detached || !request.options.renewed()) {
            return false;
        }
        if (forgotten()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "lease of " + Shown.lock(request.keys.name())
                            + " was dropped without a release; it ends with its term");
            return false;
        }
        return !state.overLongest(quorum.nanoTime());
    }

    /** Moves the deadline to a later time, unless it has passed: a lost lease never becomes valid again. */
    private void raise(long later) {
        long now = quorum.nanoTime();
        if (state.raise(later, now)) {
            warned = false;
        }
        endIfPassed(now);
    }

    // ---- rounds that keep it

    /**
     * One round of a renewal or an extension, which one message to each node that stands behind the hold makes.
     *
     * <p>Nothing is called while its counts are locked.
     */
    final class Round {
        private final long sentNanos;
        private final Duration term;
        private final Consumer<@Nullable Boolean> over;
        private final ReentrantLock lock = new ReentrantLock();
        private final AtomicBoolean done = new AtomicBoolean();
        private final Set<Seat> silent; // those that have not answered; guarded by lock, as is the next
        private int agreed; // guarded by lock

        /** @param over told once: true if a majority agreed, false if the hold is lost, null if too few answered */
        Round(Duration term, long sentNanos, Collection<Seat> asked, Consumer<@Nullable Boolean> over) {
            this.term = term;
            this.sentNanos = sentNanos;
            this.silent = new HashSet<>(asked);
            this.over = over;
        }

        /** @param held null if there was no answer */
        void answered(Seat seat, long nodeToken, @Nullable Boolean held, @Nullable HoldfastException failure) {
            if (held != null && !held) {
                ballot.gone(seat, nodeToken);
            }
            boolean majority;
            boolean last;
            lock.lock();
            try {
                seat.failed(failure);
                silent.remove(seat);
                last = silent.isEmpty();
                agreed += held != null && held ? 1 : 0;
                majority = agreed == quorum.majority && held != null && held;
            } finally {
                lock.unlock();
            }
            if (majority) {
                // Also if the round was given up already: what a majority has agreed to counts.
                raise(Deadlines.ofReply(sentNanos, term.toNanos()));
                arm();
                close(active());
            } else if (ballot.members() < quorum.majority) {
                lose(LossReason.GONE);
                close(false);
            } else if (last) {
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
            if (done.compareAndSet(false, true)) {
                over.accept(result);
            }
        }
    }

    /** What a node is to be asked for a renewal; null if it does not stand behind the hold. */
    @Nullable
    RenewEntry entryOf(Seat seat) {
        long nodeToken = seat.token();
        return nodeToken == 0
                ? null
                : new RenewEntry(
                        request.keys,
                        ballot.owner,
                        nodeToken,
                        request.options.term().toMillis());
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration atLeast) {
        if (atLeast.compareTo(quorum.options.longestTerm()) > 0) {
            throw new IllegalArgumentException("atLeast is " + atLeast + ", must be at most the quorum's longestTerm, "
                    + quorum.options.longestTerm());
        }
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        List<Seat> seats = new ArrayList<>();
        List<Long> tokens = new ArrayList<>();
        for (Seat seat : ballot.seats) {
            long nodeToken = seat.token();
            if (nodeToken != 0) {
                seats.add(seat);
                tokens.add(nodeToken);
            }
        }
        if (!isValid()) {
            return CompletableFuture.completedFuture(false);
        }
        long sent = quorum.nanoTime();
        Round round = new Round(atLeast, sent, seats, agreed -> {
            if (agreed == null) {
                List<NodeFailure> failures = ballot.failures();
                result.completeExceptionally(new ServerUnreachableException(
                        failures,
                        Shown.lock(request.keys.name()) + ": no majority of the nodes answered the extension: "
                                + QuorumRequest.inWords(failures)));
                return;
            }
            if (agreed) {
                quorum.events().tell(request, subject -> new LockEvent.Extended(subject, token, remaining()));
            }
            result.complete(agreed);
        });
        for (int i = 0; i < seats.size(); i++) {
            Seat seat = seats.get(i);
            long nodeToken = tokens.get(i);
            seat.node.client.queueScripts.confirm(
                    request.keys,
                    ballot.owner,
                    nodeToken,
                    atLeast,
                    sent,
                    (held, failure) -> round.answered(
                            seat, nodeToken, held, failure == null ? null : seat.node.unreachableOrRefused(failure)));
        }
        quorum.timers.schedule(quorum.options.nodeTimeout().toNanos(), round::timeOut);
        return result;
    }

    // ---- its end

    /** Ends the hold as lost, tells so, and takes back what may be left on the nodes. The first call counts. */
    void lose(LossReason reason) {
        if (!state.lose(reason)) {
            return;
        }
        leaveAlone();
        quorum.requests.remove(request);
        if (detached) {
            return; // it lives its term without this client
        }
        quorum.execute(() -> lost.complete(reason));
        quorum.events().tell(request, subject -> new LockEvent.Lost(subject, token, held(), reason));
        if (reason == LossReason.EXPIRED || reason == LossReason.GONE) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "lease of " + Shown.lock(request.keys.name()) + " with token " + token + " was lost: "
                            + reason
                            + (ballot.failures().isEmpty() ? "" : "; " + QuorumRequest.inWords(ballot.failures())));
        }
        ballot.abandon();
    }

    @Override
    public CompletableFuture<ReleaseResult> leave() {
        // The local lease is over before the requests leave.
        if (!state.release()) {
            return CompletableFuture.completedFuture(ReleaseResult.ALREADY_GONE);
        }
        leaveAlone();
        quorum.requests.remove(request);
        ballot.over();
        CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
        List<Seat> asked = ballot.seats.stream().filter(Seat::wasAsked).toList();
        AtomicInteger released = new AtomicInteger();
        AtomicInteger gone = new AtomicInteger(ballot.seats.size() - asked.size());
        AtomicInteger answers = new AtomicInteger();
        for (Seat seat : asked) {
            TakeBack takeBack = seat.node.client.takeBack;
            takeBack.ending();
            Duration tombstone = seat.unanswered() ? TakeBack.TOMBSTONE : Duration.ZERO;
            seat.node.client.quorumScripts.release(request.keys, ballot.owner, tombstone, (held, failure) -> {
                if (held == null) {
                    ballot.takeBack(seat);
                } else {
                    (held ? released : gone).incrementAndGet();
                    takeBack.released(request.keys, ballot.owner);
                }
                takeBack.ended();
                boolean all = answers.incrementAndGet() == asked.size();
                ReleaseResult how = released.get() >= quorum.majority
                        ? ReleaseResult.RELEASED
                        : gone.get() > ballot.seats.size() - quorum.majority
                                ? ReleaseResult.ALREADY_GONE
                                : all ? ReleaseResult.UNCONFIRMED : null;
                if (how != null && result.complete(how)) {
                    quorum.events()
                            .tell(
                                    request,
                                    subject -> new LockEvent.Released(
                                            subject, token, options().term(), waited(), held(), how));
                }
            });
        }
        return result;
    }

    private Duration held() {
        return Duration.ofNanos(quorum.nanoTime() - state.grantedNanos);
    }

    /** Takes the hold out of everything that looks after it. */
    private void leaveAlone() {
        Runnable cancel = timer;
        if (cancel != null) {
            cancel.run();
        }
        quorum.renewals.remove(this);
        quorum.holds.remove(this);
    }

    @Override
    public CompletableFuture<Boolean> detach() {
        return extend(request.options.term()).thenApply(held -> {
            if (held) {
                detached = true;
                leaveAlone();
                quorum.timers.schedule(state.deadline() - quorum.nanoTime(), () -> quorum.requests.remove(request));
            }
            return held;
        });
    }

    /** Ends the hold because its client is closed, unless it is to outlive it. */
    void clientClosed() {
        if (!detached) {
            lose(LossReason.CLIENT_CLOSED);
        }
    }

    // ---- its time

    /** Sets the one timer to what comes next: the warning, what is to be done before the end, or the deadline. */
    private void arm() {
        if (!active() || detached) {
            return;
        }
        Runnable old = timer; // read first, as in Hold
        long next = state.deadline();
        if (!warned && request.options.renewed()) {
            next = warnAt();
        }
        for (Ending ending : endings) {
            if (state.deadline() - ending.beforeNanos - next < 0) {
                next = state.deadline() - ending.beforeNanos;
            }
        }
        if (old != null) {
            old.run();
        }
        timer = quorum.timers.schedule(next - quorum.nanoTime(), this::onTimer);
        if (!active()) {
            leaveAlone();
        }
    }

    /** When two renewals in a row have failed. */
    private long warnAt() {
        return state.deadline() - request.options.term().toNanos() / 3;
    }

    private void onTimer() {
        long now = quorum.nanoTime();
        endIfPassed(now);
        if (!active()) {
            return;
        }
        List<Ending> due = endings.stream()
                .filter(ending -> state.deadline() - ending.beforeNanos - now <= 0)
                .toList();
        for (Ending ending : due) {
            if (endings.remove(ending)) { // else another thread has run it, or taken it back
                ending.action.run();
            }
        }
        if (!warned && request.options.renewed() && warnAt() - now <= 0) {
            warned = true;
            Duration left = Duration.ofNanos(state.deadline() - now);
            for (Consumer<Duration> listener : warningListeners) {
                quorum.execute(() -> listener.accept(left));
            }
        }
        arm();
    }

    @Override
    public Runnable beforeEnding(Duration before, Runnable action) {
        Ending ending = new Ending(before.toNanos(), action);
        endings.add(ending);
        arm();
        return () -> endings.remove(ending);
    }

    // ---- what it tells

    @Override
    public Keys keys() {
        return request.keys;
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
    public LockOptions options() {
        return request.options;
    }

    @Override
    public @Nullable LossReason lossReason() {
        return state.lossReason();
    }

    @Override
    public Instant since() {
        return since;
    }

    @Override
    public boolean isHeldOnServer() {
        String owner = OwnerIds.publicPart(ballot.owner);
        return quorum.look(request.keys)
                .holder()
                .filter(holder -> holder.owner().equals(owner))
                .isPresent();
    }

    @Override
    public LeaseTicket ticket() {
        throw new UnsupportedOperationException("the lease of " + Shown.lock(request.keys.name())
                + " is of a quorum: it stands on grants that only its client knows, so no ticket can hand it over");
    }

    @Override
    public Duration waited() {
        return Duration.ofNanos(state.grantedNanos - request.startedNanos());
    }

    @Override
    public int initialPlace() {
        return 0;
    }

    @Override
    public int attempts() {
        return request.attempts();
    }

    @Override
    public CompletableFuture<LossReason> lost() {
        return lost;
    }

    @Override
    public Runnable onWarning(Consumer<Duration> listener) {
        warningListeners.add(Objects.requireNonNull(listener));
        return () -> warningListeners.remove(listener);
    }

    @Override
    public int replicas() {
        return 0;
    }

    @Override
    public List<NodeFailure> nodeFailures() {
        return ballot.failures();
    }

    @Override
    public Executor executor() {
        return quorum.executor();
    }
}
