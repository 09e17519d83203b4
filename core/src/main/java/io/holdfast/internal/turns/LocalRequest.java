package io.holdfast.internal.turns;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Contention;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastException;
import io.holdfast.LockEvent;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Holding;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.lease.Question;
import io.holdfast.internal.queue.QueueEngine;
import io.holdfast.internal.queue.Request;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Refusals;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lock that this client hands on among its own threads, or keeps. It stands in a {@link LocalLine}; only one
 * that does not wait, and finds the lock elsewhere, asks the server for itself.
 *
 * <p>It ends once, by whoever is first to say so: with a lease, or without.
 */
final class LocalRequest implements Question<Handle> {
    /** Where it stands. */
    interface Line {
        /** By which the line asked the server last. */
        String owner();

        /** A request has ended without the lock. */
        void leave(LocalRequest request);

        /**
         * The wait of a request is over, and the line answers with its knowledge of the lock. The last request of a line ends the line's
         * own request, too: until the server confirms that, the outcome is unknown.
         */
        void judge(LocalRequest request);
    }

    final Demand demand;
    final Outcome outcome;
    final int sections; // of a turn, at most
    private final QueueEngine queue;
    private final Consumer<LocalRequest> join;
    private final Kit kit;
    private volatile @Nullable Line line;
    private volatile @Nullable Request alone;
    private volatile @Nullable Runnable timer;
    private volatile @Nullable Demand asked; // with the thread that asks, until it is answered: a hold would keep it
    /** Set under the lock of the line if it stands behind others; false until that is told. */
    private volatile @Nullable AtomicBoolean queuedTold;

    /** @param join lets a request join its line, which it is told of */
    LocalRequest(QueueEngine queue, Consumer<LocalRequest> join, Demand asked, int sections) {
        this.sections = sections;
        this.queue = queue;
        this.join = join;
        this.kit = queue.kit;
        this.asked = asked;
        this.demand = asked.named();
        this.outcome = new Outcome(kit, demand, "", false);
    }

    @Override
    public CompletableFuture<Attempt<Handle>> start() {
        CompletableFuture<Attempt<Handle>> result = outcome.stage();
        if (kit.isClosed()) {
            refused(null, new HoldfastClosedException());
            return result;
        }
        join.accept(this);
        Request asked = alone;
        if (asked != null) {
            return asked.start();
        }
        Duration limit = demand.waitLimit().limit();
        if (limit != null && outcome.pending()) {
            timer = kit.schedule(limit.toNanos(), this::waitIsOver);
            if (!outcome.pending()) {
                cancelTimer();
            }
        }
        return result;
    }

    /** Said by the line that it stands in, before anything else can happen to it. */
    void standsIn(Line in) {
        line = in;
    }

    /** It stands behind others of its line, and nobody tells it of a place in the server's queue. Called under the lock of the line. */
    void standsBehindOthers(int place) {
        outcome.firstPlace = place;
        queuedTold = new AtomicBoolean();
    }

    /** Tells that, once: whoever serves it meanwhile does so first. */
    void tellQueued() {
        AtomicBoolean told = queuedTold;
        if (told != null && told.compareAndSet(false, true)) {
            queue.standsStill();
            int place = outcome.firstPlace;
            outcome.standsBy(Objects.requireNonNull(line).owner());
            outcome.tell(subject -> new LockEvent.Queued(subject, place, place));
            waits();
        }
    }

    private Demand asker() {
        Demand own = asked;
        return own == null ? demand : own;
    }

    /** Somebody else has the lock, or this flow itself. */
    void waits() {
        queue.ownWaits.begins(outcome, asker());
    }

    /** It does not wait, and the lock is not here: it asks the server for a hold of its own. */
    void askAlone() {
        alone = new Request(queue, asker(), 1);
    }

    @Override
    public Account account() {
        Request asked = alone;
        return asked == null ? outcome.account() : asked.account();
    }

    @Override
    public void withdraw() {
        Request asked = alone;
        if (asked != null) {
            asked.withdraw();
        } else if (!end(null, new CancellationException(), true) && outcome.end() instanceof Holding lease) {
            var unused = lease.leave();
        }
    }

    private void leaveLine() {
        Line in = line;
        if (in != null) {
            in.leave(this);
        }
    }

    private void waitIsOver() {
        Line in = line;
        if (in != null && outcome.pending()) {
            in.judge(this);
        }
    }

    /**
     * Its wait is over.
     *
     * @param asked the request of its line; null if another lease of this client holds the lock
     * @param alone whether nobody else waits for that one
     */
    void judge(@Nullable Request asked, boolean alone, Contention known) {
        if (asked == null) {
            timedOut(known);
        } else if (!alone) {
            asked.probe(answers -> judged(asked, answers));
        } else if (!asked.timeOut()) {
            judged(asked, true); // it was granted, but not as is asked for yet, or just now
        }
    }

