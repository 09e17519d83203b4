package io.holdfast.internal.turns;

import io.holdfast.Holder;
import io.holdfast.LeaseTicket;
import io.holdfast.LockEvent;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.internal.deadlock.BlockedFlows;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Holding;
import io.holdfast.internal.lease.LeaseState;
import io.holdfast.internal.lease.Tenant;
import io.holdfast.internal.wire.ClientLabel;
import io.holdfast.internal.wire.OwnerIds;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One of the leases that share a {@link Hold}, one after the other. It is held while it has not ended and the hold is valid.
 * It ends once: released, lost with the hold, or handed over with it.
 *
 * <p>The line lets go of a hold that is to live on without it, in another process or by itself: from then on the hold is this
 * lease's alone.
 */
final class LocalHold implements Holding, Tenant {
    /** Of which it is a lease. */
    interface Line {
        /** The token of a lease, drawn when it is asked for the first time. */
        long draw(LocalHold lease);

        /**
         * The lease is over: hands the lock on, keeps it, or gives it back.
         *
         * @return null if its hold is not this line's any more: it was lost, or detached
         */
        @Nullable
        CompletableFuture<ReleaseResult> released(LocalHold lease);

        /**
         * The lease is to live on without this client: the line gives up its hold, and its waiting requests ask the server again.
         *
         * @return whether it was; false if the lease is over
         */
        boolean letGo(LocalHold lease);

        /** Notes something of a lease's hold before a request for it leaves. False, and nothing is noted, if the lease is over. */
        boolean whileLent(LocalHold lease, Runnable act);

        /** The server has answered an extension. */
        void extended(Hold which, Duration atLeast);

        /** How many requests stand in line that the server does not know of. */
        int waiting();
    }

    private static final WeakReference<Handle> NO_HANDLE = new WeakReference<>(null);

    private final Line line;
    private final Tenure tenure;
    final Hold hold;
    private final LocalRequest request;
    private final LeaseState state; // of the hold's deadline it knows nothing
    private volatile @Nullable CompletableFuture<LossReason> lost; // made when it is asked for, under this lock
    private @Nullable Consumer<LossReason> onLoss; // guarded by this
    private volatile WeakReference<Handle> handle = NO_HANDLE;
    private volatile long token; // 0 until it is asked for
    private boolean releaseTold; // of the thread that releases
    private volatile boolean alone; // written under the lock of the line

    /** @param grantedNanos when it is lent; the first one, for which the hold was asked, has it since the grant */
    LocalHold(Line line, Tenure tenure, LocalRequest request, long grantedNanos) {
        this.line = line;
        this.tenure = tenure;
        this.hold = tenure.hold;
        this.request = request;
        this.state = new LeaseState(LeaseState.NEVER, grantedNanos, true, request.demand.longest());
    }

    /**
     * Gives its request the handle, which nothing else has: if that is never done, or does not come to its end, the lease counts as
     * forgotten. Called before anybody can see it.
     */
    Runnable delivery() {
        Handle made = new Handle(hold, this);
        handle = new WeakReference<>(made);
        return () -> request.deliver(made);
    }

    /** What is left to be done if an error has kept it from its request, or its end from its line. */
    Runnable goOn() {
        return hasEnded()
                ? () -> line.released(this)
                : () -> {
                    WeakReference<Handle> before = handle;
                    Handle made = new Handle(hold, this);
                    if (!request.isAnswered()) {
                        handle = new WeakReference<>(made);
                        if (!request.hand(made)) {
                            handle = before; // its request has got that one just now
                        }
                    }
                };
    }

    @Override
    public boolean forgotten() {
        return isUnreachable() || hasEnded();
    }

    /** Whether no code can reach its handle. */
    boolean isUnreachable() {
        return handle.get() == null;
    }

    boolean hasEnded() {
        return !state.active();
    }

    @Override
    public boolean overLongest() {
        return state.overLongest(hold.kit.nanoTime());
    }

    /** Shows whose it is. */
    void show(BlockedFlows to) {
        to.has(request.demand, hold, request.outcome.number);
    }

