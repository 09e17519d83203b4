package io.holdfast;

import io.holdfast.PlainLocks.Place;
import io.holdfast.spi.DriverException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One hold of a plain lock as its client knows it: the state behind a {@link PlainLease}.
 *
 * <p>Active from its creation, it ends once ({@link LeaseState}): by the release, the timer at the deadline, a reader that
 * finds the deadline passed, an answer "gone", or the client's closing.
 */
final class PlainHold {
    private static final long SHORTEST_RETRY_NANOS = 5_000_000L;
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    final Client client;
    final PlainRequest request;
    final Place place;
    final @Nullable String replaced;
    final long sinceMicros;
    final long grantedNanos;
    private final PlainOptions options;
    private final LeaseState state;
    private final CompletableFuture<LossReason> lost = new CompletableFuture<>();
    /** The renewal that counts: one that finds a later number here ends without setting the next timer. */
    private final AtomicInteger renewal = new AtomicInteger();

    private volatile @Nullable WeakReference<PlainLease> handle;
    private volatile @Nullable Runnable deadlineTimer;
    private volatile @Nullable Runnable renewalTimer;

    /** @param sinceMicros when the server first said that it is held, by its clock */
    PlainHold(PlainRequest request, long sinceMicros, long deadline, @Nullable String replaced) {
        this.client = request.client;
        this.request = request;
        this.place = request.place;
        this.options = request.options;
        this.sinceMicros = sinceMicros;
        this.replaced = replaced;
        this.grantedNanos = client.ticker.nanoTime();
        this.state = new LeaseState(deadline, grantedNanos, options.renewed(), request.longestHold);
    }

    /** Called once, when the request has taken this hold as its outcome. */
    void begin() {
        if (state.deadline() != LeaseState.NEVER) {
            arm();
        }
        if (options.renewed()) {
            renewLater(renewal.get(), options.term().toNanos() / 3);
        }
        if (client.isClosed()) {
            lose(LossReason.CLIENT_CLOSED);
        }
    }

    /** The handle that is given to the caller. The hold itself knows it only weakly, to notice when it is forgotten. */
    PlainLease newHandle() {
        PlainLease lease = new PlainLease(this);
        handle = new WeakReference<>(lease);
        return lease;
    }

    private boolean active() {
        return state.active();
    }

    @Nullable
    LossReason lossReason() {
        return state.lossReason();
    }

    boolean isValid() {
        endIfPassed(client.ticker.nanoTime());
        return active();
    }

    Duration remaining() {
        long now = client.ticker.nanoTime();
        endIfPassed(now);
        return state.remaining(now);
    }

    /** What is seen once must stay so, even if an answer to an extension arrives now. */
    private void endIfPassed(long now) {
        if (state.passed(now)) {
            lose(state.reasonAtDeadline(now, options.renewed() && forgotten()));
        }
    }

    CompletableFuture<LossReason> lost() {
        return lost;
    }

    // ---- the deadline

    private void arm() {
        Runnable timer = client.timers.schedule(state.deadline() - client.ticker.nanoTime(), () -> {
            if (isValid()) {
                arm();
            }
        });
        deadlineTimer = timer;
        if (!active()) {
            timer.run();
        }
    }

    private boolean forgotten() {
        WeakReference<PlainLease> seen = handle;
        return seen != null && seen.get() == null;
    }

    // ---- renewal and extension

    private void renewLater(int number, long delayNanos) {
        Runnable timer = client.timers.schedule(delayNanos, () -> renew(number));
        renewalTimer = timer;
        if (!active()) {
            timer.run();
        }
    }

    private void renew(int number) {
        if (renewal.get() != number || !isValid()) {
            return;
        }
        if (forgotten()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> "lease of plain " + Shown.lock(place.key())
                            + " was dropped without a release; it ends with its term");
            return;
        }
        if (state.overLongest(client.ticker.nanoTime())) {
            return;
        }
        extend(options.term()).whenComplete((held, failure) -> {
            if (renewal.get() == number && active()) {
                // Again and again until the deadline if it was not answered.
                renewLater(
                        number,
                        failure == null
                                ? options.term().toNanos() / 3
                                : Math.max(SHORTEST_RETRY_NANOS, options.term().toNanos() / 18));
            }
        });
    }

    /** It may be another server, or this one without its memory: that is to be known soon. */
    void reconnected() {
        if (options.renewed() && active()) {
            renew(renewal.incrementAndGet());
        }
    }

    /**
     * Asks the server for at least {@code term} from now.
     *
     * @return true if the hold has it, false if it is lost; fails with a DriverException if the server did not answer
     */
    CompletableFuture<Boolean> extend(Duration term) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        if (!isValid()) {
            result.complete(false);
            return result;
        }
        long sent = client.ticker.nanoTime();
        client.plainScripts.extend(place.key(), place.value(), term, sent, (held, failure) -> {
            if (held == null) {
                result.completeExceptionally(Objects.requireNonNull(failure));
            } else if (!held) {
                lose(LossReason.GONE);
                result.complete(false);
            } else {
                state.raise(
                        Deadlines.ofReply(
                                sent, Duration.ofMillis(term.toMillis()).toNanos()),
                        client.ticker.nanoTime());
                result.complete(isValid());
            }
        });
        return result;
    }

    /** Asks the server whether the key has the value. */
    CompletableFuture<Boolean> check() {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        if (!isValid()) {
            result.complete(false);
            return result;
        }
        client.plainScripts.info(place.key(), place.value(), (holder, failure) -> {
            if (holder == null) {
                result.completeExceptionally(Objects.requireNonNull(failure));
                return;
            }
            if (holder.isEmpty() || !holder.get().value().equals(place.value())) {
                lose(LossReason.GONE);
            }
            result.complete(isValid());
        });
        return result;
    }

    /** The failure of an extension or a check, as the caller sees it. */
    HoldfastException explain(DriverException failure) {
        String server = client.driver.describe();
        return Refusals.of(
                server,
                "plain " + Shown.lock(place.key()) + ": " + server + " did not answer: " + failure.getMessage(),
                failure);
    }

    // ---- the end

    /** Ends the hold as lost, tells so, and takes back what may be left on the server. The first call counts. */
    void lose(LossReason reason) {
        client.plain.takeBack.ending();
        try {
            if (!state.lose(reason)) {
                return;
            }
            client.execute(() -> lost.complete(reason));
            if (reason == LossReason.EXPIRED || reason == LossReason.GONE) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        () -> "lease of plain " + Shown.lock(place.key()) + " was lost: " + reason);
            }
            client.plain.takeBack.add(place, request.unanswered());
            forget();
        } finally {
            client.plain.takeBack.ended();
        }
    }

    CompletableFuture<ReleaseResult> release() {
        client.plain.takeBack.ending();
        try {
            // The local lease is over before the request leaves.
            if (!state.release()) {
                return CompletableFuture.completedFuture(ReleaseResult.ALREADY_GONE);
            }
            CompletableFuture<ReleaseResult> released = client.plain.takeBack.add(place, request.unanswered());
            forget();
            return released;
        } finally {
            client.plain.takeBack.ended();
        }
    }

    private void forget() {
        for (Runnable cancel : new Runnable[] {deadlineTimer, renewalTimer}) {
            if (cancel != null) {
                cancel.run();
            }
        }
        client.plain.remove(request);
    }
}
