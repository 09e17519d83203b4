package io.holdfast;

import java.util.Optional;
import java.util.function.Function;

/** How asking for a lock ended. Four answers that are never folded into each other. */
public sealed interface Attempt {

    /**
     * The lock is held.
     *
     * @param held the hold
     */
    record Obtained(Lease held) implements Attempt {}

    /**
     * Somebody else holds the lock, and the call did not want to wait.
     *
     * @param lock the lock's name
     * @param contention who holds it
     */
    record Taken(String lock, Contention contention) implements Attempt {}

    /**
     * The lock did not become free in time, and the server has acknowledged that the request has left the queue. Waiting
     * for this takes a round trip longer than the wait; if it does not come, the answer is {@link Unknown}.
     *
     * @param lock the lock's name
     * @param waitLimit how long the call wanted to wait
     * @param contention who held it when the server last told
     */
    record TimedOut(String lock, Wait waitLimit, Contention contention) implements Attempt {}

    /**
     * The server did not answer: whether the lock was granted is not known. If it was, the client gives it back in the
     * background.
     *
     * @param lock the lock's name
     * @param cause what went wrong
     */
    record Unknown(String lock, ServerUnreachableException cause) implements Attempt {}

    /** The lease, if there is one. */
    default Optional<Lease> lease() {
        return this instanceof Obtained obtained ? Optional.of(obtained.held()) : Optional.empty();
    }

    /**
     * The lease.
     *
     * @throws LockTimeoutException if the lock is taken, or was not free in time
     * @throws ServerUnreachableException if the outcome is unknown
     */
    default Lease orElseThrow() {
        if (this instanceof Obtained o) {
            return o.held();
        } else if (this instanceof Taken t) {
            throw new LockTimeoutException(t.lock(), Wait.none(), t.contention());
        } else if (this instanceof TimedOut t) {
            throw new LockTimeoutException(t.lock(), t.waitLimit(), t.contention());
        }
        throw ((Unknown) this).cause();
    }

    /** Goes one of four ways. */
    default <R> R fold(
            Function<? super Obtained, ? extends R> obtained,
            Function<? super Taken, ? extends R> taken,
            Function<? super TimedOut, ? extends R> timedOut,
            Function<? super Unknown, ? extends R> unknown) {
        if (this instanceof Obtained o) {
            return obtained.apply(o);
        } else if (this instanceof Taken t) {
            return taken.apply(t);
        } else if (this instanceof TimedOut t) {
            return timedOut.apply(t);
        }
        return unknown.apply((Unknown) this);
    }
}
