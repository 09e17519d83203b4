package io.holdfast;

import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.wire.LogText;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One candidate of an {@link Election}, from {@link Election#campaign} until it is closed. It need not stay reachable: a
 * candidacy that the application no longer references continues to campaign and to lead.
 *
 * <p><b>States</b> (see docs/states.md):
 *
 * <ul>
 *   <li><em>waits</em>: a request is in the queue, or will be made after a pause or when its leader has returned
 *   <li><em>leads</em>: it has a leadership that is valid, and its leader is at work
 *   <li><em>held up</em>: it was elected again while its leader is still at work under a leadership that is over
 *   <li><em>closed</em>
 * </ul>
 */
public final class Candidacy implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    /** Least time from one election of a candidate to its next request: a leader that returns at once does not make it spin. */
    private static final long LEAST_BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Election election;
    private final Kit kit;
    private final DistributedLock lock;
    private final Leader leader;
    private final ReentrantLock monitor =
            new ReentrantLock(); // held for these fields only: never over I/O or callbacks
    private @Nullable CompletableFuture<Attempt<Lease>>
            asking; // completed, by closing only, to withdraw the request under way
    private @Nullable Runnable pause; // cancels the next request
    private @Nullable Leadership elected; // granted by the server, until it is over
    private @Nullable Leadership atWork; // its leader has not returned, perhaps long after its end
    private @Nullable Runnable grace; // cancels the resignation of a candidate that is held up
    private boolean waitsForLeader; // it does not ask again until its leader has returned
    private boolean closed;
    private long electedNanos;
    private volatile @Nullable Leadership leading; // the elected one, if its leader has begun

    Candidacy(Election election, Kit kit, DistributedLock lock, Leader leader) {
        this.election = election;
        this.kit = kit;
        this.lock = lock;
        this.leader = leader;
        this.electedNanos = kit.nanoTime() - LEAST_BETWEEN_NANOS;
    }

    /** Returns the election's name. */
    public String name() {
        return lock.name();
    }

    /**
     * Returns whether it leads at this instant, by this client's clock. By the time another candidate may lead, the result is
     * false. It is also false while this candidate is held up. No I/O.
     */
    public boolean isLeader() {
        return leadership().isPresent();
    }

    /** Returns the present leadership; empty if it does not lead. No I/O. */
    public Optional<Leadership> leadership() {
        Leadership present = leading;
        return present != null && present.isValid() ? Optional.of(present) : Optional.empty();
    }

    /**
     * Stops leading. The leadership is over before the request is sent, and the next candidate leads at once. This candidate
     * campaigns again, behind the candidates that wait.
     *
     * <p>Its leader is interrupted, unless it calls this itself, and may be at work a moment longer while another candidate
     * leads. To end the work first, return from {@link Leader#lead} instead. Has no effect if this candidate is not elected.
     * Blocks for one round trip, at most the command timeout. Never throws because of the server.
     */
    public void resign() {
        giveUp(null, false).join();
    }

    /**
     * Ends the candidacy for good: the candidate stops leading, as by {@link #resign()}, or stops waiting. Does not wait for
     * its leader to return. Blocks for one round trip if it was elected. Closing twice is a no-op.
     */
    @Override
    public void close() {
        CompletableFuture<?> left;
        try {
            left = end();
        } catch (RuntimeException | Error e) {
            kit.later(this::end); // nobody closes it again
            throw e;
        }
        left.join();
    }

    private CompletableFuture<?> end() {
        CompletableFuture<Attempt<Lease>> request;
        monitor.lock();
        try {
            closed = true;
            request = asking;
            pause = cancelled(pause);
        } finally {
            monitor.unlock();
        }
        if (request != null) {
            request.cancel(false); // a lease that it has obtained at this moment is released
        }
        return giveUp(null, false);
    }

    // ---- campaigning

    /** Asks at once, or after the given time, unless the candidate is closed or already asking by then. */
    void campaignIn(long nanos) {
        if (nanos <= 0) {
            ask();
            return;
        }
        monitor.lock();
        try {
            if (mayAsk()) {
                pause = kit.schedule(nanos, this::pauseIsOver);
            }
        } finally {
            monitor.unlock();
        }
    }

    private void pauseIsOver() {
        monitor.lock();
        try {
            pause = null;
        } finally {
            monitor.unlock();
        }
        ask();
    }

    /** Under the monitor. */
    private boolean mayAsk() {
        return !closed && asking == null && pause == null && elected == null && !waitsForLeader;
    }

    /** Under the monitor. */
    private static @Nullable Runnable cancelled(@Nullable Runnable timer) {
        if (timer != null) {
            timer.run();
        }
        return null;
    }

    private void ask() {
        CompletableFuture<Attempt<Lease>> withdrawn = new CompletableFuture<>();
        monitor.lock();
        try {
            if (!mayAsk()) {
                return;
            }
            asking = withdrawn;
        } finally {
            monitor.unlock();
        }
        CompletableFuture<Attempt<Lease>> request;
        try {
            request = lock.attemptInBackground();
        } catch (HoldfastException e) {
            request = CompletableFuture.failedFuture(e);
        }
        CompletableFuture<Attempt<Lease>> sent = request;
        withdrawn.whenComplete((nothing, cancelled) -> sent.cancel(false));
        sent.whenComplete((attempt, failure) -> answered(withdrawn, attempt, failure));
    }

    private void answered(
            CompletableFuture<Attempt<Lease>> request, @Nullable Attempt<Lease> attempt, @Nullable Throwable failure) {
        Lease lease = attempt == null ? null : attempt.asOptional().orElse(null);
        Leadership leadership = lease == null ? null : new Leadership(lease);
        boolean wanted;
        boolean begins = false;
        monitor.lock();
        try {
            wanted = asking == request && !closed;
            if (asking == request) {
                asking = null;
            }
            if (wanted && leadership != null) {
                elected = leadership;
                electedNanos = kit.nanoTime();
                begins = atWork == null;
                if (begins) {
                    atWork = leadership;
                } else {
                    grace = kit.schedule(election.grace().toNanos(), () -> graceIsOver(leadership));
                }
            }
        } finally {
            monitor.unlock();
        }
        if (leadership != null && !wanted) {
            var unused = leadership.lease().releaseAsync(); // closed just now
        } else if (leadership != null) {
            elected(leadership, begins);
        } else if (wanted) {
            notElected(attempt, failure);
        }
    }

    /** Campaigns again after any failure; only the end of the client or of the candidacy is final. */
    private void notElected(@Nullable Attempt<Lease> attempt, @Nullable Throwable failure) {
        if (failure instanceof HoldfastClosedException || kit.isClosed()) {
            monitor.lock();
            try {
                closed = true;
            } finally {
                monitor.unlock();
            }
            return;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                () -> inWords() + " no longer waits, and asks again soon: "
                        + (failure != null
                                ? String.valueOf(failure.getMessage())
                                : attempt == null ? "" : why(attempt)));
        campaignIn(kit.options.refreshInterval().toNanos());
    }

    private static String why(Attempt<Lease> attempt) {
        return attempt.fold(
                lease -> "",
                Attempt.NotObtained::describe,
                unknown -> String.valueOf(unknown.cause().getMessage()));
    }

    // ---- elected

    private void elected(Leadership leadership, boolean begins) {
        leadership.lease().handle.own.onLoss(reason -> lost(leadership, reason));
        if (begins) {
            begin(leadership);
        } else {
            LOG.log(
                    System.Logger.Level.WARNING,
                    () -> inWords() + " is elected again, but its leader is still at work under a leadership that is"
                            + " over; the candidate resigns in " + election.grace() + " unless the leader returns");
        }
    }

    /** Starts its leader, which already counts as being at work. */
    private void begin(Leadership leadership) {
        Runnable unarm = leadership.lease().hold.beforeEnding(election.interruptBefore(), leadership::interruptBody);
        leading = leadership;
        election.tellElected(leadership);
        try {
            Objects.requireNonNull(election.threads().newThread(() -> work(leadership, unarm)), "no thread was made")
                    .start();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, () -> inWords() + " could not start a thread for its leader", e);
            unarm.run();
            returned(leadership, true);
        }
    }

    /** Runs the leader, in the leader's own thread. */
    @SuppressWarnings("CatchingUnchecked")
    private void work(Leadership leadership, Runnable unarm) {
        boolean failed = false;
        leadership.enter();
        try {
            if (leadership.isValid()) { // this thread may have begun late
                leader.lead(leadership);
            }
        } catch (Throwable e) {
            // What is thrown when it is over, or because of our interrupt, says nothing new.
            failed = leadership.isValid() && !leadership.isInterrupted();
            LOG.log(
                    failed ? System.Logger.Level.ERROR : System.Logger.Level.DEBUG,
                    () -> "the leader of " + inWords() + " ended with an exception",
                    e);
        } finally {
            leadership.leave();
            unarm.run();
            returned(leadership, failed);
        }
    }

    /** Called when a leader has ended its work. */
    private void returned(Leadership leadership, boolean failed) {
        Leadership next = null;
        boolean again;
        monitor.lock();
        try {
            atWork = null;
            again = waitsForLeader;
            waitsForLeader = false;
            if (elected != null && elected != leadership) { // it was held up
                next = elected;
                atWork = next;
                grace = cancelled(grace);
            }
        } finally {
            monitor.unlock();
        }
        if (next != null) {
            begin(next);
        } else if (again) {
            campaignIn(spacing());
        } else {
            var unused = giveUp(leadership, failed);
        }
    }

    private void graceIsOver(Leadership leadership) {
        monitor.lock();
        try {
            if (elected != leadership || atWork == leadership) {
                return;
            }
            waitsForLeader = true;
        } finally {
            monitor.unlock();
        }
        LOG.log(
                System.Logger.Level.WARNING,
                () -> inWords() + " resigns, and campaigns again when its leader has returned");
        var unused = giveUp(leadership, false);
    }

    // ---- the end of a leadership

    /**
     * Releases the present leadership.
     *
     * @param which the leadership to release if it is the present one; null for any
     * @param failed true if its leader ended with an exception; the candidate then waits before it campaigns again
     * @return completes when the server has answered; at once if there is nothing to release
     */
    private CompletableFuture<?> giveUp(@Nullable Leadership which, boolean failed) {
        Leadership leadership = forget(which);
        if (leadership == null) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<ReleaseResult> answer = leadership.lease().releaseAsync();
        over(leadership, null);
        // Without a queue it would be as likely to be elected as those that have waited.
        boolean stepsBack = failed || !election.hasQueue();
        // Not before the answer: it must queue behind those that wait.
        return answer.whenComplete((how, failure) -> campaignIn(
                Math.max(spacing(), stepsBack ? kit.options.refreshInterval().toNanos() : 0)));
    }

    private void lost(Leadership leadership, LossReason reason) {
        Leadership mine = forget(leadership);
        over(leadership, reason);
        if (mine != null && reason != LossReason.CLIENT_CLOSED) {
            campaignIn(spacing());
        }
    }

    /** Removes the present leadership; the caller that receives it must end it. Null if it has ended, or is not the given one. */
    private @Nullable Leadership forget(@Nullable Leadership which) {
        monitor.lock();
        try {
            Leadership present = elected;
            if (which != null && which != present) {
                return null;
            }
            elected = null;
            grace = cancelled(grace);
            return present;
        } finally {
            monitor.unlock();
        }
    }

    private void over(Leadership leadership, @Nullable LossReason reason) {
        leadership.interruptBody();
        kit.execute(() -> leadership.ended(reason));
    }

    private long spacing() {
        monitor.lock();
        try {
            return electedNanos + LEAST_BETWEEN_NANOS - kit.nanoTime();
        } finally {
            monitor.unlock();
        }
    }

    private String inWords() {
        return "the candidate for '" + LogText.name(name()) + "'";
    }

    @Override
    public String toString() {
        Leadership present = leading;
        return "Candidacy[" + LogText.name(name())
                + (present != null && present.isValid() ? ", " + present + "]" : "]");
    }
}
