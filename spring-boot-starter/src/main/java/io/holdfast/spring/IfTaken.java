package io.holdfast.spring;

/** The outcome of a call of a {@link Locked} method if the lock was not free in time. In each case the method does not run. */
public enum IfTaken {
    /**
     * The call throws {@link io.holdfast.LockTimeoutException}, or {@link io.holdfast.LockRefusedException} if it would be wrong
     * to try again at once.
     */
    THROW,
    /**
     * The call returns without a result: nothing for {@code void}, an empty {@code Optional}, a completed stage of one of these,
     * an empty {@code Mono} or {@code Flux}. A {@code suspend} function returns null or {@code Unit}. If the method has another
     * return type, the application does not start.
     */
    SKIP
}
