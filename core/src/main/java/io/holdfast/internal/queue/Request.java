package io.holdfast.internal.queue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holder;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastException;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.OneShot;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.lease.Rest;
import io.holdfast.internal.wire.LockScripts.Acquire;
import io.holdfast.internal.wire.LockScripts.AcquireReply;
import io.holdfast.internal.wire.LockScripts.Claim;
import io.holdfast.internal.wire.LockScripts.Given;
import io.holdfast.internal.wire.LockScripts.State;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Notice;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.spi.DriverException;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request for a lock, from the call to its outcome.
 *
 * <p><b>States.</b> Pending until its {@link Outcome} ends, once: with the {@link Hold} that it obtained, with a {@link Joined}
 * where it shares one, or without either.
 * While pending it may ask any number of times: asking is idempotent, and asking again is how a request is repeated after
 * a failure, how a grant is confirmed before anybody sees it, and how a place in the queue is taken again. A grant that
 * comes after the end is given back at once.
 *
 * <p>Replies come on threads of the driver, the end of the wait on the timer's, withdrawal on any: each only proposes an
 * end, and whoever sets it first is right.
 */
public final class Request extends QueuedRequest {
    /** The end of a request that shares its actor's hold. The caller has the handle. */
    private record Joined(WeakReference<Handle> handle) {}

    /** Why it ends when the server has nothing of it, or has dropped what it had. */
    private static final Set<Reason> NOT_IN_QUEUE =
            EnumSet.of(Reason.TAKEN, Reason.QUEUE_FULL, Reason.DROPPED, Reason.DONE, Reason.GIVEN_UP);
    /** How often a request without a wait asks again for a lease that arrived too late. */
    private static final int MOST_LATE = 3;

    final QueueEngine queue;

    private final @Nullable Request before; // whose owner it has; until this has its hold, no grant is its own
    private final long formerToken; // of the hold before
    private final Reentry reentry;
    private final StuckWait stuckWait;
    private final QueueLife life;
    private final Taken taken;
    private final Copies copies;
    private final AtomicInteger late = new AtomicInteger();
    /** What this client kept for nobody, and gives back for this request; null if nothing, or once it has been waited for. */
    private volatile @Nullable CompletableFuture<ReleaseResult> givenBack;

    public volatile @Nullable QueueGrant obtained; // what its hold stands on; null until that begins
    private volatile Revoked revoked = Revoked.NONE;
    private volatile @Nullable Runnable timer;

    /** @param tokens how many leases may share the hold, one after the other: the server reserves a token for each */
    public Request(QueueEngine queue, Demand demand, int tokens) {
        this(queue, demand, tokens, queue.kit.ids.next(), null, 0);
    }

    /** One that goes on with the hold of another, of which copies may be under way yet, and late notices of its grant. */
    Request(Request before, Demand demand, long token) {
        this(before.queue, demand, 1, before.owner, before, token);
    }

    private Request(
            QueueEngine queue, Demand demand, int tokens, String owner, @Nullable Request before, long formerToken) {
        super(new Outcome(queue.kit, demand, owner, tokens > 1), owner, tokens);
        this.before = before;
        this.formerToken = formerToken;
        this.queue = queue;
        this.copies = new Copies(outcome.asked, before == null ? null : before.copies);
        this.reentry = new Reentry(this, queue.actors);
        this.stuckWait = new StuckWait(this, queue);
        this.life = new QueueLife(this, queue.kit);
        this.taken = new Taken(this, queue);
    }

    /** Asks for the first time. Called once; the stage is given out here and nowhere else. */
    @Override
    public CompletableFuture<Attempt<Handle>> start() {
        CompletableFuture<Attempt<Handle>> result = outcome.stage();
        begin();
        return result;
    }

    /** Its lock may have to stay taken when this process has ended. */
    void outlives() {
        if (!options.minHold().isZero() || !options.lockDelay().isZero()) {
            queue.server.mayBeOutlived();
        }
    }

