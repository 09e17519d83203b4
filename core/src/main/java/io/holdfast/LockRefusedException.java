package io.holdfast;

import io.holdfast.internal.wire.Shown;

/**
 * The lock was not obtained, and trying again at once would be wrong: the queue is full, an operator dropped the request,
 * the actor holds the lock itself, or the grant was not confirmed as the options ask for. This call does not hold it, and
 * does not wait any more.
 */
public final class LockRefusedException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    private final transient Attempt.NotObtained outcome;

    LockRefusedException(Attempt.NotObtained outcome) {
        super(
                Shown.lock(outcome.lockName()) + " not obtained, " + why(outcome) + ": "
                        + outcome.contention().describe(),
                null);
        this.outcome = outcome;
    }

    private static String why(Attempt.NotObtained outcome) {
        if (outcome instanceof Attempt.QueueFull) {
            return "its queue is full";
        }
        if (outcome instanceof Attempt.Unconfirmed unconfirmed) {
            return unconfirmed.reason() == Attempt.Unconfirmed.Reason.REPLICAS
                    ? "it was granted, but only " + unconfirmed.replicas() + " replicas confirmed that in time"
                    : "it was granted, but the server is new, and leases of before may be valid yet";
        }
        if (outcome instanceof Attempt.Upgrade) {
            return "the actor that asks to write has it for reading; release that lease first";
        }
        return outcome instanceof Attempt.Dropped
                ? "an operator dropped the request"
                : "the actor that asked holds it already";
    }

    /** The lock's name. */
    public String lockName() {
        return outcome.lockName();
    }

    /** Which of the reasons it was: {@code QueueFull}, {@code Dropped}, {@code HeldByCaller}, {@code Upgrade} or {@code Unconfirmed}. */
    public Attempt.NotObtained outcome() {
        return outcome;
    }
}
