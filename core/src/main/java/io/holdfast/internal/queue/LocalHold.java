package io.holdfast.internal.queue;

import io.holdfast.Holder;
import io.holdfast.LeaseTicket;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.NodeFailure;
import io.holdfast.ReleaseResult;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Holding;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Label;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One of the leases that share a {@link Hold}, one after the other. It is held while it has not ended and the hold is valid.
 * It ends once: released, or lost with the hold.
 */
final class LocalHold implements Holding {
    private static final Object RELEASED = new Object();

    private final LocalLine line;
    private final Hold hold;
    private final LocalRequest request;
    private final long grantedNanos;
    private final AtomicReference<@Nullable Object> end = new AtomicReference<>(); // RELEASED, or a LossReason
    private final AtomicReference<@Nullable CompletableFuture<LossReason>> lost = new AtomicReference<>();
    private volatile @Nullable WeakReference<Handle> handle;
    private volatile long token; // 0 until it is asked for
    private volatile boolean detached; // written under the lock of the line
    private final List<Runnable> warnings = new CopyOnWriteArrayList<>(); // what removes the listeners

    LocalHold(LocalLine line, Hold hold, LocalRequest request) {
        this.line = line;
        this.hold = hold;
        this.request = request;
        this.grantedNanos = hold.kit.nanoTime();
    }

    Handle newHandle() {
        Handle made = new Handle(this);
        handle = new WeakReference<>(made);
        return made;
    }

    boolean forgotten() {
        WeakReference<Handle> seen = handle;
        return seen != null && seen.get() == null;
    }

    boolean overLongest() {
        Duration longest = request.demand.longest();
        return longest != null && hold.kit.nanoTime() - grantedNanos >= longest.toNanos();
    }

    Holder holder() {
        return Label.ofOwn(
                line.kit.options.application(),
                hold.owner(),
                Math.max(token, hold.token()),
                request.demand.actorName(),
                request.demand.options().metadata(),
                line.kit.since(grantedNanos));
    }

    @Override
    public Keys keys() {
        return hold.keys();
    }

    @Override
    public String owner() {
        return hold.owner();
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
    void detached() {
        detached = true;
    }

    /** Whether its token has not been asked for. Called under the lock of the line. */
    boolean isWithoutToken() {
        return token == 0;
    }

    @Override
    public LockOptions options() {
        return request.demand.options();
    }

    @Override
    public boolean isValid() {
        return end.get() == null && hold.isValid() && end.get() == null;
    }

    @Override
    public Duration remaining() {
        return end.get() == null ? hold.remaining() : Duration.ZERO;
    }

    @Override
    public Duration peek() {
        return end.get() == null ? hold.peek() : Duration.ZERO;
    }

    @Override
    public @Nullable LossReason lossReason() {
        Object how = end.get();
        if (how instanceof LossReason reason) {
            return reason;
        }
        return how == null ? hold.lossReason() : null;
    }

    @Override
    public boolean isHeldOnServer() {
        return end.get() == null && hold.isHeldOnServer();
    }

    @Override
    public Instant since() {
        // Its hold is older, and this client's clock tells by how much.
        return hold.since().plusNanos(grantedNanos - hold.grantedNanos);
    }

    @Override
    public LeaseTicket ticket() {
        throw new UnsupportedOperationException(
                "a lease that shares its hold with others of its client cannot be handed to another process");
    }

    @Override
    public Duration waited() {
        return Duration.ofNanos(grantedNanos - request.outcome.startNanos);
    }

    @Override
    public int initialPlace() {
        return hold.initialPlace();
    }

    @Override
    public int attempts() {
        return hold.attempts();
    }

    @Override
    public CompletableFuture<LossReason> lost() {
        CompletableFuture<LossReason> present = lost.get();
        if (present == null) {
            CompletableFuture<LossReason> made = new CompletableFuture<>();
            present = lost.compareAndSet(null, made) ? made : Objects.requireNonNull(lost.get());
            if (end.get() instanceof LossReason reason) {
                present.complete(reason);
            }
        }
        return present;
    }

    private void tell(Function<LockEvent.Subject, LockEvent> event) {
        hold.kit.events().tell(request.demand, hold.owner(), event);
    }

    /** Its hold is lost; called on the client's executor. */
    void lose(LossReason reason) {
        if (end.compareAndSet(null, reason)) {
            over();
            tell(subject ->
                    new LockEvent.Lost(subject, Math.max(token, hold.token()), hold.kit.since(grantedNanos), reason));
            CompletableFuture<LossReason> told = lost.get();
            if (told != null) {
                told.complete(reason);
            }
        }
    }

    @Override
    public Runnable onWarning(Consumer<Duration> listener) {
        Runnable remove = hold.onWarning(listener);
        warnings.add(remove);
        if (end.get() != null) {
            over();
        }
        return remove;
    }

    private void over() {
        warnings.forEach(Runnable::run);
    }

    @Override
    public CompletableFuture<Boolean> extend(Duration atLeast) {
        if (end.get() != null) {
            return CompletableFuture.completedFuture(false);
        }
        if (!line.extending(this, atLeast)) {
            return detached ? hold.extend(atLeast) : CompletableFuture.completedFuture(false);
        }
        return hold.extend(atLeast).whenComplete((held, failure) -> {
            if (failure == null) {
                line.extended(hold, atLeast); // otherwise nobody knows whether, or for how long
            }
        });
    }

    @Override
    public CompletableFuture<Boolean> detach() {
        if (end.get() != null) {
            return CompletableFuture.completedFuture(false);
        }
        // It may be released before the answer comes: then the hold is the line's, or the next lease's.
        return hold.detach(() -> line.letGo(this) || detached);
    }

    @Override
    public CompletableFuture<ReleaseResult> leave() {
        if (!hold.isValid()) {
            LossReason reason = hold.lossReason();
            if (reason != null) {
                lose(reason); // it is told on the executor, a moment later
            }
        }
        if (!end.compareAndSet(null, RELEASED)) {
            return CompletableFuture.completedFuture(ReleaseResult.ALREADY_GONE);
        }
        over();
        CompletableFuture<ReleaseResult> shared = line.released(this);
        CompletableFuture<ReleaseResult> released = shared == null ? Tenure.release(hold, token()) : shared;
        return released.whenComplete((how, failure) -> tell(subject -> new LockEvent.Released(
                subject,
                Math.max(token, hold.token()),
                hold.options.term(),
                waited(),
                hold.kit.since(grantedNanos),
                how)));
    }

    @Override
    public Runnable beforeEnding(Duration before, Runnable action) {
        return hold.beforeEnding(before, action);
    }

    @Override
    public List<NodeFailure> nodeFailures() {
        return List.of();
    }

    @Override
    public int replicas() {
        return hold.replicas();
    }

    @Override
    public Executor executor() {
        return hold.executor();
    }
}
