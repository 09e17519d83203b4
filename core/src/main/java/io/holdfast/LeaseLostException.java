package io.holdfast;

import io.holdfast.internal.wire.LogText;
import org.jspecify.annotations.Nullable;

/** A lease was lost, or had ended, before the work under it was done. Another holder may have been active meanwhile. */
public final class LeaseLostException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final String lockName;
    private final long token;
    private final @Nullable LossReason reason;
    private final transient @Nullable Object result;

    /**
     * For the library, and for tests of code that handles it.
     *
     * @param reason why the lease was lost; null if it was not lost but released, or handed over
     * @param handedOver whether another process has gone on with the lease
     * @param result of the work that was done under the lease; null if there is none
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

    /** The lock's name. */
    public String lockName() {
        return lockName;
    }

    /** The token of the lease; 0 for a plain lock, which has none. */
    public long token() {
        return token;
    }

    /** Why it was lost; null if it had been released, or handed over to another process. */
    public @Nullable LossReason reason() {
        return reason;
    }

    /**
     * What the body of a scoped call returned although the lease was lost meanwhile; null if it returned null, or if there
     * was no body. Serialization does not keep it.
     */
    public @Nullable Object result() {
        return result;
    }
}