    /** The same, where the stage was given out before: it may have been withdrawn since, or at this moment. */
    public void begin() {
        outlives();
        queue.waitingRoom.add(this);
        reentry.begin();
        if (!waitLimit.isNone()) {
            Duration limit = waitLimit.limit();
            if (limit != null) {
                Runnable over = waitLimit.untilStuck() ? this::askHowLong : this::timeOut;
                timer = queue.kit.schedule(limit.toNanos(), over);
            }
            life.begin();
        }
        if (queue.kit.isClosed()) {
            clientClosed();
        }
        givenBack = queue.kept().giveBackKept(keys.hold());
        if (!meetOwnHold()) {
            ask();
        }
        if (outcome.hasEndedWithoutHold()) {
            close(); // whoever ended it may have looked before it was known here
        }
    }

    @Override
    void join(Hold own, Handle handle) {
        boolean joined = end(outcome.asked.get() > 0, new Joined(new WeakReference<>(handle)), withdrawal -> {
            outcome.tellObtained(own.token(), true);
            outcome.hand(handle);
        });
        if (!joined) {
            own.leave();
        }
    }

    @Override
    boolean meetOwnHold() {
        return reentry.meet();
    }

    @Override
    Optional<Holder> takenOverFrom(long token) {
        return stuckWait.takenOverFrom(token);
    }

    @Override
    boolean unanswered() {
        return copies.unanswered();
    }

    /** What to tell the caller if the server has refused the request, and nothing of it can be there; null if that is not so. */
    @Nullable
    public HoldfastException refusal() {
        DriverException refused = copies.refusal();
        return refused == null ? null : Refusals.explain(queue.server.describe(), refused);
    }

    /** Asks once more, to know whether the server answers, and tells so. */
    public void probe(Consumer<Boolean> answers) {
        ask(() -> {}, false, answered -> queue.kit.schedule(0, () -> answers.accept(answered)));
    }

    @Override
    void askHowLong() {
        ask(() -> {}, true, answered -> {});
    }

    @Override
    void askHowLongIn(Duration delay) {
        timer = queue.kit.schedule(delay.toNanos(), this::askHowLong);
    }

    @Override
    void ask(Runnable over) {
        ask(over, false, answered -> {});
    }

    /**
     * @param judging whether the answer is to tell how long the holder has kept the lock
     * @param told whether the server has answered this copy, or, if none is sent, the one before; said when everything that
     *     follows from it is known
     */
    private void ask(Runnable over, boolean judging, Consumer<Boolean> told) {
        if (!copies.leaves(this::pending)) {
            over.run();
            told.accept(copies.lastFailure() == null);
            return;
        }
        outcome.tellAsked();
        // Nobody queues before its messages can reach it.
        boolean mayQueue = !waitLimit.isNone() && queue.mailboxes.listening(keys);
        long sent = queue.kit.nanoTime();
        // Turns ask whether others wait; a lock that is kept for nobody needs the message.
        boolean keep = isShared() && (options.keepFor().isZero() || queue.mailboxes.listening(keys));
        LockOptions asked = outcome.firstPlace == 0 ? options : options.withQueueLimit(0); // it stood there before
        var acquire =
                new Acquire(keys, owner, outcome.demand.what(), asked, mayQueue, tokens, keep, outcome.demand.label());
        queue.server.scripts(keys).acquire(acquire, sent, (reply, failure) -> {
            over.run();
            copies.heard(reply, failure);
            if (reply != null) {
                onReply(reply, sent);
                if (judging && pending()) {
                    stuckWait.judge(reply);
                }
            } else if (failure != null) {
                onFailure(failure);
                if (judging && pending()) {
                    timeOut();
                }
            }
            told.accept(reply != null);
        });
    }

