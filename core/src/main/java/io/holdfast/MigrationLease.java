package io.holdfast;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A lease of the two locks of a {@link MigrationLock}. It is held while both locks are held. */
public final class MigrationLease implements AutoCloseable {
    private final MigrationLock.Taken old;
    private final Lease next;
    private final AtomicBoolean released = new AtomicBoolean();

    MigrationLease(MigrationLock.Taken old, Lease next) {
        this.old = old;
        this.next = next;
    }

    /**
     * Returns the lease of the new lock, with its token and its deadline. Releasing only that lease ends this one, but keeps
     * the old lock.
     */
    public Lease next() {
        return next;
    }

    /** Returns the fencing token of the new lock. Processes that know only the old lock have no token. */
    public long token() {
        return next.token();
    }

    /** Returns whether both locks are held at this instant, as far as the old one can report that. */
    public boolean isValid() {
        return !released.get() && next.isValid() && old.isValid();
    }

    /**
     * Throws an exception if one of the locks is not held at this instant; otherwise does nothing.
     *
     * @throws LeaseLostException if one of them was lost or released
     */
    public void requireValid() {
        if (!isValid()) {
            throw lostException(null);
        }
    }

    /**
     * Returns a stage that completes with the reason when one of the two locks is lost. If the old lock is a
     * {@link java.util.concurrent.locks.Lock}, only the new lock is watched, because the old one does not report a loss.
     */
    public CompletionStage<LossReason> whenLost() {
        CompletableFuture<LossReason> first = new CompletableFuture<>();
        next.whenLost().thenAccept(first::complete);
        PlainLease plain = old.plain();
        if (plain != null) {
            plain.whenLost().thenAccept(first::complete);
        }
        return first.minimalCompletionStage();
    }

    /**
     * Releases the new lock, then the old one. A second release does nothing. If the release of the old lock throws an
     * exception, the exception is passed on, and the new lock has been released.
     *
     * @throws IllegalMonitorStateException if the old lock is a {@link java.util.concurrent.locks.Lock} that another thread
     *     acquired, also at a second release; this call releases nothing
     */
    public void release() {
        old.requireOwner();
        if (released.compareAndSet(false, true)) {
            try {
                next.release();
            } finally {
                old.release();
            }
        }
    }

    /** Releases both locks; see {@link #release()}. */
    @Override
    public void close() {
        release();
    }

    LeaseLostException lostException(@Nullable Object result) {
        return next.isValid()
                ? new LeaseLostException(next.name(), next.token(), LossReason.NOT_ON_SERVER, false, result)
                : next.lostException(result);
    }

    @Override
    public String toString() {
        return "MigrationLease[" + next + (isValid() ? ", both held]" : ", over]");
    }
}
