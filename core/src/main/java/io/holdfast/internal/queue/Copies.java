package io.holdfast.internal.queue;

import io.holdfast.internal.wire.LockScripts.AcquireReply;
import io.holdfast.internal.wire.LockScripts.AcquireWord;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.spi.DriverException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The copies of one request's acquire: whether one may still be under way, and whether the server may have something of them. Its lock
 * is held for a few instructions; that of the request before is taken inside of it.
 */
final class Copies {
    private static final long FIRST_RETRY_NANOS = 50_000_000L;
    private static final long LONGEST_RETRY_NANOS = 1_000_000_000L;

    private final AtomicInteger sent; // changed under this lock
    private final @Nullable Copies before;
    private int answered; // guarded by this, as what follows
    private boolean placed; // some copy was granted the lock, or a place in the queue
    private boolean handedOff;
    private boolean lost; // a connection broke with a copy on it, which may be sent again
    private volatile @Nullable DriverException lastFailure;
    private volatile long retryNanos = FIRST_RETRY_NANOS;

    /**
     * None yet.
     *
     * @param sent counts them as they leave
     * @param before those of the request that had the owner before; null if there is none
     */
    Copies(AtomicInteger sent, @Nullable Copies before) {
        this.sent = sent;
        this.before = before;
    }

    /**
     * A copy is to leave. A thread that ends the request either counts it and leaves a tombstone, or no copy leaves. A copy that does
     * not leave is never counted, not for a moment: its tombstone would stay for nothing.
     *
     * @param pending whether the request has not ended
     * @return false if it has ended, and no copy leaves
     */
    synchronized boolean leaves(BooleanSupplier pending) {
        if (!pending.getAsBoolean()) {
            return false;
        }
        sent.incrementAndGet();
        return true;
    }

    /** A copy has been answered by the server, or given up. */
    synchronized void heard(@Nullable AcquireReply reply, @Nullable DriverException failure) {
        if (reply != null && (reply.word() == AcquireWord.GRANTED || reply.word() == AcquireWord.QUEUED)) {
            placed = true;
        }
        if (reply != null) {
            retryNanos = FIRST_RETRY_NANOS;
        }
        lastFailure = failure;
        if (failure == null || failure.kind() == DriverException.Kind.REJECTED) {
            answered++;
        } else {
            lost = true;
        }
    }

    /** When to send another one after a failure: later each time, until one is answered. */
    long nextRetryNanos() {
        long next = retryNanos;
        retryNanos = Math.min(LONGEST_RETRY_NANOS, next * 2);
        return next;
    }

    synchronized void handedOff() {
        handedOff = true;
    }

    /** What went wrong with the last one; null if nothing. */
    @Nullable
    DriverException lastFailure() {
        return lastFailure;
    }

    /**
     * Whether a copy of the acquire may still be under way. A handoff proves that the copy that was queued was executed, also where its
     * answer has not come yet: only its own client queues an owner. A copy that was answered otherwise is not that one. After a broken
     * connection a copy may be sent again.
     */
    synchronized boolean unanswered() {
        int executed = handedOff && !placed && !lost ? answered + 1 : answered;
        return sent.get() > executed || (before != null && before.unanswered());
    }

    /**
     * With what the server has refused the request, if nothing of it can be there: the last copy was refused before it was executed,
     * and none before it was granted or queued, or may be under way. Null if that is not so.
     */
    @Nullable
    synchronized DriverException refusal() {
        DriverException last = lastFailure;
        boolean mayBeThere = placed || handedOff || before != null || unanswered();
        return last == null || !Refusals.isTransient(last) || mayBeThere ? null : last;
    }
}
