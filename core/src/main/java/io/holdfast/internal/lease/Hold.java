package io.holdfast.internal.lease;

import io.holdfast.LeaseTicket;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.NodeFailure;
import io.holdfast.ReleaseResult;
import io.holdfast.internal.wire.Asked;
import io.holdfast.internal.wire.Keys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One hold as its client knows it: the state behind leases. It ends once; what stands behind it on the server is its
 * {@link Grant}.
 *
 * <p><b>States.</b> Active from its creation, it ends ({@link LeaseState}) by the release (any thread), the timer at the
 * deadline, a reader that finds the deadline passed, an answer "gone" or "adopted by another", or the client's closing.
 *
 * <p><b>Time.</b> It is looked at when the next of these is due: the confirmation of a handoff, the renewal, the warning, what
 * is to be done before the end, or the deadline.
 */
public final class Hold extends Buckets.Item implements Holding {
    // Numbers of its own and not objects: of a hundred thousand holds each has to be fetched from memory to be renewed.
    private static final AtomicIntegerFieldUpdater<Hold> HELD_BACK =
            AtomicIntegerFieldUpdater.newUpdater(Hold.class, "heldBack");
    private static final AtomicReferenceFieldUpdater<Hold, @Nullable PreExpiryActions> ENDINGS =
            AtomicReferenceFieldUpdater.newUpdater(Hold.class, PreExpiryActions.class, "endings");

    public final Kit kit;
    public final Outcome origin;
    public final Grant grant;
    public final LockOptions options;
    public final long grantedNanos;
    public final Rest.Wanted rest; // after its release

    final LeaseState state;
    private final CompletableFuture<LossReason> lost = new CompletableFuture<>();
    private final Warnings warnings;
    private volatile boolean detached;
    private final Handles<Handle> handles = new Handles<>();
    private volatile Tenant tenant = handles;
    private volatile boolean renewalOver; // of a tenant's present lease
    private volatile @Nullable PreExpiryActions endings; // null until there is one
    /** For how many reasons no caller has its lease yet: a quarantine, or a set that is not complete. Meanwhile it is renewed. */
    private volatile int heldBack;

    private volatile long renewAt = LeaseState.NEVER; // also while a renewal is under way

    /** @param longest how long it is renewed at most; null for ever */
    public Hold(Outcome origin, Grant grant, long deadline, @Nullable Duration longest) {
        this.kit = origin.kit;
        this.origin = origin;
        this.grant = grant;
        this.options = origin.demand.options();
        this.grantedNanos = kit.nanoTime();
        this.rest = new Rest.Wanted(options);
        this.state = new LeaseState(deadline, grantedNanos, options.renewal(), longest);
        this.warnings = new Warnings(options);
        this.heldBack = origin.demand.inSet() ? 1 : 0;
        grant.of(this);
    }

    // ---- what it tells

    public Keys keys() {
        return origin.demand.keys();
    }

    /** The whole owner id. */
    public String owner() {
        return grant.owner();
    }

    @Override
    public long token() {
        return grant.token();
    }

    /** What of the lock it has. */
    public Asked what() {
        return origin.demand.what();
    }

    @Override
    public boolean isHeldOnServer() {
        return grant.isHeldOnServer();
    }

    @Override
    public Instant since() {
        return grant.since();
    }

    @Override
    public LeaseTicket ticket() {
        return grant.ticket();
    }

    @Override
    public CompletableFuture<Boolean> note(String text) {
        return isValid() ? grant.note(origin, token(), text) : CompletableFuture.completedFuture(false);
    }

    @Override
    public CompletableFuture<Void> wanted(BooleanSupplier lasts) {
        return grant.wanted(() -> lasts.getAsBoolean() && isValid(), () -> false);
    }

    @Override
    public Duration waited() {
        return Duration.ofNanos(grantedNanos - origin.startNanos);
    }

    @Override
    public int initialPosition() {
        return origin.firstPlace;
    }

    public int attempts() {
        return origin.asked.get();
    }

    public List<NodeFailure> nodeFailures() {
        return grant.nodeFailures();
    }

    /** Where stages complete. */
    public Executor executor() {
        return kit.executor();
    }

    // ---- its beginning