    /** Its wait is over, and others of its line go on asking: what is said depends on whether the server answers. */
    void judged(Request asked, boolean answers) {
        asked(asked);
        HoldfastException refused = answers ? null : asked.refusal();
        if (answers) {
            timedOut(asked.outcome.contention);
        } else if (refused == null) {
            unknown();
        } else {
            end(null, refused, true);
        }
    }

    void timedOut(Contention contention) {
        left(timedOutBy(contention));
    }

    private Attempt<Handle> timedOutBy(Contention contention) {
        return outcome.because(Reason.TIMED_OUT, queue.ownWaits.with(contention, asker()));
    }

    /** An operator has dropped it. */
    void evicted() {
        refused(outcome.because(Reason.DROPPED), null);
    }

    private void unknown() {
        left(outcome.unknown(Refusals.unknown(LogText.lock(demand.keys().name()), queue.server.describe(), null)));
    }

    /** It ends without a lease, and leaves its line. */
    void left(Attempt<Handle> attempt) {
        end(attempt, null, true);
    }

    /** The server was asked so often for the line. */
    private void asked(Request byLine) {
        outcome.asked.set(byLine.outcome.asked.get());
    }

    /** What came of the request of its line, which has let it go. */
    void refused(Request byLine, @Nullable Attempt<Handle> attempt, @Nullable Throwable failure) {
        asked(byLine);
        refused(
                attempt instanceof Attempt.NotObtained<Handle> not
                        ? outcome.because(not.reason(), not.contention(), not.replicas(), not.cycle())
                        : attempt,
                failure);
    }

    /** The same, where nothing was asked for it. */
    void refused(@Nullable Attempt<Handle> attempt, @Nullable Throwable failure) {
        if (attempt instanceof Attempt.NotObtained<Handle> not && not.reason() == Reason.TIMED_OUT) {
            end(timedOutBy(not.contention()), failure, false);
        } else {
            end(attempt, failure, false);
        }
    }

    /**
     * Ends it without a lease; whether this call has. An error on the way does not keep what follows from being done.
     *
     * @param leaves whether it may stand in its line
     */
    private boolean end(@Nullable Attempt<Handle> attempt, @Nullable Throwable failure, boolean leaves) {
        Object how = outcome.withoutHold();
        kit.surely(() -> {
            if (outcome.endAs(how)) {
                answer(attempt, failure);
                if (leaves) {
                    leaveLine();
                }
            }
        });
        return outcome.end() == how;
    }

    private void answer(@Nullable Attempt<Handle> attempt, @Nullable Throwable failure) {
        cancelTimer();
        asked = null;
        Line in = line;
        if (in != null) {
            outcome.standsBy(in.owner());
        }
        if (attempt instanceof Attempt.NotObtained<Handle> not) {
            outcome.contention = not.contention();
        }
        if (attempt != null) {
            outcome.refuse(attempt);
        } else {
            outcome.fail(Objects.requireNonNull(failure));
        }
    }

    /** Ends it with a lease, which is to be delivered; false if it has ended already. Called under the lock of the line. */
    boolean end(Holding lease) {
        return outcome.endAs(lease);
    }

    void deliver(Handle handle) {
        Holding lease = handle.own;
        cancelTimer();
        tellQueued();
        asFor(handle.hold, lease.initialPosition());
        outcome.countObtained(lease.waited(), lease.initialPosition());
        outcome.tell(
                handle.hold.owner(),
                subject -> new LockEvent.Obtained(
                        subject,
                        lease.token(),
                        demand.options().leaseDuration(),
                        lease.waited(),
                        handle.hold.attempts(),
                        lease.initialPosition(),
                        false));
        hand(handle);
    }

    /** What is known of the request for its hold, and of those that this had to wait for, is told of it, too. */
    private void asFor(Hold hold, int place) {
        outcome.standsBy(hold.owner());
        outcome.asked.set(hold.attempts());
        outcome.firstPlace = place;
        if (outcome.startNanos - hold.grantedNanos < 0) {
            outcome.contention = hold.origin.contention;
        }
    }

    /** Whether its caller gets it by this call. */
    boolean hand(Handle handle) {
        asked = null;
        return outcome.hand(handle);
    }

    /** Whether its caller has been told how it ended. */
    boolean isAnswered() {
        return outcome.isAnswered();
    }

    private void cancelTimer() {
        Runnable cancel = timer;
        if (cancel != null) {
            cancel.run();
            timer = null; // a lease keeps its request
        }
    }
}
