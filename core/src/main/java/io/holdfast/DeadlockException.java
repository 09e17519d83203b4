package io.holdfast;

import io.holdfast.internal.wire.Shown;

/**
 * The request was ended to break a deadlock, as its options ask for ({@link LockOptions.OnDeadlock#BREAK}). This call does not
 * hold the lock, and does not wait any more. The others of the cycle go on when its actor releases what it still has.
 */
public final class DeadlockException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final transient Attempt.Deadlocked outcome;

    DeadlockException(Attempt.Deadlocked outcome) {
        super(
                Shown.lock(outcome.lockName()) + " not obtained, the request was ended to break a deadlock: "
                        + outcome.cycle().describe(),
                null);
        this.outcome = outcome;
    }

    /** The lock's name. */
    public String lockName() {
        return outcome.lockName();
    }

    /** Who waited for whom; the first is the one whose request was ended. */
    public WaitCycle cycle() {
        return outcome.cycle();
    }

    /** The same as a value. */
    public Attempt.Deadlocked outcome() {
        return outcome;
    }
}
