package io.holdfast.spring;

/** What a call of a {@link Locked} method does if the lock is not free, or not in time. Never runs the method. */
public enum IfTaken {
    /** Throws {@link io.holdfast.LockTimeoutException}, or {@link io.holdfast.LockRefusedException} if trying again at once would be wrong. */
    THROW,
    /**
     * Returns without a result: nothing for {@code void}, an empty {@code Optional}, a stage of one of these that is complete,
     * an empty {@code Mono} or {@code Flux}. A method that returns anything else fails the start of the application.
     */
    SKIP
}