    /** Whose it is, as {@link Demand#flowId}. */
    @Nullable
    String flowId() {
        return request.demand.flowId();
    }

    Holder holder() {
        return ClientLabel.ofOwn(
                hold.kit.options.application(),
                hold.owner(),
                Math.max(token, hold.token()),
                request.demand.actorName(),
                request.demand.metadata(),
                held());
    }

    @Override
    public long token() {
        long present = token;
        return present == 0 ? line.draw(this) : present;
    }

    /** Called under the lock of the line: what it is given first, it keeps. */
    long settleToken(long drawn) {
        if (token == 0) {
            token = drawn;
        }
        return token;
    }

    /** Its hold is not the line's any more. Called under the lock of the line. */
    void standAlone() {
        alone = true;
        hold.lend(this);
    }

    /** Makes the hold this lease's alone; whether it is. */
    private boolean letGo() {
        boolean done = line.letGo(this) || alone;
        if (done) {
            loseWithHold(); // it may be lost since before it was told where that is to be told
        }
        return done;
    }

    /** Whether its token has not been asked for. Called under the lock of the line. */
    boolean isWithoutToken() {
        return token == 0;
    }

    @Override
    public boolean isValid() {
        return state.active() && hold.isValid() && state.active();
    }

    @Override
    public @Nullable LossReason lossReason() {
        return state.active() ? hold.lossReason() : state.lossReason();
    }

    @Override
    public boolean isHeldOnServer() {
        return state.active() && hold.isHeldOnServer();
    }

    @Override
    public Instant since() {
        // Its hold is older, and this client's clock tells by how much.
        return hold.since().plusNanos(state.grantedNanos - hold.grantedNanos);
    }

    /** Of a lease that is over the hold may be another's by now, which nobody must take: its ticket opens nothing. */
    @Override
    public LeaseTicket ticket() {
        if (letGo()) {
            tenure.grant.lastToken(token());
            return hold.ticket();
        }
        String open = OwnerIds.publicPart(hold.owner());
        return new LeaseTicket(hold.keys().name(), open, token(), token(), hold.options.leaseDuration());
    }

    @Override
    public CompletableFuture<Boolean> note(String text) {
        return isValid() && (line.whileLent(this, tenure.grant::noting) || alone)
                ? hold.grant.note(request.outcome, token(), text)
                : CompletableFuture.completedFuture(false);
    }

    @Override
    public CompletableFuture<Void> wanted(BooleanSupplier lasts) {
        return hold.grant.wanted(() -> lasts.getAsBoolean() && isValid(), () -> !alone && line.waiting() > 0);
    }

    @Override
    public boolean isHandedOver() {
        return alone && hold.isHandedOver();
    }

    @Override
    public Duration waited() {
        return Duration.ofNanos(state.grantedNanos - request.outcome.startNanos);
    }

    /** In the line, if it stood there behind others; if it was asked for on its behalf, in the server's queue. */
    @Override
    public int initialPosition() {
        int inLine = request.outcome.firstPlace;
        return inLine != 0 || hold.origin.startNanos - request.outcome.startNanos < 0 ? inLine : hold.initialPosition();
    }

    @Override
    public CompletableFuture<LossReason> lost() {
        CompletableFuture<LossReason> present = lost;
        if (present == null) {
            synchronized (this) {
                present = lost == null ? new CompletableFuture<>() : lost;
                lost = present;
            }
            LossReason reason = state.lossReason(); // its end may not have seen the stage
            if (reason != null) {
                present.complete(reason);
            }
        }
        return present;
    }

    private Duration held() {
        return hold.kit.since(state.grantedNanos);
    }

    private void tell(Function<LockEvent.Subject, LockEvent> event) {
        request.outcome.tell(hold.owner(), event);
    }

    @Override
    public void lost(Holding which, LossReason reason) {
        lose(reason);
    }

    private void loseWithHold() {
        LossReason reason = hold.lossReason();
        if (reason != null) {
            lose(reason);
        }
    }

