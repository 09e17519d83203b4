package io.holdfast;

import io.holdfast.internal.wire.LogText;
import org.jspecify.annotations.Nullable;

/** Thrown if a lease was lost, or had ended, before the work under it was done. Another holder may have been active meanwhile. */
public final class LeaseLostException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final String lockName;
    private final long token;
    private final @Nullable LossReason reason;
    private final transient @Nullable Object result;

    /**
     * Creates the exception, for the library, and for tests of code that handles it.
     *
     * @param reason why the lease was lost; null if it was not lost but released, or handed over
     * @param handedOver whether another process has adopted the lease
     * @param result the result of the work under the lease; null if there is none
     */
    public LeaseLostException(
            String lock, long token, @Nullable LossReason reason, boolean handedOver, @Nullable Object result) {
        super(
                reason == null ? "HF-LEASE-OVER" : "HF-LEASE-LOST",
                "lease of " + LogText.lock(lock) + (token == 0 ? "" : " with token " + token)
                        + (handedOver ? " was handed over" : reason == null ? " was released" : " was lost: " + reason),
                null);
        this.lockName = lock;
        this.token = token;
        this.reason = reason;
        this.result = result;
    }

    /** Returns the lock's name. */
    public String lockName() {
        return lockName;
    }

    /** Returns the token of the lease; 0 for a plain lock, which has none. */
    public long token() {
        return token;
    }

    /** Returns why the lease was lost; null if it had been released, or handed over to another process. */
    public @Nullable LossReason reason() {
        return reason;
    }

    /**
     * Returns the result of the work, which ended normally although the lease was lost meanwhile; null if the work returned
     * null, or if there was no work. Serialization does not keep it.
     */
    public @Nullable Object result() {
        return result;
    }
}
