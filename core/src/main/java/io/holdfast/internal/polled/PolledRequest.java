package io.holdfast.internal.polled;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastException;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Grant;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.LeaseState;
import io.holdfast.internal.lease.OneShot;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.lease.Question;
import io.holdfast.internal.wire.Keys;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A request for a lock without a queue, from the call to its outcome.
 *
 * <p><b>Steps.</b> It asks; if the lock is taken it sleeps and asks again, a last time when the wait is over. Either its
 * {@link Poll} is asking or the request sleeps, never both, so that the steps follow each other and their fields need no
 * lock. Only the end can come from elsewhere (withdrawal, the client's closing): whoever ends the {@link Outcome} first is
 * right, and what is granted after that is given back.
 */
public final class PolledRequest implements Question<Handle> {
    /** How often a lease that arrives too late is asked for again. */
    private static final int MOST_LATE = 3;

    public final Outcome outcome;
    private final Kit kit;
    private final Wait wait;
    private final Poll poll;
    private final AtomicInteger late = new AtomicInteger();
    /** The end of the present sleep, by its timer or by whoever wakes it. */
    private volatile OneShot waking = new OneShot();

    private volatile long waitFrom;
    private volatile @Nullable Runnable timer;

    /**
     * A request that has not asked yet.
     *
     * @throws IllegalArgumentException if it is to wait until the lock is stuck
     */
    public PolledRequest(Outcome outcome, Poll poll, String insteadOfStuck) {
        this.outcome = outcome;
        this.kit = outcome.kit;
        this.wait = outcome.demand.waitLimit();
        this.poll = poll;
        if (wait.untilStuck()) {
            throw new IllegalArgumentException(
                    "wait is " + wait + ", must be none, limited or for ever: " + insteadOfStuck);
        }
        this.waitFrom = outcome.startNanos;
        waking.skip(); // it does not sleep yet
        poll.of(this);
    }

    public Keys keys() {
        return outcome.demand.keys();
    }

    @Override
    public CompletableFuture<Attempt<Handle>> start() {
        CompletableFuture<Attempt<Handle>> result = outcome.stage();
        poll.begin();
        if (kit.isClosed()) {
            clientClosed();
        }
        ask(false);
        return result;
    }

    @Override
    public Account account() {
        return outcome.account();
    }

    private void ask(boolean takeOver) {
        if (!outcome.pending()) {
            return;
        }
        int number = outcome.asked.incrementAndGet();
        outcome.tellAsked();
        poll.ask(number, takeOver);
    }

    // ---- what came of asking

    /**
     * A server, or a majority, has granted.
     *
     * @param deadline as the client counts it; {@link LeaseState#NEVER} if it does not end
     */
    public void granted(Grant grant, long deadline) {
        long left = deadline == LeaseState.NEVER ? Long.MAX_VALUE : deadline - kit.nanoTime();
        if (outcome.pending()
                && left <= Demand.leastLeft(outcome.demand.options()).toNanos()) {
            tooLate();
            return;
        }
        Hold hold = new Hold(outcome, grant, deadline, outcome.demand.longest());
        Handle handle = hold.newHandle(); // before anybody can withdraw what has it
        kit.surely(() -> {
            if (!outcome.endAs(hold)) {
                if (outcome.hold() == null) { // else it is of that owner, and held
                    poll.abandon(); // nobody waits for it any more
                }
                return;
            }
            poll.awake();
            hold.begin();
            poll.held(hold);
            outcome.tellObtained(grant.token(), false);
            try {
                outcome.hand(handle);
            } finally {
                hold.lookAfter();
            }
        });
    }

    /** The lease arrived with too little left. */
    void tooLate() {
        boolean often = late.incrementAndGet() > MOST_LATE;
        if (poll.hasOneOwner()) {
            if (often) {
                finish(outcome.unknown(poll.late()));
            } else {
                poll.askAgain();
            }
            return;
        }
        poll.abandon();
        if (wait.isNone() ? often || outcome.asked.get() >= poll.maxAttempts() : isLastTime()) {
            finish(outcome.unknown(poll.late()));
        } else {
            sleep();
        }
    }

    /**
     * It was asked, and is not granted.
     *
     * @param isKnown whether it is known that the lock is taken; if not, whether it was granted is not known either
     */
    public void notGranted(boolean isKnown) {
        if (!outcome.pending()) {
            return;
        }
        if (!wait.isNone() && !isLastTime()) {
            sleep();
        } else if (!isKnown) {
            HoldfastException refused = poll.refusal();
            if (refused == null) {
                finish(outcome.unknown(poll.unknown()));
            } else {
                fail(refused);
            }
        } else if (wait.isNone()) {
            finish(outcome.because(Reason.TAKEN));
        } else if (outcome.asked.get() >= poll.maxAttempts()) {
            finish(outcome.because(Reason.TRIES_EXHAUSTED));
        } else if (poll.mayTakeOver()) {
            ask(true);
        } else {
            finish(outcome.because(Reason.TIMED_OUT));
        }
    }

    private boolean isLastTime() {
        return outcome.asked.get() >= poll.maxAttempts() || leftOfWait() <= 0;
    }

    /** What is left of the wait, or of the patience with the present holder. */
    private long leftOfWait() {
        Duration limit = wait.limit();
        return limit == null ? Long.MAX_VALUE : waitFrom + limit.toNanos() - kit.nanoTime();
    }

    /** The wait is for each holder, and this is another one. */
    void waitAnew() {
        waitFrom = kit.nanoTime();
    }

    // ---- sleeping

    private void sleep() {
        long nanos;
        try {
            nanos = poll.backoffNanos(outcome.asked.get());
        } catch (RuntimeException | Error e) {
            fail(e); // the caller's own function
            return;
        }
        OneShot asking = new OneShot();
        waking.skip(); // an error came after it had begun to sleep: it sleeps anew
        waking = asking;
        // First: from here on it asks again, whatever fails.
        timer = kit.schedule(Math.min(nanos, Math.max(0, leftOfWait())), () -> asking.run(() -> ask(false)));
        poll.asleep();
        if (!outcome.pending()) {
            cancelTimer();
            poll.awake();
        }
    }

    /**
     * The lock may have become free.
     *
     * @param delayNanos so that not all clients come at once
     * @return whether it slept, and will ask; else somebody else is to be woken
     */
    public boolean wake(long delayNanos) {
        return outcome.pending()
                && waking.run(() -> {
                    Runnable own = timer;
                    timer = kit.schedule(delayNanos, () -> ask(false));
                    if (own != null) {
                        own.run();
                    }
                });
    }

    private void cancelTimer() {
        Runnable cancel = timer;
        if (cancel != null) {
            cancel.run();
        }
    }

    // ---- its end

    private void finish(Attempt<Handle> refusal) {
        end(() -> outcome.refuse(refusal));
    }

    public void fail(Throwable failure) {
        end(() -> outcome.fail(failure));
    }

    @Override
    public void withdraw() {
        if (end(() -> outcome.fail(new CancellationException()))) {
            return;
        }
        Hold hold = outcome.hold();
        if (hold != null) {
            var unused = hold.release();
        }
    }

    /** The client is closed: fails if pending; a hold that has come of it is lost. */
    public void clientClosed() {
        fail(new HoldfastClosedException());
        Hold hold = outcome.hold();
        if (hold != null) {
            hold.clientClosed();
        }
    }

    /** Ends it without a hold; whether this call has. An error on the way does not keep what follows from being done. */
    private boolean end(Runnable then) {
        Object how = outcome.withoutHold();
        kit.ending();
        try {
            kit.surely(() -> {
                if (outcome.endAs(how)) {
                    cancelTimer();
                    poll.awake();
                    poll.abandon();
                    poll.forget();
                    then.run();
                }
            });
            return outcome.end() == how;
        } finally {
            kit.ended();
        }
    }
}
