package io.holdfast;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lock that this client hands on among its own threads, or keeps. It stands in a {@link LocalLine}; only one
 * that does not wait, and finds the lock elsewhere, asks the server for itself.
 *
 * <p>It ends once, by whoever is first to say so: with a lease, or without.
 */
final class LocalRequest implements Asking {
    private static final Object ENDED = new Object();

    final Keys keys;
    final LockOptions options;
    final Wait wait;
    final boolean scoped;
    final String actorName;
    final long startNanos;
    private final Client client;
    private final CompletableFuture<Attempt> outcome = new CompletableFuture<>();
    private final AtomicReference<@Nullable Object> end = new AtomicReference<>();
    private volatile @Nullable LocalLine line;
    private volatile @Nullable Asking alone;
    private volatile @Nullable Runnable timer;

    LocalRequest(Client client, Keys keys, LockOptions options, Wait wait, boolean scoped, @Nullable String actor) {
        this.client = client;
        this.keys = keys;
        this.options = options;
        this.wait = wait;
        this.scoped = scoped;
        this.actorName = actor == null ? Thread.currentThread().getName() : actor;
        this.startNanos = client.ticker.nanoTime();
    }

    @Override
    public CompletableFuture<Attempt> start() {
        if (client.isClosed()) {
            refused(null, new HoldfastClosedException());
            return outcome;
        }
        client.localLines.join(this);
        Duration limit = wait.limit();
        if (limit != null && !wait.isNone() && end.get() == null) {
            timer = client.timers.schedule(limit.toNanos(), this::waitIsOver);
            if (end.get() != null) {
                cancelTimer();
            }
        }
        return outcome;
    }

    /** Said by the line that it stands in, before anything else can happen to it. */
    void standsIn(LocalLine in) {
        line = in;
    }

    /** It does not wait, and the lock is not here. */
    void askAlone() {
        Request request = client.ownRequest(keys, options, wait, scoped, actorName);
        alone = request;
        request.start().whenComplete((attempt, failure) -> {
            if (attempt != null) {
                outcome.complete(attempt);
            } else {
                outcome.completeExceptionally(Objects.requireNonNull(failure));
            }
        });
    }

    @Override
    public void withdraw() {
        Asking asked = alone;
        if (asked != null) {
            asked.withdraw();
        } else if (finish(null, new CancellationException())) {
            LocalLine in = line;
            if (in != null) {
                in.leave(this);
            }
        } else if (end.get() instanceof LocalHold lease) {
            lease.leave();
        }
    }

    private void waitIsOver() {
        LocalLine in = line;
        if (in != null && end.get() == null) {
            in.judge(this);
        }
    }

    void timedOut(Contention contention) {
        left(new Attempt.TimedOut(keys.name(), wait, contention));
    }

    void unknown() {
        left(new Attempt.Unknown(
                keys.name(),
                new ServerUnreachableException(
                        Shown.lock(keys.name()) + ": " + client.driver.describe()
                                + " did not answer, the outcome is unknown",
                        null)));
    }

    private void left(Attempt attempt) {
        if (finish(attempt, null)) {
            LocalLine in = line;
            if (in != null) {
                in.leave(this);
            }
        }
    }

    /** What came of the request to the server; the line has let it go. */
    void refused(@Nullable Attempt attempt, @Nullable Throwable failure) {
        finish(attempt, failure);
    }

    private boolean finish(@Nullable Attempt attempt, @Nullable Throwable failure) {
        if (!end.compareAndSet(null, ENDED)) {
            return false;
        }
        cancelTimer();
        client.events.tell(
                this,
                "",
                subject -> new LockEvent.NotObtained(
                        subject,
                        Request.reasonOf(attempt, failure),
                        client.events.since(startNanos),
                        0,
                        attempt instanceof Attempt.NotObtained not ? not.contention() : Contention.NOTHING_KNOWN));
        if (attempt != null) {
            outcome.complete(attempt);
        } else {
            outcome.completeExceptionally(Objects.requireNonNull(failure));
        }
        return true;
    }

    /** Ends it with a lease, which is to be delivered; false if it has ended already. Called under the lock of the line. */
    boolean end(LocalHold lease) {
        return end.compareAndSet(null, lease);
    }

    void deliver(LocalHold lease) {
        cancelTimer();
        client.events.tell(
                this,
                lease.owner(),
                subject -> new LockEvent.Obtained(
                        subject,
                        lease.token(),
                        options.term(),
                        lease.waited(),
                        lease.attempts(),
                        lease.initialPlace(),
                        false));
        outcome.complete(new Attempt.Obtained(lease.newHandle()));
    }

    private void cancelTimer() {
        Runnable cancel = timer;
        if (cancel != null) {
            cancel.run();
        }
    }
}
