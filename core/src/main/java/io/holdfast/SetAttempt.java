package io.holdfast;

import java.util.Optional;
import java.util.function.Function;

/** The outcome of asking for several locks. Different answers are never merged into one. */
public sealed interface SetAttempt {

    /**
     * All locks are held.
     *
     * @param lease the holds
     */
    record Obtained(LeaseSet lease) implements SetAttempt {}

    /**
     * Not all locks could be had, and none of them is held by this call: what was obtained has been released. A release that
     * the server did not answer is repeated in the background.
     *
     * @param lockName the name of the lock that was not obtained; those after it were not asked for
     * @param why the answer for this lock. Where the call waited it is {@link Attempt.TimedOut} with the wait of the whole
     *     set; so it is, also if the call did not want to wait, where the lock was obtained and lost before the others were
     *     obtained, and nothing of the wait was left to begin anew
     */
    record NotAll(String lockName, Attempt.NotObtained why) implements SetAttempt {}

    /**
     * The server of one of the locks did not answer: whether that lock was granted is not known. If it was, the client gives
     * it back in the background, and so it does with the others.
     *
     * @param lockName the name of that lock
     * @param cause what went wrong
     */
    record Unknown(String lockName, ServerUnreachableException cause) implements SetAttempt {}

    /** The lease of all, if there is one. */
    default Optional<LeaseSet> asOptional() {
        return this instanceof Obtained obtained ? Optional.of(obtained.lease()) : Optional.empty();
    }

    /**
     * The lease of all.
     *
     * @throws LockTimeoutException if one of the locks is taken, or was not free in time; it names that lock
     * @throws LockRefusedException if the queue of one is full, an operator dropped a request, the actor holds one, or a
     *     grant was not confirmed as the options ask for; it names that lock
     * @throws DeadlockException if the request was ended to break a deadlock
     * @throws ServerUnreachableException if the outcome is unknown
     */
    default LeaseSet orElseThrow() {
        if (this instanceof Obtained o) {
            return o.lease();
        } else if (this instanceof NotAll n) {
            n.why().orElseThrow();
        }
        throw ((Unknown) this).cause();
    }

    /** Applies the function for this outcome. */
    default <R> R fold(
            Function<? super Obtained, ? extends R> obtained,
            Function<? super NotAll, ? extends R> notAll,
            Function<? super Unknown, ? extends R> unknown) {
        if (this instanceof Obtained o) {
            return obtained.apply(o);
        } else if (this instanceof NotAll n) {
            return notAll.apply(n);
        }
        return unknown.apply((Unknown) this);
    }
}
