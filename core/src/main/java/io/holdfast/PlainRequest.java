package io.holdfast;

import io.holdfast.PlainLocks.Place;
import io.holdfast.PlainOptions.Patience;
import io.holdfast.PlainScripts.PlainAcquireReply;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request for a plain lock, from the call to its outcome.
 *
 * <p><b>Steps.</b> It asks; if the key is taken it sleeps and asks again, a last time when the wait is over. At any time
 * there is either one command under way or one timer set, never both, so that the steps follow each other and their fields
 * need no lock. Only the end can come from elsewhere (withdrawal, the client's closing): whoever sets {@link #end} first is
 * right, and what is granted after the end is given back.
 */
final class PlainRequest {
    private static final Object ENDED = new Object();
    /** How often a lease that arrives too late is asked for again. */
    private static final int MOST_LATE = 3;

    private static final Duration LONGEST_SCOPE = Duration.ofHours(1);

    final Client client;
    final Place place;
    final PlainOptions options;
    /** When renewal stops; null for never. */
    final @Nullable Duration longestHold;

    private final Wait waitLimit;
    private final long startNanos;
    /** Null once completed: it would keep the lease reachable, and a forgotten lease would be renewed for ever. */
    private volatile @Nullable CompletableFuture<PlainAttempt> outcome = new CompletableFuture<>();

    private final AtomicReference<@Nullable Object> end = new AtomicReference<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private volatile boolean granted; // some copy was
    private final AtomicInteger attempts = new AtomicInteger(); // without those for a lease that arrived too late
    private final AtomicInteger late = new AtomicInteger();
    private volatile long limitFrom;
    private volatile @Nullable PlainHolder holder;
    private volatile @Nullable Runnable timer;

    PlainRequest(Client client, Place place, PlainOptions options, Wait waitLimit, boolean scoped) {
        this.client = client;
        this.place = place;
        this.options = options;
        if (waitLimit.untilStuck()) {
            throw new IllegalArgumentException("wait is " + waitLimit
                    + ", must be none, limited or for ever: a plain lock has PlainOptions.withPatience for that");
        }
        this.waitLimit = waitLimit;
        this.longestHold =
                scoped && options.longestHold() == null && options.expiring() ? LONGEST_SCOPE : options.longestHold();
        this.startNanos = client.ticker.nanoTime();
        this.limitFrom = startNanos;
    }

    /** Asks for the first time. Called once; the stage is given out here and nowhere else. */
    CompletableFuture<PlainAttempt> start() {
        CompletableFuture<PlainAttempt> result = Objects.requireNonNull(outcome);
        client.plain.add(this);
        if (client.isClosed()) {
            clientClosed();
        }
        ask(null);
        return result;
    }

    int attempts() {
        return attempts.get();
    }

    long startedNanos() {
        return startNanos;
    }

    /** Whether a copy of the acquire may still be under way. */
    boolean unanswered() {
        return asked.get() > answered.get();
    }

    private void ask(@Nullable String replace) {
        attempts.incrementAndGet();
        send(replace);
    }

    /** @param replace the value of the holder to take over from; null for none */
    private void send(@Nullable String replace) {
        boolean mayBeMine = granted || unanswered();
        // Counted before the look at the end: whoever ends the request meanwhile either sees this copy and takes it
        // back, or is seen here.
        asked.incrementAndGet();
        if (end.get() != null) {
            asked.decrementAndGet();
            return;
        }
        long sent = client.ticker.nanoTime();
        client.plainScripts.acquire(
                place.key(), place.value(), options.term(), mayBeMine, replace, sent, (reply, failure) -> {
                    if (reply != null || isRejected(failure)) {
                        answered.incrementAndGet();
                    }
                    if (reply == null) {
                        onFailure(Objects.requireNonNull(failure));
                    } else if (reply.holder() != null) {
                        onTaken(reply.holder(), replace);
                    } else {
                        onGranted(reply, sent, replace);
                    }
                });
    }

    private static boolean isRejected(@Nullable DriverException failure) {
        return failure != null && failure.kind() == DriverException.Kind.REJECTED;
    }

    private void onGranted(PlainAcquireReply reply, long sent, @Nullable String replace) {
        granted = true;
        String replaced = reply.replaced() ? replace : null;
        if (options.expiring()) {
            handOut(reply.timeMicros(), Deadlines.ofReply(sent, options.term().toNanos()), replaced);
            return;
        }
        if (end.get() != null) {
            takeBack();
            return;
        }
        // The key is there with a term: only what is known to be held is made to stay.
        long asking = client.ticker.nanoTime();
        client.plainScripts.extend(place.key(), place.value(), Duration.ZERO, asking, (held, failure) -> {
            if (held == null) {
                onFailure(Objects.requireNonNull(failure));
            } else if (held) {
                handOut(reply.timeMicros(), LeaseState.NEVER, replaced);
            } else {
                tooLate();
            }
        });
    }

    private void handOut(long sinceMicros, long deadline, @Nullable String replaced) {
        long left = deadline == LeaseState.NEVER ? Long.MAX_VALUE : deadline - client.ticker.nanoTime();
        if (end.get() == null && left <= options.leastRemaining().toNanos()) {
            tooLate();
            return;
        }
        PlainHold hold = new PlainHold(this, sinceMicros, deadline, replaced);
        if (end.compareAndSet(null, hold)) {
            hold.begin();
            complete(new PlainAttempt.Obtained(hold.newHandle()), null);
        } else {
            takeBack(); // nobody waits for it any more
        }
    }

    /** The lease arrived with too little left: it is armed anew by asking again, or given back. */
    private void tooLate() {
        if (late.incrementAndGet() > MOST_LATE) {
            finish(unknown(DriverException.unknown("answers take longer than the term allows", null)));
        } else {
            send(null);
        }
    }

    private void onTaken(PlainHolder seen, @Nullable String replace) {
        PlainHolder before = holder;
        holder = seen;
        if (waitLimit.isNone()) {
            finish(new PlainAttempt.Taken(place.key(), seen));
            return;
        }
        boolean other = before == null || !before.value().equals(seen.value());
        if (other && options.patience() != Patience.IN_ALL) {
            limitFrom = client.ticker.nanoTime();
        }
        long left = leftOfWait();
        if (attempts.get() >= options.maxAttempts()) {
            finish(new PlainAttempt.UsedUp(place.key(), attempts.get(), seen));
        } else if (left > 0) {
            sleep(left);
        } else if (options.patience() == Patience.THEN_TAKE_OVER && replace == null) {
            ask(seen.value());
        } else {
            // After a take-over too: the same holder can then only be one whose value is no text.
            finish(new PlainAttempt.TimedOut(place.key(), waitLimit, seen));
        }
    }

    private void onFailure(DriverException failure) {
        if (isRejected(failure) && !Request.TRANSIENT.contains(failure.code())) {
            fail(Refusals.explain(client.driver.describe(), failure));
            return;
        }
        long left = leftOfWait();
        if (waitLimit.isNone() || attempts.get() >= options.maxAttempts() || left <= 0) {
            finish(unknown(failure));
        } else {
            sleep(left);
        }
    }

    /** What is left of the wait, or of the patience with the present holder. */
    private long leftOfWait() {
        Duration limit = waitLimit.limit();
        return limit == null ? Long.MAX_VALUE : limitFrom + limit.toNanos() - client.ticker.nanoTime();
    }

    private void sleep(long most) {
        long nanos;
        try {
            nanos = options.backoff().nanos(attempts.get(), client.plain.random());
        } catch (RuntimeException e) {
            fail(e); // the caller's own function
            return;
        }
        timer = client.timers.schedule(Math.min(nanos, most), () -> ask(null));
        if (end.get() != null) {
            cancelTimer();
        }
    }

    private PlainAttempt.Unknown unknown(DriverException cause) {
        return new PlainAttempt.Unknown(
                place.key(),
                new ServerUnreachableException(
                        "plain " + Shown.lock(place.key()) + ": " + client.driver.describe()
                                + " did not answer, the outcome is unknown: " + cause.getMessage(),
                        cause));
    }

    private void finish(PlainAttempt attempt) {
        if (endWithoutHold()) {
            complete(attempt, null);
        }
    }

    private void fail(RuntimeException failure) {
        if (endWithoutHold()) {
            complete(null, failure);
        }
    }

    /**
     * Withdraws the request because its caller went away: interrupted, cancelled, or completed from outside. A lease that
     * was obtained already is released.
     */
    void withdraw() {
        if (endWithoutHold()) {
            complete(null, new CancellationException());
        } else if (end.get() instanceof PlainHold hold) {
            hold.release();
        }
    }

    /** The client is closed: fails if pending; a hold that has come of it is lost. */
    void clientClosed() {
        fail(new HoldfastClosedException());
        if (end.get() instanceof PlainHold hold) {
            hold.lose(LossReason.CLIENT_CLOSED);
        }
    }

    void reconnected() {
        if (end.get() instanceof PlainHold hold) {
            hold.reconnected();
        }
    }

    private boolean endWithoutHold() {
        client.plain.takeBack.ending();
        try {
            if (!end.compareAndSet(null, ENDED)) {
                return false;
            }
            cancelTimer();
            if (granted || unanswered()) {
                takeBack();
            }
            client.plain.remove(this);
            return true;
        } finally {
            client.plain.takeBack.ended();
        }
    }

    private void takeBack() {
        client.plain.takeBack.add(place, unanswered());
    }

    private void cancelTimer() {
        Runnable cancel = timer;
        if (cancel != null) {
            cancel.run();
        }
    }

    private void complete(@Nullable PlainAttempt attempt, @Nullable Throwable failure) {
        CompletableFuture<PlainAttempt> result = outcome;
        outcome = null;
        if (result == null) {
            return;
        }
        if (attempt != null) {
            result.complete(attempt);
        } else {
            result.completeExceptionally(Objects.requireNonNull(failure));
        }
    }
}
