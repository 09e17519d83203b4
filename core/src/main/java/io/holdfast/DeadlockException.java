package io.holdfast;

import java.util.List;

/**
 * Thrown if the request was ended to break a deadlock, as its options allow ({@link LockOptions.OnDeadlock#BREAK}). This call
 * does not hold the lock, and no longer waits. The other actors of the cycle continue when the actor of this request releases
 * the locks that it still holds.
 */
public final class DeadlockException extends LockNotObtainedException {
    private static final long serialVersionUID = 1L;

    private final WaitCycle cycle;

    DeadlockException(Attempt.NotObtained<?> outcome) {
        super(outcome, outcome.describe());
        this.cycle = outcome.cycle().orElse(new WaitCycle(List.of()));
    }

    /** Returns the actors that waited for each other; the first is the one whose request was ended. */
    public WaitCycle cycle() {
        return cycle;
    }
}
