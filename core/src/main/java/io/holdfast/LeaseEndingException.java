package io.holdfast;

import io.holdfast.internal.wire.LogText;
import org.jspecify.annotations.Nullable;

/**
 * Work under a lease was interrupted because the lease was about to end, or had ended, and heeded that: see
 * {@link LockOptions#withInterruptBefore}. The cause is the work's own {@code InterruptedException}. No other code asked
 * the thread to end: its interrupt status is clear, and it may go on with something else. The lease has been released.
 */
public final class LeaseEndingException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final String lockName;
    private final long token;
    private final @Nullable LossReason reason;

    LeaseEndingException(String lock, long token, @Nullable LossReason reason, InterruptedException cause) {
        super(
                "HF-LEASE-ENDING",
                "work under the lease of " + LogText.lock(lock) + " with token " + token
                        + " was interrupted: the lease "
                        + (reason == null ? "was about to end" : "was lost: " + reason),
                cause);
        this.lockName = lock;
        this.token = token;
        this.reason = reason;
    }

    /** The lock's name. */
    public String lockName() {
        return lockName;
    }

    /** The token of the lease. */
    public long token() {
        return token;
    }

    /** Why the lease was lost before the work had ended; null if it was still held then. */
    public @Nullable LossReason reason() {
        return reason;
    }
}
