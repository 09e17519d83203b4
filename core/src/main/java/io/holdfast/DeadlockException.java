package io.holdfast;

import java.util.List;

/**
 * The request was ended to break a deadlock, as its options ask for ({@link LockOptions.OnDeadlock#BREAK}). This call does not
 * hold the lock, and does not wait any more. The others of the cycle go on when its actor releases what it still has.
 */
public final class DeadlockException extends LockNotObtainedException {
    private static final long serialVersionUID = 1L;

    private final WaitCycle cycle;

    DeadlockException(Attempt.NotObtained<?> outcome) {
        super(outcome, outcome.describe());
        this.cycle = outcome.cycle().orElse(new WaitCycle(List.of()));
    }

    /** Who waited for whom; the first is the one whose request was ended. */
    public WaitCycle cycle() {
        return cycle;
    }
}