    private void onReply(AcquireReply reply, long sent) {
        State state = reply.state();
        if (state != null) {
            outcome.contention = state.contention(reply.place(), reply.waiters(), outcome.demand.what());
        }
        switch (reply.word()) {
            case GRANTED -> {
                long until = queue.server.deadline(
                        keys, sent, options.leaseDuration().toNanos());
                granted(Objects.requireNonNull(reply.given()), until, true, 0, reply.kept(), sent);
            }
            case QUEUED -> {
                boolean begins = outcome.firstPlace == 0;
                if (begins) {
                    outcome.firstPlace = reply.place();
                    outcome.tell(subject -> new LockEvent.Queued(subject, reply.place(), reply.waiters()));
                }
                queue.waitingRoom.queued(this);
                life.queued(reply.place(), reply.waiters());
                boolean met = meetOwnHold(); // it may have begun before this request stood in the line
                if (begins && !met) {
                    queue.waits(this);
                }
            }
            case TAKEN -> {
                CompletableFuture<ReleaseResult> back = givenBack;
                if (waitLimit.isNone() && back != null) {
                    // It was sent before this request, and yet may come after it: where the server had to be given the
                    // script first.
                    givenBack = null;
                    back.whenComplete((how, failure) -> ask());
                } else if (waitLimit.isNone()) {
                    taken.answered(state);
                } else {
                    queue.waitingRoom.askLater(this);
                }
            }
            case FULL -> finish(outcome.because(Reason.QUEUE_FULL, queue.ownWaits.told(outcome)));
            case EVICTED -> evicted();
            case DONE -> finish(outcome.recorded());
            case MORE -> ask();
            case GONE -> {
                // Only a cloned machine can have ended this owner: a pending request is never taken back.
                if (outcome.endWithoutHold()) {
                    close();
                    outcome.refuse(outcome.unknown(new ServerUnreachableException(
                            LogText.lock(keys.name())
                                    + ": the request was withdrawn by another process with the same ids",
                            null)));
                }
            }
        }
        if (state != null) {
            queue.waitingRoom.observe(keys, state, sent);
        }
    }

    private void onFailure(DriverException failure) {
        if (failure.kind() == DriverException.Kind.REJECTED && !Refusals.isTransient(failure)) {
            fail(Refusals.explain(queue.server.describe(), failure));
        } else if (waitLimit.isNone()) {
            HoldfastException refused = refusal();
            if (refused == null) {
                finish(unknown(failure));
            } else {
                fail(refused);
            }
        } else if (pending()) {
            queue.kit.schedule(copies.nextRetryNanos(), () -> queue.repeats.add(this));
        }
    }

    @Override
    Attempt<Handle> unknown(@Nullable DriverException cause) {
        return outcome.unknown(Refusals.unknown(LogText.lock(keys.name()), queue.server.describe(), cause));
    }

    /** Whether a handoff is confirmed before anybody sees the lease, because it has to be good for its whole term. */
    private boolean confirmsFirst() {
        return Demand.needsWholeTerm(options) || queue.assurance.isWanted(options);
    }

    @Override
    void grantedByMessage(Notice.Grant grant, long receivedNanos) {
        if (grant.given().token() <= formerToken || (before != null && pending())) {
            return;
        }
        copies.handedOff();
        Hold hold = outcome.hold();
        if (hold != null) {
            if (grant.given().token() > hold.token()) {
                // The server granted anew, so the hold that we know of had lapsed.
                hold.lose(LossReason.NOT_ON_SERVER);
            }
            return;
        }
        long claimNanos = grant.claimMillis() * 1_000_000;
        OptionalLong deadline =
                queue.server.deadlineOfHandoff(keys, grant.given().sinceMicros(), claimNanos, receivedNanos);
        // What a reading of the clock from long ago has made short could be over before it is confirmed.
        boolean tooShort = deadline.isPresent() && deadline.getAsLong() - receivedNanos < grant.claimMillis() * 500_000;
        if ((deadline.isEmpty() || tooShort || confirmsFirst()) && pending()) {
            ask();
        } else {
            long until = deadline.orElse(receivedNanos);
            granted(grant.given(), until, false, claimNanos, grant.kept(), until - claimNanos);
        }
    }

