package io.holdfast;

import java.util.Optional;
import java.util.function.Function;

/** The outcome of asking for a plain lock. Five answers that are never merged into one. */
public sealed interface PlainAttempt {

    /**
     * The lock is held.
     *
     * @param lease the hold
     */
    record Obtained(PlainLease lease) implements PlainAttempt {}

    /**
     * Another holder has the lock, and the call did not want to wait.
     *
     * @param key the key
     * @param holder who holds it
     */
    record Taken(String key, PlainHolder holder) implements PlainAttempt {}

    /**
     * The lock was not free when the wait was over.
     *
     * @param key the key
     * @param waitLimit how long the call wanted to wait
     * @param holder who held it, by the server's last answer
     */
    record TimedOut(String key, Wait waitLimit, PlainHolder holder) implements PlainAttempt {}

    /**
     * The lock was not free at any of the attempts that were allowed.
     *
     * @param key the key
     * @param attempts how many there were
     * @param holder who held it at the last
     */
    record AttemptsExhausted(String key, int attempts, PlainHolder holder) implements PlainAttempt {}

    /**
     * The server did not answer: whether the lock was granted is not known. If it was, the client gives it back in the
     * background.
     *
     * @param key the key
     * @param cause what went wrong
     */
    record Unknown(String key, ServerUnreachableException cause) implements PlainAttempt {}

    /** The lease, if there is one. */
    default Optional<PlainLease> asOptional() {
        return this instanceof Obtained obtained ? Optional.of(obtained.lease()) : Optional.empty();
    }

    /**
     * The lease.
     *
     * @throws LockTimeoutException if the lock is taken, was not free in time, or not free at any attempt
     * @throws ServerUnreachableException if the outcome is unknown
     */
    default PlainLease orElseThrow() {
        if (this instanceof Obtained o) {
            return o.lease();
        } else if (this instanceof Taken t) {
            throw new LockTimeoutException(t.key(), "wait none", t.holder());
        } else if (this instanceof TimedOut t) {
            throw new LockTimeoutException(t.key(), "wait " + t.waitLimit(), t.holder());
        } else if (this instanceof AttemptsExhausted u) {
            throw new LockTimeoutException(
                    u.key(), u.attempts() + (u.attempts() == 1 ? " attempt" : " attempts"), u.holder());
        }
        throw ((Unknown) this).cause();
    }

    /** Applies the function for this outcome. */
    default <R> R fold(
            Function<? super Obtained, ? extends R> obtained,
            Function<? super Taken, ? extends R> taken,
            Function<? super TimedOut, ? extends R> timedOut,
            Function<? super AttemptsExhausted, ? extends R> usedUp,
            Function<? super Unknown, ? extends R> unknown) {
        if (this instanceof Obtained o) {
            return obtained.apply(o);
        } else if (this instanceof Taken t) {
            return taken.apply(t);
        } else if (this instanceof TimedOut t) {
            return timedOut.apply(t);
        } else if (this instanceof AttemptsExhausted u) {
            return usedUp.apply(u);
        }
        return unknown.apply((Unknown) this);
    }
}
