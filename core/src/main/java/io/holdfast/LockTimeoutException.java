package io.holdfast;

/**
 * Thrown if the lock was not obtained in time because another owner holds it. This call does not hold it, and no longer waits.
 * The {@link #reason()} is {@code TAKEN}, {@code TIMED_OUT} or {@code TRIES_EXHAUSTED}.
 */
public final class LockTimeoutException extends LockNotObtainedException {
    private static final long serialVersionUID = 1L;

    LockTimeoutException(Attempt.NotObtained<?> outcome, String message) {
        super(outcome, message);
    }
}
