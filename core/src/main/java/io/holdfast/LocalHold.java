package io.holdfast;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
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
    private volatile @Nullable WeakReference<Lease> handle;
    private volatile long token; // 0 until it is asked for
    private volatile boolean detached;
    private volatile List<Runnable> warnings = List.of(); // what removes the listeners

    LocalHold(LocalLine line, Hold hold, LocalRequest request) {
        this.line = line;
        this.hold = hold;
        this.request = request;
        this.grantedNanos = hold.client.ticker.nanoTime();
    }

    Lease newHandle() {
        Lease lease = new Lease(this);
        handle = new WeakReference<>(lease);
        return lease;
    }

    boolean forgotten() {
        WeakReference<Lease> seen = handle;
        return seen != null && seen.get() == null;
    }

    boolean overLongest() {
        Duration longest = request.scoped ? request.options.longestScope() : request.options.longestHold();
        return longest != null && hold.client.ticker.nanoTime() - grantedNanos >= longest.toNanos();
    }

    Holder holder() {
        return Label.ofOwn(
                hold.client,
                hold.owner,
                Math.max(token, hold.token),
                request.actorName,
                request.options.metadata(),
                grantedNanos);
    }

    @Override
    public Keys keys() {
        return hold.keys;
    }

    @Override
    public String owner() {
        return hold.owner;
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

    /** Whether its token has not been asked for. Called under the lock of the line. */
    boolean isWithoutToken() {
        return token == 0;
    }

    @Override
    public LockOptions options() {
        return request.options;
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
        return Duration.ofNanos(grantedNanos - request.startNanos);
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

    /** Its hold is lost; called on the client's executor. */
    void lose(LossReason reason) {
        if (end.compareAndSet(null, reason)) {
            over();
            hold.client.events.tell(
                    request,
                    hold.owner,
                    subject -> new LockEvent.Lost(
                            subject, Math.max(token, hold.token), hold.client.events.since(grantedNanos), reason));
            CompletableFuture<LossReason> told = lost.get();
            if (told != null) {
                told.complete(reason);
            }
        }
    }

    @Override
    public Runnable onWarning(Consumer<Duration> listener) {
        Runnable remove = hold.onWarning(listener);
        List<Runnable> all = new ArrayList<>(warnings);
        all.add(remove);
        warnings = all;
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
        if (detached) {
            return hold.extend(atLeast);
        }
        if (!line.extending(this, atLeast)) {
            return CompletableFuture.completedFuture(false);
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
        return hold.detach().thenApply(held -> {
            if (held) {
                detached = true;
                line.letGo(this);
            }
            return held;
        });
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
        CompletableFuture<ReleaseResult> released = detached ? hold.releaseAfter(token()) : line.released(this);
        return released.whenComplete((how, failure) -> hold.client.events.tell(
                request,
                hold.owner,
                subject -> new LockEvent.Released(
                        subject,
                        Math.max(token, hold.token),
                        hold.options.term(),
                        waited(),
                        hold.client.events.since(grantedNanos),
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
