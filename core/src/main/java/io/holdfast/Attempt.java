package io.holdfast;

import java.util.Optional;
import java.util.function.Function;

/** The outcome of asking for a lock. Different answers are never merged into one. */
public sealed interface Attempt {

    /**
     * The lock is held.
     *
     * @param lease the hold
     */
    record Obtained(Lease lease) implements Attempt {}

    /** The lock is not held by this call, and that is certain. */
    sealed interface NotObtained extends Attempt {
        /** The lock's name. */
        String lockName();

        /** Who held and who awaited it, by the server's last answer. */
        Contention contention();
    }

    /**
     * Another holder has the lock, and the call did not want to wait.
     *
     * @param lockName the lock's name
     * @param contention who holds it
     */
    record Taken(String lockName, Contention contention) implements NotObtained {}

    /**
     * The lock did not become free in time, and the server has acknowledged that the request has left the queue. Waiting
     * for this takes a round trip longer than the wait; if it does not come, the answer is {@link Unknown}.
     *
     * @param lockName the lock's name
     * @param waitLimit how long the call wanted to wait
     * @param contention who held it, by the server's last answer
     */
    record TimedOut(String lockName, Wait waitLimit, Contention contention) implements NotObtained {}

    /**
     * Another holder has the lock, and as many requests as the call's {@link LockOptions#queueLimit()} allows wait already.
     *
     * @param lockName the lock's name
     * @param contention who holds it, and how many wait
     */
    record QueueFull(String lockName, Contention contention) implements NotObtained {}

    /**
     * The request waited, and an operator dropped it from the queue.
     *
     * @param lockName the lock's name
     * @param contention who held it, by the server's last answer
     */
    record Dropped(String lockName, Contention contention) implements NotObtained {}

    /**
     * The actor that asked holds the lock itself, and the options say to refuse that.
     *
     * @param lockName the lock's name
     * @param contention who holds it, and since when, as this client knows it
     */
    record HeldByCaller(String lockName, Contention contention) implements NotObtained {}

    /**
     * The actor that asks to write has the lock for reading, and the options say that it is not to wait for itself
     * ({@link LockOptions#withReentrancy}). There is no way from reading to writing: two readers that both waited for the other to
     * end would wait for ever. Release the reading lease first, and look again at what was read.
     *
     * @param lockName the lock's name
     * @param contention the actor's own hold
     */
    record Upgrade(String lockName, Contention contention) implements NotObtained {}

    /**
     * The request waited in a deadlock, and was ended to break it ({@link LockOptions.OnDeadlock#BREAK}). The others go on when the
     * actor releases what it still has.
     *
     * @param lockName the lock's name
     * @param contention who held it, by the server's last answer
     * @param cycle who waited for whom; the first is the one whose request was ended
     */
    record Deadlocked(String lockName, Contention contention, WaitCycle cycle) implements NotObtained {}

    /**
     * The server granted the lock, but a failover could have undone the grant, or could undo it yet, and the options ask for
     * more certainty. The lock was given back.
     *
     * @param lockName the lock's name
     * @param contention who held it, by the server's last answer
     * @param reason what is missing
     * @param replicas how many replicas have confirmed the grant; 0 if they were not asked
     */
    record Unconfirmed(String lockName, Contention contention, Reason reason, int replicas) implements NotObtained {
        /** Why a grant was not good enough. */
        public enum Reason {
            /** Fewer replicas have it than {@link LockOptions#replicas()}. */
            REPLICAS,
            /** Leases that the server has forgotten may still be valid: {@link HoldfastOptions#quarantine()}. */
            QUARANTINE
        }
    }

    /**
     * The server did not answer: whether the lock was granted is not known. If it was, the client gives it back in the
     * background.
     *
     * @param lockName the lock's name
     * @param cause what went wrong
     */
    record Unknown(String lockName, ServerUnreachableException cause) implements Attempt {}

    /** The lease, if there is one. */
    default Optional<Lease> asOptional() {
        return this instanceof Obtained obtained ? Optional.of(obtained.lease()) : Optional.empty();
    }

    /**
     * The lease.
     *
     * @throws LockTimeoutException if the lock is taken, or was not free in time
     * @throws LockRefusedException if the queue is full, an operator dropped the request, the actor holds the lock, or
     *     the grant was not confirmed as the options ask for
     * @throws DeadlockException if the request was ended to break a deadlock
     * @throws ServerUnreachableException if the outcome is unknown
     */
    default Lease orElseThrow() {
        if (this instanceof Obtained o) {
            return o.lease();
        } else if (this instanceof Taken t) {
            throw new LockTimeoutException(t.lockName(), Wait.none(), t.contention());
        } else if (this instanceof TimedOut t) {
            throw new LockTimeoutException(t.lockName(), t.waitLimit(), t.contention());
        } else if (this instanceof Deadlocked d) {
            throw new DeadlockException(d);
        } else if (this instanceof NotObtained n) {
            throw new LockRefusedException(n);
        }
        throw ((Unknown) this).cause();
    }

    /** Applies the function for this outcome. The second one gets every kind of {@link NotObtained}. */
    default <R> R fold(
            Function<? super Obtained, ? extends R> obtained,
            Function<? super NotObtained, ? extends R> notObtained,
            Function<? super Unknown, ? extends R> unknown) {
        if (this instanceof Obtained o) {
            return obtained.apply(o);
        } else if (this instanceof NotObtained n) {
            return notObtained.apply(n);
        }
        return unknown.apply((Unknown) this);
    }
}
