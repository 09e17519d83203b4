package io.holdfast.internal.lease;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Contention;
import io.holdfast.Holder;
import io.holdfast.HoldfastClosedException;
import io.holdfast.LockEvent;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.WaitCycle;
import io.holdfast.internal.lease.Question.Account;
import io.holdfast.internal.wire.OwnerIds;
import io.holdfast.internal.wire.Trouble;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a request ends: once. All ways of asking have one, and so has each hold, which comes of a request.
 *
 * <p><b>States.</b> Pending until {@link #endAs} is called, by whoever proposes an end first: a reply, a message, a timer, or
 * the caller. A request that has ended is then answered once, perhaps later: when a withdrawal was acknowledged, or a lease is
 * as good as its options ask for.
 */
public final class Outcome {
    /** The end of a request that has no hold. Each is itself and no other: whoever has set it can go on after an error. */
    private static final class Ended {}

    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final AtomicReferenceFieldUpdater<Outcome, @Nullable Object> END =
            AtomicReferenceFieldUpdater.newUpdater(Outcome.class, Object.class, "end");

    public final Kit kit;
    public final Demand demand;
    public volatile Demand shown; // beside its hold: as demanded, and of a try with its number
    private volatile String owner;
    public final long number;
    public final long startNanos;
    private final boolean silent;

    /** How often the server was asked. */
    public final AtomicInteger asked = new AtomicInteger();
    /** What is known of the others. */
    public volatile Contention contention = Contention.NOTHING_KNOWN;
    /** The place in the queue when it was first queued; 0 if it never was. */
    public volatile int firstPlace;
    /** What is being recorded of the hold that came of it. */
    private volatile Recorder.@Nullable Span recorded;

    private volatile @Nullable Object end;
    /** Null once completed: it would keep the lease reachable, and a forgotten lease would be renewed for ever. */
    private volatile @Nullable CompletableFuture<Attempt<Handle>> stage = new CompletableFuture<>();

    /**
     * The outcome of a request that begins now.
     *
     * @param owner by which events name it
     * @param silent whether others report how it and its hold end: the leases that share the hold
     */
    public Outcome(Kit kit, Demand demand, String owner, boolean silent) {
        this.kit = kit;
        this.demand = demand;
        this.shown = demand;
        this.owner = owner;
        this.silent = silent;
        this.number = kit.nextNumber();
        this.startNanos = kit.nanoTime();
    }

    /** To be given out once, when it begins. */
    public CompletableFuture<Attempt<Handle>> stage() {
        return Objects.requireNonNull(stage);
    }

    public boolean pending() {
        return end == null;
    }

    /** What it has ended with; null if it is pending. */
    public @Nullable Object end() {
        return end;
    }

    /** The hold that it has ended with; null if there is none. To know more than that of one moment, read {@link #end}. */
    public @Nullable Hold hold() {
        return end instanceof Hold hold ? hold : null;
    }

    /** Ends it; whether it has ended by this, also if an earlier call with the same has done so. */
    public boolean endAs(Object how) {
        return END.compareAndSet(this, null, how) || end == how;
    }

    /** An end for {@link #endAs} without a hold. */
    public Object withoutHold() {
        return new Ended();
    }

    /** Ends it without a hold; whether this call has. */
    public boolean endWithoutHold() {
        return endAs(withoutHold());
    }

    public boolean hasEndedWithoutHold() {
        return end instanceof Ended;
    }

    // ---- events

    /** It asks by another's request, whose owner events name from now on. */
    public void standsBy(String other) {
        owner = other;
    }

    public void tell(Function<LockEvent.Subject, LockEvent> event) {
        tell(owner, event);
    }

    /** The same of a hold that has another owner, for which others asked. */
    public void tell(String holder, Function<LockEvent.Subject, LockEvent> event) {
        Recorder recorder = Recorder.present();
        kit.events()
                .tell(
                        demand,
                        holder,
                        event,
                        recorder.listens() ? made -> recorded = recorder.tell(account(holder), made, recorded) : null);
    }

    /** Whether anybody may hear of what is told. */
    public boolean isHeard() {
        return recorded != null || kit.events().areHeard(demand.options());
    }

    /** What is being recorded of its hold is over: it goes on as another, of which is told. */
    public void recordOver(String how) {
        Recorder.Span span = recorded;
        if (span != null) {
            recorded = null;
            span.over(account(), how);
        }
    }

    /** What a recording shows of it. */
    public Account account() {
        return account(owner);
    }

    private Account account(String holder) {
        return new Account(
                demand.keys().name(),
                demand.what().mode().name(),
                holder.isEmpty() ? "" : OwnerIds.publicPart(holder),
                demand.actorName(),
                demand.options().group(),
                shown(),
                firstPlace,
                asked.get());
    }

    /** For events and recordings. All that is known of a plain lock's holder is a value, with which their reader could free the key. */
    private Contention shown() {
        return demand.keys().isPlain() ? Contention.NOTHING_KNOWN : contention;
    }

    /** Tells what leases that share a hold tell for themselves. */
    void tellUnlessShared(Function<LockEvent.Subject, LockEvent> event) {
        if (!silent) {
            tell(event);
        }
    }

    /** The log tells of something that needs a look. */
    void warn(String what) {
        LOG.log(System.Logger.Level.WARNING, what);
    }

    // Ends of its lease are counted and told here, unless leases that share its hold do so for themselves.

    void tellLost(Hold hold, LossReason reason) {
        tellEnd(hold, true, (subject, held) -> new LockEvent.Lost(subject, hold.token(), held, reason));
    }

    void tellHandedOver(Hold hold) {
        tellEnd(hold, false, (subject, held) -> new LockEvent.HandedOver(subject, hold.token(), held));
    }

    void tellReleased(Hold hold, ReleaseResult how) {
        tellEnd(
                hold,
                false,
                (subject, held) -> new LockEvent.Released(
                        subject, hold.token(), hold.options.leaseDuration(), hold.waited(), held, how));
    }

    private void tellEnd(Hold hold, boolean lost, BiFunction<LockEvent.Subject, Duration, LockEvent> event) {
        if (!silent) {
            Duration held = kit.since(hold.grantedNanos);
            countEnd(held, lost);
            tell(subject -> event.apply(subject, held));
        }
    }

    /** Counts a lease that its caller gets. */
    public void countObtained(Duration waited, int place) {
        kit.figures().obtained(demand.keys(), kit.nanoTime(), waited, place > 0);
    }

    /** Counts a lease that is over. */
    public void countEnd(Duration held, boolean lost) {
        kit.figures().ended(demand.keys(), kit.nanoTime(), held, lost);
    }

    public void tellAsked() {
        kit.events().tellAsked(demand, owner, asked.get());
    }

    public void tellObtained(long token, boolean reentered) {
        if (!silent && !reentered) {
            countObtained(kit.since(startNanos), firstPlace);
        }
        tellUnlessShared(subject -> new LockEvent.Obtained(
                subject,
                token,
                demand.options().leaseDuration(),
                kit.since(startNanos),
                asked.get(),
                firstPlace,
                reentered));
    }

    // ---- the answer

    /** Whether the caller gets it by this call. */
    public boolean hand(Handle handle) {
        return complete(new Attempt.Obtained<>(handle), null);
    }

    public void refuse(Attempt<Handle> refusal) {
        refuse(() -> refusal);
    }

    /** A refusal, with what is known of the others. */
    public Attempt.NotObtained<Handle> because(Reason reason) {
        return because(reason, contention);
    }

    /** There is a record. */
    public Attempt.NotObtained<Handle> recorded() {
        boolean givenUp = contention.holder().filter(Holder::isGivenUp).isPresent();
        return because(givenUp ? Reason.GIVEN_UP : Reason.DONE);
    }

    public Attempt.NotObtained<Handle> because(Reason reason, Contention known) {
        return because(reason, known, 0, Optional.empty());
    }

    /** The same, with what some reasons need besides. */
    public Attempt.NotObtained<Handle> because(
            Reason reason, Contention known, int replicas, Optional<WaitCycle> cycle) {
        return new Attempt.NotObtained<>(
                demand.keys().name(), reason, known, demand.waitLimit(), asked.get(), replicas, cycle);
    }

    /** Nobody knows whether it was granted. */
    public Attempt<Handle> unknown(ServerUnreachableException cause) {
        return new Attempt.Unknown<>(demand.keys().name(), cause);
    }

    /** The same; an error on the way to the refusal is the answer in its place. */
    public void refuse(Supplier<Attempt<Handle>> refusal) {
        try {
            complete(refusal.get(), null);
        } catch (RuntimeException | Error e) {
            complete(null, e);
            throw e;
        }
    }

    public void fail(Throwable failure) {
        complete(null, failure);
    }

    /** Whether that was done. */
    public boolean isAnswered() {
        CompletableFuture<Attempt<Handle>> present = stage;
        return present == null || present.isDone();
    }

    private boolean complete(@Nullable Attempt<Handle> answer, @Nullable Throwable failure) {
        CompletableFuture<Attempt<Handle>> result = stage;
        if (result == null) {
            return false;
        }
        if (!(answer instanceof Attempt.Obtained)) {
            try {
                Reason reason = reasonOf(answer, failure);
                if (!silent) {
                    kit.figures().notObtained(demand.keys(), kit.nanoTime(), reason);
                }
                tellUnlessShared(subject ->
                        new LockEvent.NotObtained(subject, reason, kit.since(startNanos), asked.get(), shown()));
            } catch (RuntimeException | Error e) {
                Trouble.report("the end of a request could not be reported to listeners", e);
            }
        }
        boolean first = answer != null
                ? result.complete(answer)
                : result.completeExceptionally(Objects.requireNonNull(failure));
        stage = null;
        return first;
    }

    /** Why a request ended without a hold: what it was told, or what it failed with. */
    public static Reason reasonOf(@Nullable Attempt<?> refusal, @Nullable Throwable failure) {
        if (refusal instanceof Attempt.NotObtained<?> not) {
            return not.reason();
        } else if (refusal != null) {
            return Reason.UNKNOWN;
        } else if (failure instanceof CancellationException) {
            return Reason.WITHDRAWN;
        }
        return failure instanceof HoldfastClosedException ? Reason.CLOSED : Reason.REFUSED;
    }
}
