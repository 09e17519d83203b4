package io.holdfast;

import io.holdfast.internal.wire.LogText;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if work under a lease responded to an interrupt that it got because the lease was about to end, or had ended; see
 * {@link LockOptions#withInterruptBefore}. The cause is the work's own {@code InterruptedException}. The thread's interrupt
 * status is clear, and it may continue with other work. An interrupt by other code at the same time cannot be distinguished. The
 * lease has been released.
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

    /** Returns the lock's name. */
    public String lockName() {
        return lockName;
    }

    /** Returns the token of the lease. */
    public long token() {
        return token;
    }

    /** Returns why the lease was lost before the work had ended; null if it was not lost. */
    public @Nullable LossReason reason() {
        return reason;
    }
}
