package io.holdfast;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One hold as its client knows it: the state behind a {@link Lease}.
 *
 * <p><b>States.</b> A hold is active from its creation, and ends once ({@link LeaseState}): by the release (any thread), the
 * timer at the deadline, a reader that finds the deadline passed, an answer "gone" or "adopted by another", or the client's
 * closing.
 *
 * <p><b>Claims.</b> A hold that was handed off begins unconfirmed, with the claim window as its term. It is confirmed by
 * its own timer after {@link #CONFIRM_NANOS}, so that a shorter section costs no extra request, and a longer one soon has
 * the whole term that its caller was promised.
 */
final class Hold implements Holding {
    /** What is to be done, once, some time before the deadline. Each is itself and no other. */
    private static final class Ending {
        final long beforeNanos;
        final Runnable action;

        Ending(long beforeNanos, Runnable action) {
            this.beforeNanos = beforeNanos;
            this.action = action;
        }
    }

    /** Whoever has several leases of one hold, one after the other. */
    interface Tenant {
        /** Whether the present lease was dropped without a release. */
        boolean forgotten();

        /** Whether the present lease has lasted as long as it may be renewed. */
        boolean overLongest();
    }

    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final long RETRY_NANOS = 100_000_000L;
    /**
     * When a grant by handoff is confirmed. Until then a pause or a silence as long as the claim window loses the lease;
     * on the other hand a lock is handed on at most forty times a second by sections that are longer, so that
     * confirmations cost no more than so many requests.
     */
    private static final long CONFIRM_NANOS = 25_000_000L;

    final Client client;
    final Request request;
    final Keys keys;
    final String owner;
    final long token;
    final LockOptions options;
    final long grantedNanos;
    private final long sinceMicros;
    /** Whether the server tells this client when others want the lock. */
    final boolean kept;

    private final LeaseState state;
    private volatile int replicas;
    private final CompletableFuture<LossReason> lost = new CompletableFuture<>();
    private final List<Consumer<Duration>> warningListeners = new CopyOnWriteArrayList<>();
    private volatile boolean confirmed;
    private volatile boolean detached;
    private volatile long confirmAt; // meaningful while not confirmed
    private volatile boolean warned;
    private final List<WeakReference<Lease>> handles = new CopyOnWriteArrayList<>();
    private volatile @Nullable WeakReference<Lease> first;
    private final List<Ending> endings = new CopyOnWriteArrayList<>();
    private volatile @Nullable Tenant tenant;
    private volatile long lastToken;
    private volatile boolean renewalOver;
    /** Whether nobody has its lease yet, because the server may have forgotten another: until then it is renewed in any case. */
    private volatile boolean heldBack;

    private volatile boolean ticketed; // whether another process may have adopted it
    private volatile @Nullable Runnable timer;

    /** @param sinceMicros when it was granted, by the server's clock */
    Hold(
            Request request,
            long token,
            long sinceMicros,
            long deadline,
            boolean confirmed,
            long claimNanos,
            boolean kept) {
        this.client = request.client;
        this.request = request;
        this.keys = request.keys;
        this.owner = request.owner;
        this.token = token;
        this.sinceMicros = sinceMicros;
        this.options = request.options;
        this.confirmed = confirmed;
        this.kept = kept;
        this.grantedNanos = client.ticker.nanoTime();
        this.state = new LeaseState(
                deadline,
                grantedNanos,
                options.renewed(),
                request.shared ? null : request.scoped ? options.longestScope() : options.longestHold());
        this.confirmAt = grantedNanos + Math.min(claimNanos / 3, CONFIRM_NANOS);
    }

    @Override
    public Keys keys() {
        return keys;
    }

    @Override
    public String owner() {
        return owner;
    }

    @Override
    public long token() {
        return token;
    }

    @Override
    public LockOptions options() {
        return options;
    }

    @Override
    public boolean isHeldOnServer() {
        return new Inspector(client)
                .lock(keys.name())
                .holder()
                .filter(holder -> holder.owner().equals(OwnerIds.publicPart(owner)) && holder.token() == token)
                .isPresent();
    }

    @Override
    public Instant since() {
        return ServerClock.instant(sinceMicros);
    }

    @Override
    public Optional<Holder> takenOverFrom() {
        return request.takenOverFrom(token);
    }

    @Override
    public LeaseTicket ticket() {
        ticketed = true;
        client.mayBeOutlived();
        return new LeaseTicket(keys.name(), owner, token, options.term());
    }

    @Override
    public Duration waited() {
        return Duration.ofNanos(grantedNanos - request.startedNanos());
    }

    @Override
    public int initialPlace() {
        return request.firstPlace();
    }

    @Override
    public int attempts() {
        return request.timesAsked();
    }

    @Override
    public List<NodeFailure> nodeFailures() {
        return List.of();
    }

    @Override
    public Executor executor() {
        return client.executor();
    }

    /** Called once, when the request has taken this hold as its outcome. */
    void begin() {
        client.holds.add(this);
        if (!request.shared) { // such a hold belongs to no actor: whoever has its lease at present is another
            client.actors.begin(this);
        }
        if (confirmed) {
            startRenewal();
        }
        arm();
        if (client.isClosed()) {
            lose(LossReason.CLIENT_CLOSED);
        } else if (client.actors.anyReentrantPending()) {
            client.waitingRoom.ownHoldBegan(this);
        }
    }

    /** To be called before it begins, if its lease may have to wait for longer than its term. */
    void holdBack() {
        heldBack = true;
    }

    /**
     * Its lease is to be handed out. One that is not renewed is good for its whole term from then on.
     *
     * @return whether it holds; fails with a DriverException
     */
    CompletableFuture<Boolean> handOut() {
        boolean waited = heldBack
                && client.ticker.nanoTime() - grantedNanos
                        >= options.term().dividedBy(3).toNanos();
        heldBack = false;
        return waited && !options.renewed() ? confirm(options.term()) : CompletableFuture.completedFuture(isValid());
    }

    /** So many replicas have what its deadline rests on. */
    void confirmedBy(int count) {
        replicas = count;
    }

    @Override
    public int replicas() {
        return replicas;
    }

    /** The handle that is given to the caller. The hold itself knows it only weakly, to notice when it is forgotten. */
    Lease newHandle() {
        Lease lease = new Lease(this);
        WeakReference<Lease> handle = new WeakReference<>(lease);
        handles.add(handle);
        if (first == null) {
            first = handle; // made before anybody else can enter
        }
        return lease;
    }

    /** The handle that its request has obtained; null if nobody can reach it any more. */
    @Nullable
    Lease firstHandle() {
        WeakReference<Lease> seen = first;
        return seen == null ? null : seen.get();
    }

    /** Enters once more; null if the last one has left already. */
    @Nullable
    Lease enter() {
        if (!state.enter()) {
            return null;
        }
        handles.removeIf(seen -> seen.get() == null);
        return newHandle();
    }

    /** Leaves once; the last one releases. */
    @Override
    public CompletableFuture<ReleaseResult> leave() {
        return !state.leave() && active() ? CompletableFuture.completedFuture(ReleaseResult.STILL_HELD) : release();
    }

    /** Its leases are somebody else's from now on. */
    void lend(Tenant to) {
        tenant = to;
    }

    /** Releases, after several leases of one client. */
    CompletableFuture<ReleaseResult> releaseAfter(long token) {
        lastToken = token;
        return release();
    }

    private boolean forgotten() {
        Tenant present = tenant;
        if (present != null) {
            return present.forgotten();
        }
        if (handles.isEmpty()) {
            return false;
        }
        for (WeakReference<Lease> seen : handles) {
            if (seen.get() != null) {
                return false;
            }
        }
        return true;
    }

    @Override
    public Runnable beforeEnding(Duration before, Runnable action) {
        Ending ending = new Ending(before.toNanos(), action);
        endings.add(ending);
        arm();
        return () -> endings.remove(ending);
    }

    private boolean isRenewed() {
        return options.renewed() || heldBack;
    }

    private void startRenewal() {
        if (isRenewed() && !detached) {
            client.renewals.add(this);
        }
    }

    boolean active() {
        return state.active();
    }

    @Override
    public @Nullable LossReason lossReason() {
        return state.lossReason();
    }

    @Override
    public boolean isHandedOver() {
        return state.isHandedOver();
    }

    @Override
    public boolean isValid() {
        endIfPassed(client.ticker.nanoTime());
        return active();
    }

    @Override
    public Duration remaining() {
        long now = client.ticker.nanoTime();
        endIfPassed(now);
        return state.remaining(now);
    }

    @Override
    public Duration peek() {
        return state.remaining(client.ticker.nanoTime());
    }

    /** What is seen once must stay so, even if an answer to a renewal arrives now. */
    private void endIfPassed(long now) {
        if (state.passed(now)) {
            lose(reasonAtDeadline(now));
        }
    }

    private LossReason reasonAtDeadline(long now) {
        Tenant present = tenant;
        LossReason reason = state.reasonAtDeadline(now, forgotten());
        return reason == LossReason.EXPIRED && present != null && present.overLongest()
                ? LossReason.TERM_ENDED
                : reason;
    }

    /** Whether to go on renewing; false ends the renewal for good. */
    boolean mayRenew() {
        if (!active() || detached || !isRenewed()) {
            return false;
        }
        if (forgotten()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "lease of " + Shown.lock(keys.name())
                            + " was dropped without a release; it ends with its term");
            return false;
        }
        Tenant present = tenant;
        if (present == null) {
            return !state.overLongest(client.ticker.nanoTime());
        }
        if (present.overLongest()) {
            renewalOver = true;
            // Asked once more: either the lease is the same, and whoever ends it sees that the renewal is over, or it
            // is not.
            renewalOver = present.overLongest();
        }
        return !renewalOver;
    }

    /** Whether it is not renewed any more, because one of several leases has lasted as long as it may. */
    boolean isRenewalOver() {
        return renewalOver;
    }

    /** How long it lasts yet, without looking closer: nothing is ended by this. */
    long leftNanos(long now) {
        return active() ? state.deadline() - now : 0;
    }

    /** Moves the deadline to a later time, unless it has passed: a lost lease never becomes valid again. */
    void raise(long later) {
        long now = client.ticker.nanoTime();
        if (state.raise(later, now)) {
            warned = false;
        }
        endIfPassed(now);
    }

    /** Ends the hold as lost, tells so, and takes back what may be left on the server. The first call counts. */
    void lose(LossReason reason) {
        client.takeBack.ending();
        try {
            if (state.lose(reason)) {
                lost(reason);
            }
        } finally {
            client.takeBack.ended();
        }
    }

    /**
     * The server says that its owner does not hold the lock. Whoever has given a ticket of it asks first whether another
     * process has adopted it, which is no loss. It is held until that is answered, or its deadline has passed.
     *
     * @return completes when it has ended
     */
    CompletableFuture<?> gone() {
        if (!ticketed || !active()) {
            lose(LossReason.GONE);
            return CompletableFuture.completedFuture(null);
        }
        return adopted().handle((adopted, failure) -> {
            if (failure == null && adopted) {
                handOver();
            } else {
                lose(LossReason.GONE);
            }
            return null;
        });
    }

    /** Asks whether another process goes on with it; fails with a DriverException. */
    private CompletableFuture<Boolean> adopted() {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        client.queueScripts.adopted(keys, owner, token, (adopted, failure) -> {
            if (adopted != null) {
                result.complete(adopted);
            } else {
                result.completeExceptionally(Objects.requireNonNull(failure));
            }
        });
        return result;
    }

    /** Another process goes on with it, under an owner of its own: nothing is lost, and nothing to be taken back. */
    private void handOver() {
        if (state.handOver()) {
            forget();
            if (!detached) {
                tell(subject -> new LockEvent.HandedOver(subject, token, client.events.since(grantedNanos)));
            }
        }
    }

    private void lost(LossReason reason) {
        forget();
        if (detached) {
            return; // it is to live its term without this client, or has been adopted by another
        }
        client.execute(() -> lost.complete(reason));
        tell(subject -> new LockEvent.Lost(subject, token, client.events.since(grantedNanos), reason));
        if (reason == LossReason.EXPIRED || reason == LossReason.GONE || reason == LossReason.REVOKED) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "lease of " + Shown.lock(keys.name()) + " with token " + token + " was lost: " + reason);
        }
        client.takeBack.add(
                keys,
                owner,
                request.unanswered(),
                reason == LossReason.CLIENT_CLOSED ? options.shortestHold() : Duration.ZERO);
    }

    CompletableFuture<ReleaseResult> release() {
        client.takeBack.ending();
        // The local lease is over before the request leaves.
        if (!state.release()) {
            client.takeBack.ended();
            return CompletableFuture.completedFuture(ReleaseResult.ALREADY_GONE);
        }
        forget();
        CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
        long sent = client.ticker.nanoTime();
        Duration tombstone = request.unanswered() ? TakeBack.TOMBSTONE : Duration.ZERO;
        client.queueScripts.release(keys, owner, tombstone, options.shortestHold(), lastToken, (reply, failure) -> {
            ReleaseResult how;
            try {
                how = released(reply, sent);
            } finally {
                client.takeBack.ended();
            }
            result.complete(how);
        });
        return result;
    }

    private ReleaseResult released(QueueScripts.@Nullable ReleaseReply reply, long sent) {
        ReleaseResult how = settle(reply, sent);
        tell(subject -> new LockEvent.Released(
                subject, token, options.term(), waited(), client.events.since(grantedNanos), how));
        return how;
    }

    /** Of leases that share a hold each tells for itself. */
    private void tell(Function<LockEvent.Subject, LockEvent> event) {
        if (!request.shared) {
            client.events.tell(request, event);
        }
    }

    private ReleaseResult settle(QueueScripts.@Nullable ReleaseReply reply, long sent) {
        if (reply == null) {
            client.takeBack.add(keys, owner, request.unanswered(), options.shortestHold());
            return ReleaseResult.UNCONFIRMED;
        }
        if (options.shortestHold().isZero()) {
            client.takeBack.released(keys, owner);
        }
        client.waitingRoom.observe(keys, reply.state(), sent);
        return reply.word() == QueueScripts.ReleaseWord.RELEASED ? ReleaseResult.RELEASED : ReleaseResult.ALREADY_GONE;
    }

    /** Takes the hold out of everything that looks after it. */
    private void forget() {
        leaveAlone();
        client.waitingRoom.remove(request);
    }

    private void leaveAlone() {
        Runnable cancel = timer;
        if (cancel != null) {
            cancel.run();
        }
        client.renewals.remove(this);
        client.holds.remove(this);
        client.actors.end(this);
    }

    /**
     * Confirms or extends: asks the server for at least {@code term} from now. What confirms a claim asks for a whole term
     * at least: renewal begins with it, a third of the term later.
     *
     * @return true if the hold has it, false if it is lost; fails with a DriverException if the server did not answer
     */
    CompletableFuture<Boolean> confirm(Duration term) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        if (!isValid()) {
            result.complete(false);
            return result;
        }
        Duration asked = confirmed || term.compareTo(options.term()) > 0 ? term : options.term();
        long sent = client.ticker.nanoTime();
        RedisDriver master = client.driver.master(client.driver.partition(keys.hold()));
        client.queueScripts.confirm(keys, owner, token, asked, sent, (held, failure) -> {
            if (held == null) {
                result.completeExceptionally(Objects.requireNonNull(failure));
            } else if (!held) {
                var unused = gone().thenRun(() -> result.complete(false));
            } else if (options.replicas() == 0) {
                result.complete(armed(Deadlines.ofReply(sent, asked.toNanos())));
            } else {
                client.assurance
                        .ofRenewal(master, keys, options.replicas(), options.replicaTimeout())
                        .whenComplete((assured, problem) -> {
                            if (assured == null) {
                                result.completeExceptionally(problem);
                            } else if (assured.missing() != null) {
                                result.completeExceptionally(DriverException.unknown(
                                        "only " + assured.replicas() + " replicas have it", null));
                            } else {
                                confirmedBy(assured.replicas());
                                result.complete(armed(Deadlines.ofReply(sent, asked.toNanos())));
                            }
                        });
            }
        });
        return result;
    }

    /** The server has it for longer; returns whether it came in time. */
    private boolean armed(long deadline) {
        boolean first = !confirmed;
        confirmed = true;
        raise(deadline);
        if (first) {
            startRenewal();
        }
        arm();
        return active();
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration atLeast) {
        client.refuseBeyondQuarantine("atLeast", atLeast);
        return explained(confirm(atLeast)).thenApply(extended -> {
            if (extended) {
                client.events.tell(request, subject -> new LockEvent.Extended(subject, token, remaining()));
            }
            return extended;
        });
    }

    /** The same result, or an exception of the library that says what went wrong. */
    private CompletableFuture<Boolean> explained(CompletableFuture<Boolean> asked) {
        return asked.handle((held, failure) -> {
            String server = client.driver.describe();
            if (failure instanceof DriverException cause) {
                String unanswered = Shown.lock(keys.name()) + ": " + server + " did not answer the extension";
                throw Refusals.of(server, unanswered, cause);
            }
            return failure == null && held;
        });
    }

    @Override
    public CompletableFuture<Boolean> detach() {
        client.mayBeOutlived();
        return extend(options.term()).thenCompose(held -> {
            if (held) {
                letGo();
                return CompletableFuture.completedFuture(true);
            }
            // It may have been lost here, by the clock, long after another process went on with it.
            return isHandedOver() || !ticketed
                    ? CompletableFuture.completedFuture(isHandedOver())
                    : explained(adopted());
        });
    }

    /** Leaves the hold to live its term without this client. */
    private void letGo() {
        detached = true;
        leaveAlone();
        // Its owner stays known to the end: a late notice of its grant must not look like a grant for nobody.
        client.timers.schedule(state.deadline() - client.ticker.nanoTime(), () -> client.waitingRoom.remove(request));
    }

    /** Ends the hold because its client is closed, unless it is to outlive it. */
    void clientClosed() {
        if (!detached) {
            lose(LossReason.CLIENT_CLOSED);
        }
    }

    @Override
    public CompletableFuture<LossReason> lost() {
        return lost;
    }

    /** Adds a listener for warnings; returns what removes it. */
    @Override
    public Runnable onWarning(Consumer<Duration> listener) {
        warningListeners.add(listener);
        return () -> warningListeners.remove(listener);
    }

    /** Sets the one timer to what comes next: the confirmation, the warning, or the deadline. */
    private void arm() {
        if (!active() || detached) {
            return;
        }
        // Read first: a timer that another thread sets from now on may know more than is read here, and stays.
        Runnable old = timer;
        long now = client.ticker.nanoTime();
        long next = state.deadline();
        if (!confirmed && confirmAt - next < 0) {
            next = confirmAt;
        } else if (confirmed && !warned && options.renewed()) {
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
        timer = client.timers.schedule(next - now, this::onTimer);
        if (!active()) {
            forget();
        }
    }

    /** When two renewals in a row have failed. */
    private long warnAt() {
        return state.deadline() - options.term().toNanos() / 3;
    }

    private void onTimer() {
        long now = client.ticker.nanoTime();
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
        if (!confirmed && confirmAt - now <= 0) {
            confirmAt = now + RETRY_NANOS + client.options.commandTimeout().toNanos();
            confirm(options.term()).whenComplete((held, failure) -> {
                if (failure != null) {
                    confirmAt = client.ticker.nanoTime() + RETRY_NANOS;
                    arm();
                }
            });
        }
        if (confirmed && !warned && options.renewed() && warnAt() - now <= 0) {
            warned = true;
            Duration left = Duration.ofNanos(state.deadline() - now);
            for (Consumer<Duration> listener : warningListeners) {
                client.execute(() -> listener.accept(left));
            }
        }
        arm();
    }
}
