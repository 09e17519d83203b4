package io.holdfast.internal.queue;

import io.holdfast.Holder;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastException;
import io.holdfast.LeaseTicket;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerRefusedException;
import io.holdfast.internal.lease.Grant;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.lease.Renewals;
import io.holdfast.internal.lease.Rest;
import io.holdfast.internal.lease.Withdrawals;
import io.holdfast.internal.safety.Assurance;
import io.holdfast.internal.wire.AsyncResults;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LockScripts;
import io.holdfast.internal.wire.LockScripts.ConfirmEntry;
import io.holdfast.internal.wire.LockScripts.Given;
import io.holdfast.internal.wire.LockScripts.Release;
import io.holdfast.internal.wire.LockScripts.RenewEntry;
import io.holdfast.internal.wire.LockScripts.Renewed;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.internal.wire.ServerClock;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one server has granted from its queue.
 *
 * <p><b>Claims.</b> A hold that was handed off begins unconfirmed, with the claim window as its term. It is confirmed by
 * its own timer after {@link #CONFIRM_NANOS}, so that a shorter section costs no extra request, and a longer one soon has
 * the whole term that its caller was promised.
 */
public final class QueueGrant implements Grant {
    private static final long RETRY_NANOS = 100_000_000L;
    /**
     * When a grant by handoff is confirmed. Until then a pause or a silence as long as the claim window loses the lease;
     * on the other hand a lock is handed on at most forty times a second by sections that are longer, so that
     * confirmations cost no more than so many requests.
     */
    private static final long CONFIRM_NANOS = 25_000_000L;

    /** For holders after this one. */
    private static final Duration NOTE_KEPT = Duration.ofDays(7);

    final QueuedRequest request;
    /** Whether nobody else waited, and the server tells this client when others want the lock. */
    public final boolean kept;
    /** When the request left, or the grant was made at the earliest, that told this. */
    public final long knownNanos;

    private final QueueEngine queue;
    private final Keys keys;
    private final String owner;
    private final Given given;
    private final long claimNanos;
    private @Nullable Hold hold; // set before anybody else sees this
    private volatile boolean confirmed;
    private volatile long confirmAt; // meaningful while not confirmed
    private volatile boolean questioned; // whether leases of this client depend on what renewals tell of others
    private volatile int replicas;
    private volatile boolean noted;
    private volatile boolean ticketed; // whether another process may have adopted it
    private volatile long lastToken; // that was used of several; 0 if the hold has only its own

    /** @param claimNanos the claim window; 0 if it is confirmed */
    QueueGrant(QueueEngine queue, QueuedRequest request, Given given, long claimNanos, boolean kept, long knownNanos) {
        this.request = request;
        this.queue = queue;
        this.keys = request.keys;
        this.owner = request.owner;
        this.given = given;
        this.confirmed = claimNanos == 0;
        this.claimNanos = claimNanos;
        this.kept = kept;
        this.knownNanos = knownNanos;
    }

    @Override
    public void of(Hold made) {
        hold = made;
        confirmAt = made.grantedNanos + Math.min(claimNanos / 3, CONFIRM_NANOS);
    }

    public Hold hold() {
        return Objects.requireNonNull(hold);
    }

    @Override
    public String inWords() {
        return LogText.lock(keys.name()) + " with token " + given.token();
    }

    @Override
    public String owner() {
        return owner;
    }

    @Override
    public long token() {
        return given.token();
    }

    @Override
    public List<Integer> slots() {
        return given.slotNumbers();
    }

    @Override
    public Instant since() {
        return ServerClock.instant(given.sinceMicros());
    }

    @Override
    public Optional<Holder> takenOverFrom() {
        return request.takenOverFrom(given.token());
    }

    @Override
    public boolean isHeldOnServer() {
        long sent = queue.kit.nanoTime();
        return AsyncResults.await(
                queue.server,
                callback -> queue.server.scripts(keys).isHeld(keys, owner, given.token(), sent, callback));
    }

    @Override
    public LeaseTicket ticket() {
        if (keys.kind() != Keys.Kind.LOCK) {
            throw new UnsupportedOperationException("a lease of " + inWords()
                    + " has no ticket: other processes can continue only leases of exclusive locks");
        }
        ticketed = true;
        queue.server.mayBeOutlived();
        return new LeaseTicket(
                keys.name(),
                owner,
                Math.max(given.token(), lastToken),
                given.token(),
                hold().options.leaseDuration());
    }

    @Override
    public CompletableFuture<Boolean> note(Outcome by, long noting, String text) {
        demandNotes();
        noting();
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        Duration kept = text.isEmpty() && !by.shown.isCounted() ? Duration.ZERO : NOTE_KEPT;
        String label = text.isEmpty() ? by.shown.label() : by.shown.labelWith(Holder.NOTE, text);
        queue.server.exclusiveScripts.note(keys, owner, noting, label, kept, (held, failure) -> {
            if (held == null) {
                result.completeExceptionally(unanswered("the note", Objects.requireNonNull(failure)));
            } else if (held) {
                by.tell(owner, subject -> new LockEvent.Noted(subject, noting, text));
                result.complete(true);
            } else {
                var unused = gone().thenRun(() -> result.complete(false));
            }
        });
        return result;
    }

    @Override
    public CompletableFuture<Void> wanted(BooleanSupplier lasts, BooleanSupplier here) {
        return queue.waitingRoom.wanted(keys, lasts, here);
    }

    /** Its hold has, or will have, a note, which is not one of a further lease's. */
    public void noting() {
        noted = true;
    }

    @Override
    public boolean isNoted() {
        return noted;
    }

    @Override
    public CompletableFuture<List<Holder>> notes() {
        demandNotes();
        return AsyncResults.of(queue.server, callback -> queue.server.exclusiveScripts.notes(keys, callback));
    }

    private void demandNotes() {
        if (!queue.server.scripts(keys).keepsNotes()) {
            throw noNotes();
        }
    }

    @Override
    public int replicas() {
        return replicas;
    }

    @Override
    public void confirmedBy(int count) {
        replicas = count;
    }

    // ---- handing it out

    /**
     * Gives the lease to whoever asked, once it is as good as the options ask for; else gives the lock back. From now on the
     * hold is looked after.
     *
     * @param told whether it is told as obtained
     */
    void handOut(Handle handle, boolean told) {
        try {
            handOutWhenGood(handle, told);
        } finally {
            hold().lookAfter();
        }
    }

    private void handOutWhenGood(Handle handle, boolean told) {
        Outcome outcome = request.outcome;
        if (!queue.assurance.isWanted(hold().options)) {
            handOut(outcome, handle, told);
            return;
        }
        queue.assurance.of(request).whenComplete((assured, failure) -> {
            if (queue.kit.isClosed()) {
                hold().release();
                outcome.fail(new HoldfastClosedException());
            } else if (assured != null && assured.missing() == null) {
                confirmedBy(assured.replicas());
                hold().handOut().whenComplete((held, problem) -> {
                    if (held != null && held) {
                        handOut(outcome, handle, told);
                    } else {
                        notAssured(null, problem);
                    }
                });
            } else {
                notAssured(assured, failure);
            }
        });
    }

    private void handOut(Outcome outcome, Handle handle, boolean told) {
        if (told) {
            outcome.tellObtained(given.token(), false);
        }
        outcome.hand(handle);
    }

    private void notAssured(Assurance.@Nullable Assured assured, @Nullable Throwable failure) {
        hold().release();
        if (failure instanceof ServerRefusedException refused) {
            request.outcome.fail(refused);
        } else if (failure instanceof DriverException refused && refused.kind() == DriverException.Kind.REJECTED) {
            request.outcome.fail(Refusals.explain(queue.server.describe(), refused));
        } else {
            request.outcome.refuse(
                    assured != null && assured.missing() != null
                            ? request.outcome.because(
                                    assured.missing(), request.outcome.contention, assured.replicas(), Optional.empty())
                            : request.unknown(Refusals.causeOf(failure)));
        }
    }

    // ---- keeping it

    @Override
    public long deadline(long sentNanos, long termNanos) {
        return queue.server.deadline(keys, sentNanos, termNanos);
    }

    @Override
    public boolean isConfirmed() {
        return confirmed;
    }

    @Override
    public long confirmAt() {
        return confirmAt;
    }

    @Override
    public void confirm(long now) {
        confirmAt = now + RETRY_NANOS + queue.kit.options.commandTimeout().toNanos();
        extend(hold().options.leaseDuration(), true).whenComplete((held, failure) -> {
            if (failure != null) {
                confirmAt = queue.kit.nanoTime() + RETRY_NANOS;
                hold().arm();
            }
        });
    }

    @Override
    public void accept(Duration atLeast) {
        queue.server.refuseBeyondQuarantine("atLeast", hold().options, atLeast);
    }

    /** What confirms a claim asks for a whole term at least: renewal begins with it, a third of the term later. */
    @Override
    public CompletableFuture<Boolean> extend(Duration term) {
        return extend(term, false);
    }

    /** @param together whether it may be asked for with those that were granted the lock beside it, which takes a moment */
    private CompletableFuture<Boolean> extend(Duration term, boolean together) {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        LockOptions options = hold().options;
        Duration asked = confirmed || term.compareTo(options.leaseDuration()) > 0 ? term : options.leaseDuration();
        RedisDriver master = queue.server.masterOf(keys);
        askForTerm(asked, together, (held, sent, failure) -> {
            if (held == null) {
                result.completeExceptionally(unanswered(Objects.requireNonNull(failure)));
            } else if (!held) {
                var unused = gone().thenRun(() -> result.complete(false));
            } else if (options.replicas() == 0) {
                result.complete(armed(sent, asked));
            } else {
                queue.assurance
                        .ofRenewal(master, keys, options.replicas(), options.replicaTimeout())
                        .whenComplete((assured, problem) -> {
                            if (assured == null) {
                                result.completeExceptionally(
                                        problem instanceof DriverException known ? unanswered(known) : problem);
                            } else if (assured.missing() != null) {
                                result.completeExceptionally(unanswered(DriverException.unknown(
                                        "too few replicas confirmed the extension: " + assured.replicas(), null)));
                            } else {
                                confirmedBy(assured.replicas());
                                result.complete(armed(sent, asked));
                            }
                        });
            }
        });
        return result;
    }

    private void askForTerm(Duration asked, boolean together, ClaimBatcher.Told told) {
        Duration term = LockScripts.term(hold().options, asked);
        ConfirmEntry entry = new ConfirmEntry(owner, given.token(), term.toMillis());
        LockScripts scripts = queue.server.scripts(keys);
        if (together && scripts.confirmsTogether()) {
            queue.confirms.add(keys, entry, told);
            return;
        }
        long sent = queue.kit.nanoTime();
        scripts.confirm(keys, entry, sent, (held, failure) -> told.told(held, sent, failure));
    }

    private boolean armed(long sent, Duration term) {
        boolean first = !confirmed;
        confirmed = true;
        return hold().armed(deadline(sent, term.toNanos()), first);
    }

    private HoldfastException unanswered(DriverException failure) {
        return unanswered("the extension", failure);
    }

    private HoldfastException unanswered(String what, DriverException failure) {
        String server = queue.server.describe();
        return Refusals.of(server, LogText.lock(keys.name()) + ": " + server + " did not answer " + what, failure);
    }

    /** A line is about to ask, by a renewal, whether others wait. Answers that no line has asked for are not told: they are worth an interval at most. */
    public void question() {
        questioned = true;
    }

    @Override
    public void renew(Renewals.Round round) {
        LockOptions options = hold().options;
        round.add(
                new RenewalLane(
                        queue.server,
                        queue.server.partition(keys),
                        queue.assurance,
                        queue.kit.renewals(),
                        queue.server.scripts(keys),
                        options.replicas() == 0 ? null : queue.server.masterOf(keys)),
                new Part());
    }

    private final class Part implements Renewals.Part {
        @Override
        public Hold hold() {
            return QueueGrant.this.hold();
        }

        @Override
        public RenewEntry entry() {
            long term = LockScripts.term(hold().options).toMillis();
            return new RenewEntry(keys, owner, given.token(), term);
        }

        @Override
        public boolean answered(Renewed how, long sentNanos) {
            if (how == Renewed.GONE) {
                gone();
                return false;
            }
            boolean toConfirm = hold().options.replicas() > 0;
            if (!toConfirm) {
                queue.kit.renewals().renewed(hold(), sentNanos);
            }
            if (how == Renewed.RECALLED) {
                queue.kept().recalled(keys.hold(), given.token()); // no message may have come
            } else if (kept && (questioned || !hold().options.keepFor().isZero())) {
                queue.kept().nobodyElse(keys.hold(), given.token(), sentNanos);
            }
            return toConfirm;
        }
    }

    /**
     * The server says that its owner does not hold the lock. Whoever has given a ticket of it asks first whether another
     * process has adopted it, which is no loss. It is held until that is answered, or its deadline has passed.
     *
     * @return completes when it has ended
     */
    private CompletableFuture<?> gone() {
        if (!ticketed || !hold().active()) {
            hold().lose(LossReason.NOT_ON_SERVER);
            return CompletableFuture.completedFuture(null);
        }
        return isAdopted().handle((adopted, failure) -> {
            if (failure == null && adopted) {
                hold().handOver();
            } else {
                hold().lose(LossReason.NOT_ON_SERVER);
            }
            return null;
        });
    }

    @Override
    public CompletableFuture<Boolean> isAdopted() {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        if (!ticketed) {
            result.complete(false);
            return result;
        }
        queue.server.exclusiveScripts.adopted(keys, owner, Math.max(given.token(), lastToken), (adopted, failure) -> {
            if (adopted != null) {
                result.complete(adopted);
            } else {
                result.completeExceptionally(unanswered(Objects.requireNonNull(failure)));
            }
        });
        return result;
    }

    // ---- its end

    @Override
    public void outlives() {
        queue.server.mayBeOutlived();
    }

    @Override
    public void leaveAlone() {
        queue.actors.end(hold());
    }

    @Override
    public void forget() {
        queue.waitingRoom.remove(request);
    }

    /** How many leases may share it, each with a token of its own. */
    public int tokens() {
        return request.tokens;
    }

    /** The last of several leases of one client has this token: the hold is about to be released, or is that lease's alone. */
    public void lastToken(long last) {
        lastToken = last;
    }

    @Override
    public CompletableFuture<ReleaseResult> release() {
        CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
        Rest rest = reported(hold().rest.get());
        long sent = queue.kit.nanoTime();
        boolean unanswered = request.unanswered();
        Duration tombstone = Withdrawals.tombstone(unanswered);
        long used = request.tokens > QueuedRequest.FEW_TOKENS ? lastToken : 0;
        Release asked = new Release(
                keys, owner, tombstone, rest.sinceGrant(), rest.left(sent), given.token(), used, rest.done());
        queue.server.scripts(keys).release(asked, (reply, failure) -> {
            if (reply == null) {
                queue.withdrawals.takeBack(keys, owner, request.unanswered(), rest);
                result.complete(ReleaseResult.UNCONFIRMED);
                return;
            }
            try {
                if (rest.isNone()) { // else it would end what comes back of it without its rest
                    queue.withdrawals.released(keys, owner, unanswered);
                }
                queue.waitingRoom.observe(keys, reply.state(), sent);
            } finally {
                result.complete(reply.result());
            }
        });
        return result;
    }

    @Override
    public void takeBack(LossReason reason) {
        Rest rest = reported(hold().rest.afterLoss(reason, queue.kit.nanoTime()));
        queue.withdrawals.takeBack(keys, owner, request.unanswered(), rest);
    }

    /** How its lock rests afterwards, which is reported like a hold, unless it is a record: of those there may be many, for long. */
    private Rest reported(Rest rest) {
        if (!rest.isNone() && rest.done() == null) {
            long now = queue.kit.nanoTime();
            queue.kit.lasting().goesOn(keys, now + rest.until(hold().grantedNanos, now));
        }
        return rest;
    }
}
