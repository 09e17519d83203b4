package io.holdfast;

/**
 * The lock was not obtained in time: another holder has it. This call does not hold it and does not wait any more. The
 * {@link #reason()} is {@code TAKEN}, {@code TIMED_OUT} or {@code TRIES_EXHAUSTED}.
 */
public final class LockTimeoutException extends LockNotObtainedException {
    private static final long serialVersionUID = 1L;

    LockTimeoutException(Attempt.NotObtained<?> outcome, String message) {
        super(outcome, message);
    }
}
