package io.holdfast;

import io.holdfast.Commands.AcquireReply;
import io.holdfast.Commands.Claim;
import io.holdfast.Commands.State;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request for a lock, from the call to its outcome.
 *
 * <p><b>States.</b> Pending until {@link #end} is set, once: to the {@link Hold} that it obtained, or to {@link #ENDED}.
 * While pending it may ask any number of times: asking is idempotent, and asking again is how a request is repeated after
 * a failure, how a grant is confirmed before anybody sees it, and how a place in the queue is taken again. A grant that
 * comes after the end is given back at once.
 *
 * <p>Replies come on threads of the driver, the end of the wait on the timer's, withdrawal on any: each only proposes an
 * end, and whoever sets it first is right.
 */
final class Request {
    private static final Object ENDED = new Object();
    private static final long FIRST_RETRY_NANOS = 50_000_000L;
    private static final long LONGEST_RETRY_NANOS = 1_000_000_000L;
    /** How often a request without a wait asks again for a lease that arrived too late. */
    private static final int MOST_LATE = 3;

    /** Answers of a server that is there but cannot serve at present. */
    static final Set<String> TRANSIENT = Set.of("LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "READONLY");

    final Client client;
    final Keys keys;
    final String owner;
    final LockOptions options;
    final Wait waitLimit;
    final boolean scoped;
    final long number;
    private final String thread;
    private final long startNanos;
    /** Null once completed: it would keep the lease reachable, and a forgotten lease would be renewed for ever. */
    private volatile @Nullable CompletableFuture<Attempt> outcome = new CompletableFuture<>();

    private final AtomicReference<@Nullable Object> end = new AtomicReference<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger late = new AtomicInteger();
    private volatile long retryNanos = FIRST_RETRY_NANOS;
    private volatile Contention contention = Contention.NOTHING_KNOWN;
    private volatile int firstPlace;
    private volatile boolean handedOff;
    private volatile @Nullable DriverException lastFailure;
    private volatile @Nullable Runnable timer;

    Request(Client client, Keys keys, LockOptions options, Wait waitLimit, boolean scoped, long number) {
        this.client = client;
        this.keys = keys;
        this.options = options;
        this.waitLimit = waitLimit;
        this.scoped = scoped;
        this.number = number;
        this.owner = client.ids.next();
        this.thread = Label.ofThread(Thread.currentThread());
        this.startNanos = client.ticker.nanoTime();
    }

    /** Asks for the first time. Called once; the stage is given out here and nowhere else. */
    CompletableFuture<Attempt> start() {
        CompletableFuture<Attempt> result = Objects.requireNonNull(outcome);
        client.waitingRoom.add(this);
        if (!waitLimit.isNone()) {
            Duration limit = waitLimit.limit();
            Duration life = options.requestLife();
            if (life != null && options.requestEnd() == LockOptions.RequestEnd.LEAVE) {
                limit = limit == null || life.compareTo(limit) < 0 ? life : limit;
            }
            if (limit != null) {
                timer = client.timers.schedule(limit.toNanos(), this::timeOut);
            }
        }
        if (client.isClosed()) {
            clientClosed();
        }
        ask();
        return result;
    }

    private void complete(@Nullable Attempt attempt, @Nullable Throwable failure) {
        CompletableFuture<Attempt> result = outcome;
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

    boolean pending() {
        return end.get() == null;
    }

    /**
     * Whether a copy of the acquire may still be under way. A handoff proves that one copy was executed, also where its
     * answer has not come yet: nobody else could have queued this owner.
     */
    boolean unanswered() {
        return asked.get() > Math.max(answered.get(), handedOff ? 1 : 0);
    }

    long startedNanos() {
        return startNanos;
    }

    /** The place in the queue when it was first queued; 0 if it never was. */
    int firstPlace() {
        return firstPlace;
    }

    int timesAsked() {
        return asked.get();
    }

    /** Sends the acquire, for the first time or again. */
    void ask() {
        ask(() -> {});
    }

    /** @param over runs when this copy was answered or is given up, or is not sent because the request has ended */
    void ask(Runnable over) {
        // Counted before the look at the end: whoever ends the request meanwhile then either sees this copy and leaves
        // a tombstone, or is seen here, and no copy leaves.
        asked.incrementAndGet();
        if (!pending()) {
            asked.decrementAndGet();
            over.run();
            return;
        }
        // Nobody queues before its messages can reach it.
        boolean queue = !waitLimit.isNone() && client.waitingRoom.listening();
        long sent = client.ticker.nanoTime();
        client.commands.acquire(keys, owner, options, queue, thread, sent, (reply, failure) -> {
            over.run();
            if (reply != null || (failure != null && failure.kind() == DriverException.Kind.REJECTED)) {
                answered.incrementAndGet();
            }
            if (reply != null) {
                lastFailure = null;
                retryNanos = FIRST_RETRY_NANOS;
                onReply(reply, sent);
            } else if (failure != null) {
                onFailure(failure);
            }
        });
    }

    private void onReply(AcquireReply reply, long sent) {
        State state = reply.state();
        if (state != null) {
            contention = new Contention(
                    state.holder(), Duration.ofMillis(state.remainingMillis()), reply.place(), reply.waiters());
        }
        switch (reply.word()) {
            case GRANTED ->
                granted(reply.token(), Deadlines.ofReply(sent, options.term().toNanos()), true, 0);
            case QUEUED -> {
                if (firstPlace == 0) {
                    firstPlace = reply.place();
                }
                client.waitingRoom.queued(this);
            }
            case TAKEN -> {
                if (waitLimit.isNone()) {
                    finish(new Attempt.Taken(keys.name(), contention));
                } else {
                    client.waitingRoom.askLater(this);
                }
            }
            case MORE -> ask();
            case GONE -> {
                // Only a cloned machine can have ended this owner: a pending request is never taken back.
                if (end.compareAndSet(null, ENDED)) {
                    close();
                    complete(
                            new Attempt.Unknown(
                                    keys.name(),
                                    new ServerUnreachableException(
                                            "lock '" + keys.name()
                                                    + "': the request was withdrawn by another process with the same ids",
                                            null)),
                            null);
                }
            }
        }
        if (state != null) {
            client.waitingRoom.observe(keys, state, sent);
        }
    }

    private void onFailure(DriverException failure) {
        lastFailure = failure;
        if (failure.kind() == DriverException.Kind.REJECTED && !TRANSIENT.contains(failure.code())) {
            fail(Refusals.explain(client.driver.describe(), failure));
        } else if (waitLimit.isNone()) {
            finish(unknown(failure));
        } else if (pending()) {
            client.timers.schedule(retryNanos, () -> client.repeats.add(this));
            retryNanos = Math.min(LONGEST_RETRY_NANOS, retryNanos * 2);
        }
    }

    private Attempt.Unknown unknown(@Nullable DriverException cause) {
        return new Attempt.Unknown(
                keys.name(),
                new ServerUnreachableException(
                        "lock '" + keys.name() + "': " + client.driver.describe()
                                + " did not answer, the outcome is unknown"
                                + (cause == null ? "" : ": " + cause.getMessage()),
                        cause));
    }

    /** A handoff that was told by message. */
    void grantedByMessage(long token, long grantedMicros, long claimMillis, long receivedNanos) {
        handedOff = true;
        Object present = end.get();
        if (present instanceof Hold hold) {
            if (token > hold.token) {
                // The server granted anew, so the hold that we know of had lapsed.
                hold.lose(LossReason.GONE);
            }
            return;
        }
        OptionalLong deadline =
                Deadlines.ofHandoff(client.clock.pair(), grantedMicros, claimMillis * 1_000_000, receivedNanos);
        boolean confirmFirst = deadline.isEmpty() || !options.renewed();
        if (confirmFirst && pending()) {
            ask();
        } else {
            granted(token, deadline.orElse(receivedNanos), false, claimMillis * 1_000_000);
        }
    }

    /** A handoff that was told in the reply to a request of this client which left at {@code sent}. */
    void grantedByReply(Claim claim, long sent) {
        handedOff = true;
        Object present = end.get();
        if (present instanceof Hold hold && claim.token() > hold.token) {
            hold.lose(LossReason.GONE);
        } else if (present == null && !options.renewed()) {
            ask();
        } else {
            long claimNanos = claim.millis() * 1_000_000;
            granted(claim.token(), Deadlines.ofReply(sent, claimNanos), false, claimNanos);
        }
    }

    private void granted(long token, long deadline, boolean confirmed, long claimNanos) {
        // Goes round again if another thread ends the request meanwhile: a reply and a message can tell the same grant
        // at the same time, and the one that comes second must not give back what the first has taken.
        while (true) {
            Object present = end.get();
            if (present instanceof Hold hold) {
                if (hold.token == token) {
                    hold.raise(deadline);
                }
                return;
            }
            if (present != null) {
                // Nobody waits for it any more.
                client.takeBack.add(keys, owner, unanswered(), Duration.ZERO);
                return;
            }
            long left = deadline - client.ticker.nanoTime();
            if (left <= options.leastRemaining().toNanos()) {
                tooLate();
                return;
            }
            Hold hold = new Hold(this, token, deadline, confirmed, claimNanos);
            if (end.compareAndSet(null, hold)) {
                cancelTimer();
                client.waitingRoom.settled(this);
                hold.begin();
                complete(new Attempt.Obtained(hold.newHandle()), null);
                return;
            }
        }
    }

    /** The lease arrived with too little left: it is armed anew by asking again, or given back. */
    private void tooLate() {
        if (waitLimit.isNone() && late.incrementAndGet() > MOST_LATE) {
            finish(unknown(DriverException.unknown("answers take longer than the term allows", null)));
        } else {
            ask();
        }
    }

    /** The wait is over. Whether the request has left the queue, the server has to say: until then it is unknown. */
    private void timeOut() {
        CompletableFuture<Boolean> withdrawal = end(asked.get() > 0);
        if (withdrawal != null) {
            var unused = withdrawal.thenAccept(acknowledged -> complete(
                    acknowledged ? new Attempt.TimedOut(keys.name(), waitLimit, contention) : unknown(lastFailure),
                    null));
        }
    }

    /** Ends without a lease, and takes back what may have come of it. */
    private void finish(Attempt attempt) {
        if (end(!(attempt instanceof Attempt.Taken)) != null) {
            complete(attempt, null);
        }
    }

    void fail(HoldfastException failure) {
        if (end(asked.get() > 0) != null) {
            complete(null, failure);
        }
    }

    /**
     * Withdraws the request because its caller went away: interrupted, cancelled, or completed from outside. A lease that
     * was obtained already is released.
     */
    void withdraw() {
        if (end(true) != null) {
            complete(null, new CancellationException());
        } else if (end.get() instanceof Hold hold) {
            // The release repeats itself if it is not answered.
            hold.release();
        }
    }

    /** The client is closed: fails if pending; a hold that has come of it is lost. */
    void clientClosed() {
        fail(new HoldfastClosedException());
        if (end.get() instanceof Hold hold) {
            hold.clientClosed();
        }
    }

    /**
     * Ends the request without a hold.
     *
     * @param takeBack whether something of it may be on the server although all copies of its acquire were answered
     * @return whether the server acknowledges that nothing of the request is left; null if it has ended already
     */
    private @Nullable CompletableFuture<Boolean> end(boolean takeBack) {
        client.takeBack.ending();
        try {
            if (!end.compareAndSet(null, ENDED)) {
                return null;
            }
            close();
            return takeBack || unanswered()
                    ? client.takeBack.add(keys, owner, unanswered(), Duration.ZERO)
                    : CompletableFuture.completedFuture(true);
        } finally {
            client.takeBack.ended();
        }
    }

    private void close() {
        cancelTimer();
        client.waitingRoom.remove(this);
    }

    private void cancelTimer() {
        Runnable cancel = timer;
        if (cancel != null) {
            cancel.run();
        }
    }
}