    /** Called once, when the request has taken this hold as its outcome. {@link #lookAfter} follows. */
    public void begin() {
        kit.holds().add(this);
        kit.lasting().begins();
        if (kit.isClosed()) {
            lose(LossReason.CLIENT_CLOSED);
        }
        if (!active()) {
            leaveAlone(); // it may have ended before it stood where its end looks for it
        }
    }

    /** Called once, after its lease was handed out: this may wake another thread. */
    public void lookAfter() {
        if (grant.isConfirmed()) {
            startRenewal();
        }
        arm();
    }

    /** To be called before it begins, if its lease may have to wait for longer than its term. */
    public void holdBack() {
        HELD_BACK.incrementAndGet(this);
    }

    @Override
    public CompletableFuture<Boolean> handOut() {
        boolean waited = HELD_BACK.getAndUpdate(this, reasons -> Math.max(0, reasons - 1)) == 1
                && (origin.demand.inSet()
                        || kit.nanoTime() - grantedNanos
                                >= options.leaseDuration().dividedBy(3).toNanos());
        boolean enough = options.renewal() && remaining().compareTo(Demand.leastLeft(options)) > 0;
        return waited && !enough ? prolong(options.leaseDuration()) : CompletableFuture.completedFuture(isValid());
    }

    // ---- its handles

    /** A further handle. The hold itself knows it only weakly, to notice when it is forgotten. */
    public Handle newHandle() {
        return handles.add(new Handle(this, this));
    }

    /** The handle that its request has obtained; null if nobody can reach it any more. */
    public @Nullable Handle firstHandle() {
        return handles.first();
    }

    /** Enters once more; null if the last one has left already. */
    public @Nullable Handle enter() {
        Handle made = newHandle(); // first: an error leaves no entry of which there is no handle
        return state.enter() ? made : null;
    }

    /** Whether so many leases are in it, and no more. */
    public boolean hasEntries(int count) {
        return state.entries() == count;
    }

    @Override
    public CompletableFuture<ReleaseResult> leave(Duration resting) {
        rest.ask(resting, kit.nanoTime());
        return !state.leave() && active() ? CompletableFuture.completedFuture(ReleaseResult.STILL_HELD) : release();
    }

    /** Its leases are somebody else's from now on, who looks afterwards whether it has ended meanwhile. */
    public void lend(Tenant to) {
        tenant = to;
    }

    /**
     * Does something of the library's own, once, so long before the deadline; at the latest when the hold is lost.
     *
     * @return takes that back
     */
    public Runnable beforeEnding(Duration before, Runnable action) {
        ENDINGS.compareAndSet(this, null, new PreExpiryActions());
        PreExpiryActions present = Objects.requireNonNull(endings);
        Runnable takeBack = present.add(before.toNanos(), action);
        arm();
        if (lossReason() != null) {
            present.runAll(); // lost just now
        }
        return takeBack;
    }

    private boolean isRenewed() {
        return options.renewal() || heldBack > 0;
    }

    private void startRenewal() {
        if (isRenewed() && !detached) {
            kit.renewals().add(this);
        }
    }

    public boolean active() {
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
        endIfPassed(kit.nanoTime());
        return active();
    }

    public Duration remaining() {
        long now = kit.nanoTime();
        endIfPassed(now);
        return state.remaining(now);
    }

    /** As {@link #remaining}, but ends nothing: a deadline that has passed is left to the timer. */
    public Duration peek() {
        return state.remaining(kit.nanoTime());
    }

    /** What is seen once must stay so, even if an answer to a renewal arrives now. */
    private void endIfPassed(long now) {
        if (state.passed(now)) {
            lose(reasonAtDeadline(now));
        }
    }

    private LossReason reasonAtDeadline(long now) {
        LossReason reason = state.reasonAtDeadline(now, isRenewed() && tenant.forgotten());
        return reason == LossReason.EXPIRED && tenant.overLongest() ? LossReason.LEASE_LIMIT_REACHED : reason;
    }

    /** Whether to go on renewing; false ends the renewal for good. */
    boolean mayRenew() {
        if (!active() || detached || !isRenewed()) {
            return false;
        }
        if (tenant.forgotten()) {
            origin.warn(grant.droppedInWords());
            return false;
        }
        if (tenant.overLongest()) {
            renewalOver = true;
            // Asked once more: either the lease is the same, and its end finds that the renewal is over, or it is not.
            renewalOver = tenant.overLongest();
        }
        return !renewalOver && !state.overLongest(kit.nanoTime());
    }

