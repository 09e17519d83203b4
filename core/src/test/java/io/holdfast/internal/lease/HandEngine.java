package io.holdfast.internal.lease;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.LeaseTicket;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Subscriptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An engine whose requests are answered, and whose holds are lost, when a test says so, from any number of threads. For what
 * is made of requests: it does no more than they promise.
 */
public final class HandEngine implements Engine {
    private final Kit kit;
    private final boolean queues;
    private final List<HandRequest> requests = new CopyOnWriteArrayList<>();

    public HandEngine(Kit kit, boolean queues) {
        this.kit = kit;
        this.queues = queues;
    }

    /** All requests so far, in the order in which they were made. */
    public List<HandRequest> requests() {
        return requests;
    }

    /** The holds of all requests so far, whatever came of them. */
    public List<HandHold> holds() {
        return requests.stream()
                .map(HandRequest::granted)
                .filter(each -> each != null)
                .toList();
    }

    /** The oldest request that waits for its answer; null if none does. */
    public @Nullable HandRequest pending() {
        for (HandRequest request : requests) {
            if (request.isPending()) {
                return request;
            }
        }
        return null;
    }

    /** How many requests wait for their answers. */
    public int waiting() {
        return (int) requests.stream().filter(HandRequest::isPending).count();
    }

    @Override
    public Kit kit() {
        return kit;
    }

    @Override
    public void accept(LockOptions options) {}

    @Override
    public HandRequest newRequest(Demand demand) {
        HandRequest request = new HandRequest(demand);
        requests.add(request);
        return request;
    }

    @Override
    public LockInfo look(Keys keys) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<LockInfo> lookAsync(Keys keys) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean hasQueue() {
        return queues;
    }

    /** Nobody hears them. */
    @Override
    public ChangeNotifications bulletins() {
        return new ChangeNotifications(List.of(), new Subscriptions(List.of()));
    }

    /** One request: it ends once, as granted, refused or withdrawn. */
    public final class HandRequest implements Question<Handle> {
        private static final Object ENDED = new Object();

        public final Demand demand;
        private final AtomicReference<@Nullable Object> end = new AtomicReference<>(); // a handle, or ENDED
        private final CompletableFuture<Attempt<Handle>> answer = new CompletableFuture<>();
        private volatile boolean started;
        private volatile @Nullable HandHold hold;

        private HandRequest(Demand demand) {
            this.demand = demand;
        }

        boolean isPending() {
            return started && end.get() == null;
        }

        private @Nullable HandHold granted() {
            return hold;
        }

        /** The server grants it; the hold of a request that has ended is left to whoever ended it. */
        public void grant() {
            HandHold obtained = new HandHold(demand);
            Handle handle = new Handle(obtained.hold, obtained);
            if (end.compareAndSet(null, handle)) {
                hold = obtained;
                answer.complete(new Attempt.Obtained<>(handle));
            }
        }

        public void refuse(Attempt<Handle> refusal) {
            if (end.compareAndSet(null, ENDED)) {
                answer.complete(refusal);
            }
        }

        @Override
        public CompletableFuture<Attempt<Handle>> start() {
            started = true;
            return answer;
        }

        @Override
        public void withdraw() {
            if (end.compareAndSet(null, ENDED)) {
                answer.completeExceptionally(new CancellationException());
            } else if (end.get() instanceof Handle handle) {
                handle.leave();
            }
        }

        @Override
        public Account account() {
            return new Account(
                    demand.keys().name(),
                    demand.what().mode().name(),
                    "",
                    demand.actorName(),
                    demand.options().group(),
                    Contention.NOTHING_KNOWN,
                    0,
                    1);
        }
    }

    /** What a request has obtained; the hold behind it does nothing. */
    public final class HandHold implements Holding, Grant {
        public final Hold hold;
        private final CompletableFuture<LossReason> lost = new CompletableFuture<>();
        private volatile @Nullable LossReason reason;
        private volatile boolean released;

        private HandHold(Demand demand) {
            hold = new Hold(new Outcome(kit, demand, "", false), this, LeaseState.NEVER, null);
        }

        /** It is seen to be lost first, and told a moment later. */
        public void lose(LossReason why) {
            reason = why;
            lost.complete(why);
        }

        /** Whether it was given back. */
        public boolean isReleased() {
            return released;
        }

        @Override
        public boolean isValid() {
            return reason == null && !released;
        }

        @Override
        public @Nullable LossReason lossReason() {
            return reason;
        }

        @Override
        public boolean isHandedOver() {
            return false;
        }

        @Override
        public CompletableFuture<LossReason> lost() {
            return lost;
        }

        @Override
        public void onLoss(Consumer<LossReason> action) {
            var unused = lost.thenAccept(action);
        }

        @Override
        public CompletableFuture<ReleaseResult> leave(Duration resting) {
            return release();
        }

        @Override
        public CompletableFuture<ReleaseResult> release() {
            released = true;
            return CompletableFuture.completedFuture(ReleaseResult.RELEASED);
        }

        @Override
        public long token() {
            return 7;
        }

        @Override
        public CompletableFuture<Void> wanted(BooleanSupplier lasts) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Boolean> note(String text) {
            return CompletableFuture.completedFuture(isValid());
        }

        @Override
        public Instant since() {
            return Instant.EPOCH;
        }

        @Override
        public boolean isHeldOnServer() {
            return isValid();
        }

        @Override
        public LeaseTicket ticket() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Duration waited() {
            return Duration.ZERO;
        }

        @Override
        public int initialPosition() {
            return 0;
        }

        @Override
        public CompletableFuture<Boolean> extend(Duration atLeast) {
            return CompletableFuture.completedFuture(isValid());
        }

        @Override
        public CompletableFuture<Boolean> detach() {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Boolean> handOut() {
            return CompletableFuture.completedFuture(isValid());
        }

        @Override
        public void of(Hold made) {}

        @Override
        public String inWords() {
            return "a lock";
        }

        @Override
        public String owner() {
            return "";
        }

        @Override
        public long deadline(long sentNanos, long termNanos) {
            return LeaseState.NEVER;
        }

        @Override
        public void renew(Renewals.Round round) {}

        @Override
        public void forget() {}

        @Override
        public void takeBack(LossReason reason) {}
    }
}
