package io.holdfast.internal.queue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Contention;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastException;
import io.holdfast.LockEvent;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.lease.Question;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Refusals;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lock that this client hands on among its own threads, or keeps. It stands in a {@link LocalLine}; only one
 * that does not wait, and finds the lock elsewhere, asks the server for itself.
 *
 * <p>It ends once, by whoever is first to say so: with a lease, or without.
 */
final class LocalRequest implements Question<Handle> {
    final Demand demand;
    final Outcome outcome;
    final int sections; // of a turn, at most
    private final LocalLines lines;
    private final Kit kit;
    private volatile @Nullable LocalLine line;
    private volatile @Nullable Request alone;
    private volatile @Nullable Runnable timer;
    private volatile @Nullable Demand asked; // with the thread that asks, until it is answered: a hold would keep it
    /** Set under the lock of the line if it stands behind others; false until that is told. */
    private volatile @Nullable AtomicBoolean queuedTold;

    LocalRequest(LocalLines lines, Demand asked, int sections) {
        this.sections = sections;
        this.lines = lines;
        this.kit = lines.queue.kit;
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
        lines.join(this);
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
    void standsIn(LocalLine in) {
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
            lines.queue.standsStill();
            int place = outcome.firstPlace;
            outcome.standsBy(Objects.requireNonNull(line).owner);
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
        lines.queue.ownWaits.begins(outcome, asker());
    }

    /** It does not wait, and the lock is not here: it asks the server for a hold of its own. */
    void askAlone() {
        alone = new Request(lines.queue, asker(), 1);
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
        } else if (!end(null, new CancellationException(), true) && outcome.end() instanceof LocalHold lease) {
            var unused = lease.leave();
        }
    }

    private void leaveLine() {
        LocalLine in = line;
        if (in != null) {
            in.leave(this);
        }
    }

    private void waitIsOver() {
        LocalLine in = line;
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
        return outcome.because(Reason.TIMED_OUT, lines.queue.ownWaits.with(contention, asker()));
    }

    /** An operator has dropped it. */
    void evicted() {
        refused(outcome.because(Reason.DROPPED), null);
    }

    private void unknown() {
        left(outcome.unknown(
                Refusals.unknown(LogText.lock(demand.keys().name()), lines.queue.server.describe(), null)));
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
        LocalLine in = line;
        if (in != null) {
            outcome.standsBy(in.owner);
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
    boolean end(LocalHold lease) {
        return outcome.endAs(lease);
    }

    void deliver(LocalHold lease, Handle handle) {
        cancelTimer();
        tellQueued();
        outcome.countObtained(lease.waited(), lease.initialPosition());
        outcome.tell(
                lease.hold.owner(),
                subject -> new LockEvent.Obtained(
                        subject,
                        lease.token(),
                        demand.options().leaseDuration(),
                        lease.waited(),
                        lease.hold.attempts(),
                        lease.initialPosition(),
                        false));
        hand(handle);
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
        }
    }
}