    /** Whether it is not renewed any more, because one of several leases has lasted as long as it may. */
    public boolean isRenewalOver() {
        return renewalOver;
    }

    /** Whether it is valid, and looked after by this client. */
    public boolean isAttended() {
        return isValid() && !detached;
    }

    /** How long it lasts yet, without looking closer: nothing is ended by this. */
    public long leftNanos(long now) {
        return active() ? state.deadline() - now : 0;
    }

    /** Moves the deadline to a later time, unless it has passed: a lost lease never becomes valid again. */
    public void raise(long later, long now) {
        state.raise(later, now);
        endIfPassed(now);
    }

    /**
     * The server has it for longer.
     *
     * @param confirmedNow whether it lasts for a whole term only now
     * @return whether that came in time
     */
    public boolean armed(long deadline, boolean confirmedNow) {
        raise(deadline, kit.nanoTime());
        if (confirmedNow) {
            startRenewal();
        }
        arm();
        return active();
    }

    // ---- extension

    /** Asks for at least so much from now, and tells nobody of it; as {@link Grant#extend}. */
    public CompletableFuture<Boolean> prolong(Duration term) {
        return isValid() ? grant.extend(term) : CompletableFuture.completedFuture(false);
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration atLeast) {
        grant.accept(atLeast);
        return prolong(atLeast).thenApply(extended -> {
            if (extended) {
                origin.tellUnlessShared(subject -> new LockEvent.Extended(subject, token(), remaining()));
            }
            return extended;
        });
    }

    @Override
    public CompletableFuture<Boolean> detach() {
        return detach(() -> true);
    }

    /**
     * The same, if whoever wants it says, once it is confirmed, that the hold is still theirs.
     *
     * @param stillTheirs asked once; from then on nobody else may be given the hold
     */
    public CompletableFuture<Boolean> detach(BooleanSupplier stillTheirs) {
        grant.outlives();
        return extend(options.leaseDuration()).thenCompose(held -> {
            if (held) {
                boolean theirs = stillTheirs.getAsBoolean();
                if (theirs) {
                    letGo();
                }
                return CompletableFuture.completedFuture(theirs);
            }
            // It may have been lost here, by the clock, long after another process went on with it.
            return isHandedOver() ? CompletableFuture.completedFuture(true) : grant.isAdopted();
        });
    }

    /** Leaves the hold to live its term without this client. */
    private void letGo() {
        detached = true;
        leaveAlone();
        // Its owner stays known to the end: a late notice of its grant must not look like a grant for nobody.
        long end = state.deadline() + options.lockDelay().toNanos();
        kit.schedule(end - kit.nanoTime(), grant::forget);
        kit.lasting().goesOn(keys(), end);
    }

    // ---- its end

    /** Ends the hold as lost, tells so, and takes back what may be left on the server. The first call counts. */
    public void lose(LossReason reason) {
        LeaseState.End how = LeaseState.End.lost(reason);
        kit.ending();
        try {
            kit.surely(() -> {
                if (state.endAs(how)) {
                    lost(reason);
                }
            });
        } finally {
            kit.ended();
        }
    }

    private void lost(LossReason reason) {
        leaveAlone();
        if (detached) {
            grant.forget();
            return; // it is to live its term without this client, or has been adopted by another
        }
        PreExpiryActions open = endings;
        if (open != null) {
            open.runAll();
        }
        kit.execute(() -> lost.complete(reason));
        tenant.lost(this, reason);
        origin.tellLost(this, reason);
        if (reason == LossReason.EXPIRED || reason == LossReason.NOT_ON_SERVER || reason == LossReason.REVOKED) {
            origin.warn(grant.lossInWords(reason, state.howLost(reason, kit.nanoTime(), options)));
        }
        grant.takeBack(reason);
        grant.forget(); // as after a release
    }

    /** Another process goes on with it, under an owner of its own: nothing is lost, and nothing to be taken back. */
    public void handOver() {
        BooleanSupplier goesOn = goingOn();
        kit.surely(() -> {
            if (goesOn.getAsBoolean() && !detached) {
                origin.tellHandedOver(this);
                tenant.handedOver();
            }
        });
    }

