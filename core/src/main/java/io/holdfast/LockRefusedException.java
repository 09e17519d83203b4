package io.holdfast;

/**
 * The lock was not obtained, and trying again at once would be wrong: the queue is full, an operator dropped the request,
 * the actor holds the lock itself, work that is done once was given up, or the grant was not confirmed as the options ask
 * for. This call does not hold it, and does not wait any more.
 */
public final class LockRefusedException extends LockNotObtainedException {
    private static final long serialVersionUID = 1L;

    LockRefusedException(Attempt.NotObtained<?> outcome) {
        super(outcome, outcome.describe());
    }
}
