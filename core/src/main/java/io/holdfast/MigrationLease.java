package io.holdfast;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One hold of the two locks of a {@link MigrationLock}. It is held while both are. */
public final class MigrationLease implements AutoCloseable {
    private final MigrationLock.Taken old;
    private final Lease next;
    private final AtomicBoolean released = new AtomicBoolean();

    MigrationLease(MigrationLock.Taken old, Lease next) {
        this.old = old;
        this.next = next;
    }

    /** The lease of the new lock: its token, its deadline. Releasing it alone ends this lease but keeps the old lock. */
    public Lease next() {
        return next;
    }

    /** The fencing token of the new lock. Processes that know the old lock only have none. */
    public long token() {
        return next.token();
    }

    /** Whether both locks are held at this instant, as far as the old one can report that. */
    public boolean isValid() {
        return !released.get() && next.isValid() && old.isValid();
    }

    /**
     * Does nothing if both are held.
     *
     * @throws LeaseLostException if one of them was lost or released
     */
    public void requireValid() {
        if (!isValid()) {
            throw lostException(null);
        }
    }

    /**
     * A stage that completes when one of the two is lost, with the reason. A {@link java.util.concurrent.locks.Lock} does
     * not report a loss, so that only the new lock is watched there.
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
     * Releases the new lock, then the old one. Releasing twice is harmless. What the old lock throws is passed on; the new
     * one is released then.
     *
     * @throws IllegalMonitorStateException if the old lock is owned by a thread, and this is another one; nothing was
     *     released
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

    /** Releases. */
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
