package io.holdfast;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the lock was certainly not obtained: this call does not hold it, and no longer waits. {@link #reason()} says why;
 * callers can catch a subclass for the reasons that they treat differently.
 */
public abstract sealed class LockNotObtainedException extends HoldfastException
        permits LockTimeoutException, LockRefusedException, DeadlockException {
    private static final long serialVersionUID = 1L;

    private final String lockName;
    private final Attempt.Reason reason;
    // What is known of the others, in parts: an Optional cannot be serialized.
    private final @Nullable Holder holder;
    private final Duration remaining;
    private final int position;
    private final int waiters;
    private final Contention.@Nullable Sharing sharing;
    private final @Nullable Instant heldByCallerSince;

    LockNotObtainedException(Attempt.NotObtained<?> outcome, String message) {
        super(codeOf(outcome.reason()), message, null);
        Contention contention = outcome.contention();
        this.lockName = outcome.lockName();
        this.reason = outcome.reason();
        this.holder = contention.holder().orElse(null);
        this.remaining = contention.remaining();
        this.position = contention.position();
        this.waiters = contention.waiters();
        this.sharing = contention.sharing().orElse(null);
        this.heldByCallerSince = contention.heldByCallerSince().orElse(null);
    }

    static LockNotObtainedException of(Attempt.NotObtained<?> outcome) {
        return switch (outcome.reason()) {
            case TAKEN, TIMED_OUT, TRIES_EXHAUSTED -> new LockTimeoutException(outcome, outcome.describe());
            case DEADLOCK -> new DeadlockException(outcome);
            default -> new LockRefusedException(outcome);
        };
    }

    private static String codeOf(Attempt.Reason reason) {
        return "HF-" + reason.name().replace('_', '-');
    }

    /** Returns the lock's name, or the key of a plain lock; for several locks, the name of the one that was not obtained. */
    public String lockName() {
        return lockName;
    }

    /** Returns why the lock was not obtained. */
    public Attempt.Reason reason() {
        return reason;
    }

    /** Returns the state that the server last reported: holder, position, number of waiters. */
    public Contention contention() {
        return new Contention(
                Optional.ofNullable(holder),
                remaining,
                position,
                waiters,
                Optional.ofNullable(sharing),
                Optional.ofNullable(heldByCallerSince));
    }
}
