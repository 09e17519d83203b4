package io.holdfast;

/**
 * Thrown if the lock was not obtained, and an immediate retry would be wrong. The queue is full, an operator dropped the
 * request, the actor itself already holds the lock, or the grant was not confirmed as the options require. It is also thrown if
 * a quarantine is not over, and if work that is done once was already done, or was given up. This call does not hold the lock,
 * and no longer waits.
 */
public final class LockRefusedException extends LockNotObtainedException {
    private static final long serialVersionUID = 1L;

    LockRefusedException(Attempt.NotObtained<?> outcome) {
        super(outcome, outcome.describe());
    }
}
