package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request to a quorum, from the call to its outcome.
 *
 * <p><b>Steps.</b> A round ({@link Ballot}); if it was lost, everything of it is taken back, then the request sleeps, and
 * asks again under a new owner, a last time when the wait is over. Either a round is under way or the request sleeps, never
 * both, so that the steps follow each other. Only the end can come from elsewhere: whoever sets {@link #end} first is right,
 * and a round that is won after it is given back.
 */
final class QuorumRequest implements Asking, Ballot.Outcome {
    private static final Object ENDED = new Object();
    /** How often a lease that arrives too late is asked for again by a request that does not wait. */
    private static final int MOST_LATE = 3;

    final QuorumClient quorum;
    final Keys keys;
    final LockOptions options;
    final Wait waitLimit;
    final boolean scoped;
    final String actorName;
    /** The owner of the first round, and of all events. That of a later round has its number behind it. */
    final String owner;

    private final String label;
    private final long startNanos;
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger late = new AtomicInteger();
    private final AtomicReference<@Nullable Object> end = new AtomicReference<>();
    private final AtomicBoolean asleep = new AtomicBoolean();
    /** Null once completed: it would keep the lease reachable, and a forgotten lease would be renewed for ever. */
    private volatile @Nullable CompletableFuture<Attempt> outcome = new CompletableFuture<>();

    private volatile @Nullable Ballot ballot;
    private volatile @Nullable Runnable timer;
    private volatile Contention contention = Contention.NOTHING_KNOWN;

    QuorumRequest(
            QuorumClient quorum,
            Keys keys,
            LockOptions options,
            Wait waitLimit,
            boolean scoped,
            @Nullable String actor) {
        if (waitLimit.untilStuck()) {
            throw new IllegalArgumentException(
                    "wait is " + waitLimit
                            + ", must be none, limited or for ever: a quorum does not judge how long one holder has kept a lock");
        }
        this.quorum = quorum;
        this.keys = keys;
        this.options = options;
        this.waitLimit = waitLimit;
        this.scoped = scoped;
        this.owner = quorum.lead().ids.next();
        this.actorName = actor == null ? Thread.currentThread().getName() : actor;
        this.label = Label.ofActor(actorName, options.metadata());
        this.startNanos = quorum.nanoTime();
    }

    @Override
    public CompletableFuture<Attempt> start() {
        CompletableFuture<Attempt> result = Objects.requireNonNull(outcome);
        quorum.requests.add(this);
        if (quorum.isClosed()) {
            clientClosed();
        }
        ask();
        return result;
    }

    long startedNanos() {
        return startNanos;
    }

    int attempts() {
        return attempts.get();
    }

    private void ask() {
        if (end.get() != null) {
            return;
        }
        int number = attempts.incrementAndGet();
        quorum.events().tellAsked(this, number);
        Ballot asking = new Ballot(quorum, keys, ownerOf(number), options, label, this);
        ballot = asking;
        asking.start();
        if (end.get() == ENDED) {
            asking.abandon();
        }
    }

    /** A lost round's owner is ended on the nodes, where a tombstone may refuse it: each round has one of its own. */
    private String ownerOf(int number) {
        int secret = owner.indexOf('~');
        return number == 1 ? owner : owner.substring(0, secret) + "_" + number + owner.substring(secret);
    }

    @Override
    public void won(Ballot asked, long token, long deadline) {
        if (end.get() == null
                && deadline - quorum.nanoTime() <= options.leastRemaining().toNanos()) {
            asked.abandon();
            boolean giveUp = waitLimit.isNone() && late.incrementAndGet() > MOST_LATE;
            if (giveUp
                    || attempts.get() >= quorum.options.maxAttempts()
                    || (!waitLimit.isNone() && leftOfWait() <= 0)) {
                finish(unknown("the nodes' answers take longer than the term allows", asked.failures()));
            } else {
                sleep();
            }
            return;
        }
        QuorumHold hold = new QuorumHold(this, asked, token, deadline);
        if (!end.compareAndSet(null, hold)) {
            asked.abandon();
            return;
        }
        quorum.lines.leave(this);
        Lease lease = hold.newHandle();
        hold.begin();
        quorum.events()
                .tell(
                        this,
                        subject -> new LockEvent.Obtained(
                                subject, token, options.term(), since(startNanos), attempts.get(), 0, false));
        complete(new Attempt.Obtained(lease), null);
    }

    @Override
    public void lost(Ballot asked) {
        contention = asked.contention();
        if (end.get() != null) {
            return;
        }
        if (asked.inVain()) {
            fail(new ServerRefusedException(
                    Shown.lock(keys.name()) + ": too many nodes refuse: " + inWords(asked.failures()),
                    asked.failures().get(0).error()));
        } else if (waitLimit.isNone()) {
            finish(
                    asked.answered()
                            ? new Attempt.Taken(keys.name(), contention)
                            : unknown("no majority of the nodes answered", asked.failures()));
        } else if (attempts.get() >= quorum.options.maxAttempts() || leftOfWait() <= 0) {
            finish(
                    asked.answered()
                            ? new Attempt.TimedOut(keys.name(), waitLimit, contention)
                            : unknown("no majority of the nodes answered", asked.failures()));
        } else {
            sleep();
        }
    }

    private Attempt.Unknown unknown(String why, List<NodeFailure> failures) {
        return new Attempt.Unknown(
                keys.name(),
                new ServerUnreachableException(
                        failures,
                        Shown.lock(keys.name()) + ": " + why + ", the outcome is unknown"
                                + (failures.isEmpty() ? "" : ": " + inWords(failures))));
    }

    static String inWords(List<NodeFailure> failures) {
        return String.join(
                "; ",
                failures.stream()
                        .map(each -> String.valueOf(each.error().getMessage()))
                        .toList());
    }

    private long leftOfWait() {
        Duration limit = waitLimit.limit();
        return limit == null ? Long.MAX_VALUE : startNanos + limit.toNanos() - quorum.nanoTime();
    }

    private void sleep() {
        long nanos;
        try {
            nanos = quorum.options.backoff().nanos(attempts.get(), quorum.random());
        } catch (RuntimeException e) {
            failBy(e); // the caller's own function
            return;
        }
        asleep.set(true);
        timer = quorum.timers.schedule(Math.min(nanos, Math.max(0, leftOfWait())), () -> {
            if (asleep.compareAndSet(true, false)) {
                ask();
            }
        });
        quorum.lines.sleeping(this);
        if (end.get() != null) {
            cancelTimer();
            quorum.lines.leave(this);
        }
    }

    /**
     * A node told of a release.
     *
     * @param delayNanos until the other nodes will have heard of it, and so that not all clients come at once
     * @return whether it slept
     */
    boolean wake(long delayNanos) {
        if (!asleep.compareAndSet(true, false)) {
            return false;
        }
        cancelTimer();
        timer = quorum.timers.schedule(delayNanos, this::ask);
        return true;
    }

    private Duration since(long nanos) {
        return Duration.ofNanos(quorum.nanoTime() - nanos);
    }

    private void finish(Attempt attempt) {
        if (endWithoutHold()) {
            complete(attempt, null);
        }
    }

    private void fail(HoldfastException failure) {
        failBy(failure);
    }

    private void failBy(RuntimeException failure) {
        if (endWithoutHold()) {
            complete(null, failure);
        }
    }

    @Override
    public void withdraw() {
        if (endWithoutHold()) {
            complete(null, new CancellationException());
        } else if (end.get() instanceof QuorumHold hold) {
            var unused = hold.leave();
        }
    }

    /** The client is closed: fails if pending; a hold that has come of it is lost. */
    void clientClosed() {
        fail(new HoldfastClosedException());
        if (end.get() instanceof QuorumHold hold) {
            hold.clientClosed();
        }
    }

    private boolean endWithoutHold() {
        if (!end.compareAndSet(null, ENDED)) {
            return false;
        }
        cancelTimer();
        quorum.lines.leave(this);
        Ballot last = ballot;
        if (last != null) {
            last.abandon();
        }
        quorum.requests.remove(this);
        return true;
    }

    private void cancelTimer() {
        Runnable cancel = timer;
        if (cancel != null) {
            cancel.run();
        }
    }

    private void complete(@Nullable Attempt attempt, @Nullable RuntimeException failure) {
        CompletableFuture<Attempt> result = outcome;
        outcome = null;
        if (result == null) {
            return;
        }
        if (!(attempt instanceof Attempt.Obtained)) {
            quorum.events()
                    .tell(
                            this,
                            subject -> new LockEvent.NotObtained(
                                    subject,
                                    Request.reasonOf(attempt, failure),
                                    since(startNanos),
                                    attempts.get(),
                                    contention));
        }
        if (attempt != null) {
            result.complete(attempt);
        } else {
            result.completeExceptionally(Objects.requireNonNull(failure));
        }
    }
}
