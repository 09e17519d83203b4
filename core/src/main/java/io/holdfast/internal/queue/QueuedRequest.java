package io.holdfast.internal.queue;

import io.holdfast.Attempt;
import io.holdfast.Holder;
import io.holdfast.HoldfastException;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.lease.Question;
import io.holdfast.internal.safety.Assurance;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LockScripts.Claim;
import io.holdfast.internal.wire.Notice;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Request} as the other parts of this package know it: what is asked for, and what they may tell it. Any thread may; each call
 * only proposes what is to become of it.
 */
public abstract class QueuedRequest implements Question<Handle>, Assurance.Granted {
    /**
     * The number of tokens reserved for a hold that several leases may share while no other request waits. The hold need not give them
     * back: by the server's clock they are over before another request can come.
     */
    public static final int FEW_TOKENS = 16;

    public final String owner;
    public final Outcome outcome;
    final Keys keys;
    final LockOptions options;
    final Wait waitLimit;
    final int tokens;

    /** @param tokens how many leases may share the hold, one after the other: the server reserves a token for each */
    QueuedRequest(Outcome outcome, String owner, int tokens) {
        this.outcome = outcome;
        this.owner = owner;
        this.tokens = tokens;
        this.keys = outcome.demand.keys();
        this.options = outcome.demand.options();
        this.waitLimit = outcome.demand.waitLimit();
    }

    @Override
    public final Demand demand() {
        return outcome.demand;
    }

    @Override
    public final Account account() {
        return outcome.account();
    }

    final boolean pending() {
        return outcome.pending();
    }

    /** Whether it asks for a hold that several leases of this client are to share, one after the other. */
    final boolean isShared() {
        return tokens > 1;
    }

    // ---- what is known of it

    /** Whether a copy of its acquire may be under way. */
    abstract boolean unanswered();

    /** The stuck holder whom this request took the lock from, and so got the hold with this token. */
    abstract Optional<Holder> takenOverFrom(long token);

    /** The answer for an unknown outcome: the server may have granted or queued the request. */
    abstract Attempt<Handle> unknown(@Nullable DriverException cause);

    // ---- asking

    /** Sends the acquire, for the first time or again. */
    final void ask() {
        ask(() -> {});
    }

    /** @param over runs when this copy was answered or is given up, or is not sent because the request has ended */
    abstract void ask(Runnable over);

    /** The same, to know how long the holder has kept the lock. */
    abstract void askHowLong();

    /** A wait for a stuck lock asks so much later. */
    abstract void askHowLongIn(Duration delay);

    // ---- what it is told

    /** A handoff that was told by message. */
    abstract void grantedByMessage(Notice.Grant grant, long receivedNanos);

    /** A grant that was told in the reply to a request of this client which left at {@code sent}. */
    abstract void grantedByReply(Claim claim, long sent);

    /** The hold with this token was ended by name. */
    abstract void revoked(long token);

    /** Whether the actor's own hold, which may have begun just now, decides what becomes of this request. */
    abstract boolean meetOwnHold();

    /** The lease arrived with too little left, or is over already: it is asked for again. Returns whether it may be. */
    abstract boolean tooLate(Runnable again);

    // ---- its end

    /** Shares the hold that its actor has already. */
    abstract void join(Hold own, Handle handle);

    /** Ends without a lease, and takes back what may have come of it. */
    abstract void finish(Attempt<Handle> attempt);

    abstract void fail(HoldfastException failure);

    /**
     * The wait is over. Whether the request has left the queue, the server has to say: until then it is unknown.
     *
     * @return false if it has ended before
     */
    public abstract boolean timeOut();

    /** An operator has dropped it from the queue. */
    public abstract void evicted();

    /** The client is closed: fails if pending; a hold that has come of it is lost. */
    public abstract void clientClosed();
}