    @Override
    public void handedOver() {
        if (state.endAs(LeaseState.End.handedOver())) {
            Duration held = held();
            request.outcome.countEnd(held, false);
            tell(subject -> new LockEvent.HandedOver(subject, token(), held));
        }
    }

    /** Its hold is lost. */
    void lose(LossReason reason) {
        LeaseState.End how = LeaseState.End.lost(reason);
        hold.kit.surely(() -> {
            if (state.endAs(how)) {
                lost(reason);
            }
        });
    }

    private void lost(LossReason reason) {
        Duration held = held();
        request.outcome.countEnd(held, true);
        tell(subject -> new LockEvent.Lost(subject, Math.max(token, hold.token()), held, reason));
        CompletableFuture<LossReason> told = lost;
        if (told != null) {
            hold.kit.execute(() -> told.complete(reason));
        }
        tellLost(reason);
    }

    private void tellLost(LossReason reason) {
        Consumer<LossReason> action;
        synchronized (this) {
            action = onLoss;
            onLoss = null;
        }
        if (action != null) {
            action.accept(reason);
        }
    }

    @Override
    public void onLoss(Consumer<LossReason> action) {
        synchronized (this) {
            onLoss = onLoss == null ? action : onLoss.andThen(action);
        }
        LossReason reason = state.lossReason();
        if (reason != null) {
            tellLost(reason);
        }
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration atLeast) {
        if (hasEnded()) {
            return CompletableFuture.completedFuture(false);
        }
        if (!line.whileLent(this, () -> tenure.extensions.asked(atLeast))) {
            return alone ? extendHold(atLeast) : CompletableFuture.completedFuture(false);
        }
        return extendHold(atLeast).whenComplete((held, failure) -> {
            if (failure == null) {
                line.extended(hold, atLeast); // otherwise it is unknown whether, and for how long
            }
        });
    }

    private CompletableFuture<Boolean> extendHold(Duration atLeast) {
        return hold.extend(atLeast).thenApply(this::tellExtended);
    }

    private boolean tellExtended(boolean extended) {
        if (extended && !isHandedOver()) {
            tell(subject -> new LockEvent.Extended(subject, Math.max(token, hold.token()), hold.remaining()));
        }
        return extended;
    }

    @Override
    public CompletableFuture<Boolean> detach() {
        if (hasEnded() && !alone) {
            return CompletableFuture.completedFuture(false);
        }
        // It may be released before the answer comes: then the hold is the line's, or the next lease's.
        return hold.detach(this::letGo).thenApply(this::tellExtended);
    }

    @Override
    public CompletableFuture<Boolean> handOut() {
        Duration left = isValid() ? hold.remaining() : Duration.ZERO;
        return left.compareTo(Demand.leastLeft(hold.options)) > 0
                ? CompletableFuture.completedFuture(isValid())
                : hold.prolong(hold.options.leaseDuration());
    }

    @Override
    public CompletableFuture<ReleaseResult> leave(Duration resting) {
        if (!hold.isValid()) {
            loseWithHold(); // it is told on the executor, a moment later
        }
        if (!state.release()) {
            return CompletableFuture.completedFuture(ReleaseResult.ALREADY_GONE);
        }
        CompletableFuture<ReleaseResult> shared;
        try {
            request.outcome.countEnd(held(), false);
            hold.rest.ask(resting, hold.kit.nanoTime()); // before the line looks whether the next one may have it
        } finally {
            shared = line.released(this);
        }
        CompletableFuture<ReleaseResult> released = shared == null ? tenure.release(token()) : shared;
        if (!releaseTold && request.outcome.isHeard()) {
            return released.whenComplete((how, failure) -> tellReleased(how));
        }
        return released;
    }

    /** Said before its hold has the next lease, if that is known at once; else when the server has answered. */
    void tellReleased(ReleaseResult how) {
        releaseTold = true;
        tell(subject -> new LockEvent.Released(
                subject, Math.max(token, hold.token()), hold.options.leaseDuration(), waited(), held(), how));
    }
}