    @Override
    void grantedByReply(Claim claim, long sent) {
        if (claim.given().token() <= formerToken || (before != null && pending())) {
            return;
        }
        copies.handedOff();
        Object how = outcome.end();
        if (how instanceof Hold hold && claim.given().token() > hold.token()) {
            hold.lose(LossReason.NOT_ON_SERVER);
        } else if (how == null && !claim.confirmed() && confirmsFirst()) {
            ask();
        } else {
            // A confirmed claim lasts for a term on the server, of which the lock-delay is no part of the lease.
            long claimNanos =
                    Math.min(claim.millis() * 1_000_000, options.leaseDuration().toNanos());
            // Others are taken to wait: a message was lost, or the lock went to another line of this client.
            long until = queue.server.deadline(keys, sent, claimNanos);
            granted(claim.given(), until, claim.confirmed(), claimNanos, false, sent);
        }
    }

    private void granted(
            Given given, long deadline, boolean confirmed, long claimNanos, boolean kept, long knownNanos) {
        // Goes round again if another thread ends the request meanwhile: a reply and a message can tell the same grant
        // at the same time, and the one that comes second must not give back what the first has taken.
        while (true) {
            Object how = outcome.end(); // read once: it may end between two looks
            if (how instanceof Hold present) {
                if (present.token() == given.token()) {
                    present.armed(deadline, false); // and looked at: each deadline is warned of
                }
                return;
            }
            if (how != null) {
                // Nobody waits for it any more.
                queue.withdrawals.takeBack(keys, owner, unanswered(), Rest.NONE);
                return;
            }
            ServerRefusedException unfit = queue.server.unfitClock(keys, options);
            if (unfit != null && pending()) {
                fail(unfit);
                return;
            }
            long left = deadline - queue.kit.nanoTime();
            if (left <= Demand.leastLeft(options).toNanos() || revoked.is(given.token(), knownNanos)) {
                tooLate(this::ask);
                return;
            }
            QueueGrant grant = new QueueGrant(queue, this, given, confirmed ? 0 : claimNanos, kept, knownNanos);
            Hold hold = hold(grant, deadline);
            Handle handle = hold.newHandle(); // before anybody can withdraw what has it
            if (queue.assurance.keepsOut()) {
                hold.holdBack();
            }
            queue.kit.surely(() -> {
                if (outcome.endAs(hold)) {
                    cancelTimer();
                    queue.waitingRoom.settled(this);
                    begin(grant);
                    grant.handOut(handle, true);
                }
            });
            if (outcome.end() == hold) {
                return;
            }
        }
    }

    Hold hold(QueueGrant grant, long deadline) {
        return new Hold(outcome, grant, deadline, isShared() ? null : outcome.demand.longest());
    }

    /** Its hold begins, as the actor's. */
    void begin(QueueGrant grant) {
        obtained = grant;
        Hold hold = grant.hold();
        if (!isShared()) { // such a hold belongs to no actor: whoever has its lease at present is another
            queue.actors.begin(hold);
        }
        hold.begin();
        if (revoked.is(hold.token(), grant.knownNanos)) {
            hold.lose(LossReason.REVOKED); // told since the grant was looked at
        }
        if (!queue.kit.isClosed() && queue.actors.anyReentrantPending()) {
            queue.waitingRoom.ownHoldBegan(hold);
        }
    }

    @Override
    boolean tooLate(Runnable again) {
        if (waitLimit.isNone() && late.incrementAndGet() > MOST_LATE) {
            finish(unknown(DriverException.unknown("answers take longer than the lease duration allows", null)));
            return false;
        }
        again.run();
        return true;
    }