    /** What ends it here, because it goes on as another hold: does so once, and tells each time that it has, also after an error. */
    public BooleanSupplier goingOn() {
        LeaseState.End how = LeaseState.End.handedOver();
        return () -> {
            boolean ended = state.endAs(how);
            if (ended) {
                forget();
            }
            return ended;
        };
    }

    /** Frees the lock, whoever has entered it. */
    public CompletableFuture<ReleaseResult> release() {
        // Said before anybody can see that it has ended: closing waits for what follows.
        kit.ending();
        // The local lease is over before the request leaves.
        if (!state.release()) {
            kit.ended();
            return CompletableFuture.completedFuture(ReleaseResult.ALREADY_GONE);
        }
        try {
            leaveAlone();
            return forgottenWith(grant.release());
        } catch (RuntimeException | Error e) {
            kit.later(this::releaseLater);
            throw e;
        }
    }

    /** Not before: a second notice of the grant would give it back without its rest or record, by a release that may overtake this one. */
    private CompletableFuture<ReleaseResult> forgottenWith(CompletableFuture<ReleaseResult> answer) {
        return answer.whenComplete((how, failure) -> {
            try {
                grant.forget();
                origin.tellReleased(this, how);
            } catch (RuntimeException | Error e) {
                kit.later(grant::forget);
                throw e;
            } finally {
                kit.ended();
            }
        });
    }

    private void releaseLater() {
        forget();
        grant.release().whenComplete((how, failure) -> kit.ended());
    }

    /** Takes the hold out of everything that looks after it. */
    private void forget() {
        leaveAlone();
        grant.forget();
    }

    private void leaveAlone() {
        kit.looks().remove(this);
        kit.holds().remove(this);
        grant.leaveAlone();
    }

    /** Ends the hold because its client is closed, unless it is to outlive it. */
    public void clientClosed() {
        if (!detached) {
            lose(LossReason.CLIENT_CLOSED);
        }
    }

    @Override
    public CompletableFuture<LossReason> lost() {
        return lost;
    }

    @Override
    public void onLoss(Consumer<LossReason> action) {
        beforeEnding(Duration.ZERO, () -> Optional.ofNullable(lossReason()).ifPresent(action));
    }

    public Runnable onWarning(Consumer<Duration> listener) {
        return warnings.add(listener);
    }

    // ---- its time

    /** Is to be looked at when the next of all that may have to be done about it is due. */
    public void arm() {
        arm(kit.nanoTime());
    }

    private void arm(long now) {
        if (!active() || detached || state.isEndless()) {
            return;
        }
        long next;
        do {
            next = nextMoment();
            kit.looks().put(this, next, now);
            // Another thread may have changed meanwhile what was read here, and been first to put it.
        } while (nextMoment() - next < 0);
        if (!active() || detached) {
            leaveAlone(); // its end may not have seen where it stands now, and forgets the rest in its time
        }
    }

    private long nextMoment() {
        long deadline = state.deadline();
        long next = deadline;
        if (!grant.isConfirmed()) {
            long confirmation = grant.confirmAt();
            next = confirmation - next < 0 ? confirmation : next;
        } else {
            next = warnings.firstBefore(deadline);
        }
        long renewal = renewAt;
        if (renewal != LeaseState.NEVER && renewal - next < 0) {
            next = renewal;
        }
        PreExpiryActions present = endings;
        return present == null ? next : present.firstBefore(next, deadline);
    }

    /** It is to be renewed then, and not before. */
    void renewAt(long moment, long now) {
        renewAt = moment;
        arm(now);
    }

    /** Does what is due by now; whether it is to be renewed now. */
    boolean look(long now) {
        endIfPassed(now);
        if (!active()) {
            return false;
        }
        PreExpiryActions present = endings;
        if (present != null) {
            present.run(now, state.deadline());
        }
        boolean confirmed = grant.isConfirmed();
        if (!confirmed && grant.confirmAt() - now <= 0) {
            grant.confirm(now);
        }
        if (confirmed) {
            warnings.look(now, state.deadline(), executor());
        }
        long renewal = renewAt;
        boolean renew = renewal != LeaseState.NEVER && renewal - now <= 0;
        if (renew) {
            renewAt = LeaseState.NEVER; // if it is put off at this moment, the answer puts it off again
        }
        arm(now);
        return renew;
    }
}