    @Override
    public boolean timeOut() {
        return end(outcome.asked.get() > 0, null, withdrawal -> {
            HoldfastException refused = refusal(); // of a request that has ended: no copy follows
            if (refused != null) {
                outcome.fail(refused);
            } else {
                OneShot.after(
                        withdrawal,
                        (acknowledged, failure) -> outcome.refuse(() -> acknowledged != null && acknowledged
                                ? outcome.because(Reason.TIMED_OUT, queue.ownWaits.told(outcome))
                                : unknown(copies.lastFailure())));
            }
        });
    }

    @Override
    void revoked(long token) {
        revoked = new Revoked(token, queue.kit.nanoTime()); // first: whoever makes a hold of it now looks again
        Hold hold = outcome.hold();
        if (hold != null && hold.token() == token) {
            hold.lose(LossReason.REVOKED);
        }
    }

    @Override
    public void evicted() {
        finish(outcome.because(Reason.DROPPED));
    }

    @Override
    void finish(Attempt<Handle> attempt) {
        boolean notInQueue = attempt instanceof Attempt.NotObtained<Handle> not && NOT_IN_QUEUE.contains(not.reason());
        boolean nothingLeft = notInQueue || outcome.asked.get() == 0;
        end(!nothingLeft, null, withdrawal -> outcome.refuse(attempt));
    }

    @Override
    void fail(HoldfastException failure) {
        end(outcome.asked.get() > 0, null, withdrawal -> outcome.fail(failure));
    }

    /**
     * Withdraws the request because its caller went away: interrupted, cancelled, or completed from outside. A lease that
     * was obtained already is released.
     */
    @Override
    public void withdraw() {
        if (end(true, null, withdrawal -> outcome.fail(new CancellationException()))) {
            return;
        }
        // By its own handle, which leaves once: others may have entered the hold.
        // The release repeats itself if it is not answered.
        Object how = outcome.end();
        Handle handle = how instanceof Hold hold
                ? hold.firstHandle()
                : how instanceof Joined joined ? joined.handle().get() : null;
        if (handle != null) {
            var unused = handle.leave();
        }
    }

    @Override
    public void clientClosed() {
        fail(new HoldfastClosedException());
        Hold hold = outcome.hold();
        if (hold != null) {
            hold.clientClosed();
            outcome.fail(new HoldfastClosedException()); // if it was still held back
        }
    }

    /**
     * Ends the request without a hold of its own; whether this call has. An error on the way does not keep what follows from being done.
     *
     * @param takeBack whether something of it may be on the server although all copies of its acquire were answered
     * @param joined what it shares in place of a hold of its own; null if nothing
     * @param then is given whether the server acknowledges that nothing of the request is left, once that is known
     */
    private boolean end(boolean takeBack, @Nullable Joined joined, Consumer<CompletableFuture<Boolean>> then) {
        Object how = joined == null ? outcome.withoutHold() : joined;
        queue.kit.ending();
        try {
            queue.kit.surely(() -> {
                if (outcome.endAs(how)) {
                    close();
                    then.accept(
                            takeBack || unanswered()
                                    ? queue.withdrawals.withdraw(keys, owner, unanswered())
                                    : CompletableFuture.completedFuture(true));
                }
            });
            return outcome.end() == how;
        } finally {
            queue.kit.ended();
        }
    }

    @Override
    public boolean waitEndsBefore(long nanos) {
        Duration limit = waitLimit.limit();
        return waitLimit.isNone()
                || (limit != null && !waitLimit.untilStuck() && outcome.startNanos + limit.toNanos() - nanos < 0);
    }

    @Override
    public boolean isOver() {
        Object how = outcome.end();
        return how instanceof Hold hold ? !hold.active() : how != null;
    }

    private void close() {
        cancelTimer();
        queue.waitingRoom.remove(this);
    }

    private void cancelTimer() {
        reentry.end();
        Runnable cancel = timer;
        if (cancel != null) {
            cancel.run();
        }
        life.end();
    }
}
