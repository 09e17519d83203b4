package io.holdfast;

import io.holdfast.internal.wire.LogText;
import java.util.Optional;
import java.util.function.Function;

/**
 * The outcome of a request for a lock of any kind, for permits, or for several locks. There are three outcomes:
 * {@link Obtained}, {@link NotObtained}, which is certain, and {@link Unknown}.
 *
 * @param <L> type of the lease
 */
public sealed interface Attempt<L> {

    /**
     * The outcome that the lock is held.
     *
     * @param lease the lease, or the lease of all locks of a set
     */
    record Obtained<L>(L lease) implements Attempt<L> {}

    /**
     * The outcome that this call certainly does not hold the lock. Of several locks it holds none: all that were obtained have
     * been released. A release that the server did not answer is repeated in the background.
     *
     * @param lockName the lock's name, or the key of a plain lock; for several locks, the name of the one that was not
     *     obtained, or that was lost before the others were obtained
     * @param reason why the lock was not obtained
     * @param contention the holder and the waiters, by the server's last answer, or as this client knows them
     * @param waitLimit how long the call was willing to wait; for several locks, the wait for all of them
     * @param attempts how often the client asked the server; 0 if this client itself knew the answer
     * @param replicas for {@link Reason#TOO_FEW_REPLICAS}, how many replicas have confirmed the grant; otherwise 0
     * @param cycle for {@link Reason#DEADLOCK}, the actors that waited for each other: the first is the one whose request was
     *     ended
     */
    record NotObtained<L>(
            String lockName,
            Reason reason,
            Contention contention,
            Wait waitLimit,
            int attempts,
            int replicas,
            Optional<WaitCycle> cycle)
            implements Attempt<L> {
        /** Rejects a reason that occurs only in events. */
        public NotObtained {
            if (reason.compareTo(Reason.UNKNOWN) >= 0) {
                throw new IllegalArgumentException(
                        "reason is " + reason + ", must be one of a lock that is certainly not held");
            }
        }

        /** Creates an outcome without further details, for tests of code that handles it. */
        public NotObtained(String lockName, Reason reason, Contention contention) {
            this(lockName, reason, contention, Wait.none(), 0, 0, Optional.empty());
        }

        /** Returns a text for people, with the next step. */
        public String describe() {
            String lock = contention.noun() + LogText.name(lockName) + "' not obtained";
            String known = cycle.map(WaitCycle::describe).orElseGet(contention::describe);
            return lock + reason.why(this) + ": " + known + ". Next: " + reason.next();
        }
    }

    /**
     * The outcome that the server did not answer, so that it is unknown whether the lock was granted. If the lock was granted,
     * the client gives it back in the background. Of several locks, it gives back those that were obtained, too.
     *
     * @param lockName the lock's name, or the key of a plain lock; for several locks, the name of the one whose server did not
     *     answer
     * @param cause the error
     */
    record Unknown<L>(String lockName, ServerUnreachableException cause) implements Attempt<L> {}

    /**
     * The reason why a lock was not obtained. The last four reasons occur only in the event {@link LockEvent.NotObtained},
     * never in the outcome {@link Attempt.NotObtained}.
     */
    enum Reason {
        /** Other owners hold the lock or come first, or it rests, and the call does not wait. */
        TAKEN,
        /**
         * It did not become free in time. If the request was in the server's queue, the server has acknowledged that it has left
         * the queue. This acknowledgement takes a round trip longer than the wait; if it does not arrive, the outcome is
         * {@link Unknown}. For several locks, this is also the reason if one of them was lost before the others were obtained,
         * and no time was left for a new start.
         */
        TIMED_OUT,
        /**
         * It was not free at any of the attempts that {@link PlainOptions#maxAttempts()} or {@link QuorumOptions#maxAttempts()}
         * allows.
         */
        TRIES_EXHAUSTED,
        /** It is not free, and as many requests as the call's {@link LockOptions#queueLimit()} allows already wait. */
        QUEUE_FULL,
        /** The request waited, and an operator dropped it from the queue. */
        DROPPED,
        /** The requesting actor itself already holds the lock, and the options refuse re-entry. */
        HELD_BY_CALLER,
        /**
         * The actor requests the lock for writing and already has it for reading, and the options say that it must not wait for
         * itself ({@link LockOptions#withReentrancy}). A reader cannot become a writer: two readers that each waited for the
         * other to end would wait for ever. Release the reading lease first, and check again what was read.
         */
        UPGRADE,
        /**
         * The request waited in a deadlock, and was ended to break it ({@link LockOptions.OnDeadlock#BREAK}). The other
         * requests continue when the actor of this request releases the locks that it still holds.
         */
        DEADLOCK,
        /** It was granted, and given back: fewer replicas have confirmed the grant than {@link LockOptions#replicas()}. */
        TOO_FEW_REPLICAS,
        /**
         * It was granted, and given back: leases that the server has forgotten may still be valid
         * ({@link HoldfastOptions#quarantine()}).
         */
        QUARANTINE,
        /**
         * The work is to be done once, and was already done. The holder in {@link NotObtained#contention()} is its record. See
         * {@link Once}.
         */
        DONE,
        /**
         * The work is to be done once, and was given up after its maximum number of tries. The holder in
         * {@link NotObtained#contention()} says why. See {@link Once#withTries}.
         */
        GIVEN_UP,
        /** In an event: the server did not answer ({@link Attempt.Unknown}). */
        UNKNOWN,
        /** In an event: the server refused ({@link ServerRefusedException}), or the request failed in another way. */
        REFUSED,
        /**
         * In an event: the caller no longer wants the lock. Its call was interrupted, or its future was cancelled or completed.
         */
        WITHDRAWN,
        /** In an event: the client was closed ({@link HoldfastClosedException}). */
        CLOSED;

        /**
         * Returns whether the lock is merely busy: other owners hold it or come first, and it may be free later. A
         * {@linkplain #DROPPED dropped} request counts as busy, too. For these reasons {@link Acquirable#tryAcquire(Wait)}
         * returns an empty result; for all others it throws.
         */
        public boolean isBusy() {
            return switch (this) {
                case TAKEN, TIMED_OUT, TRIES_EXHAUSTED, QUEUE_FULL, DROPPED -> true;
                case HELD_BY_CALLER, UPGRADE, DEADLOCK, TOO_FEW_REPLICAS, QUARANTINE, DONE, GIVEN_UP -> false;
                case UNKNOWN, REFUSED, WITHDRAWN, CLOSED -> false;
            };
        }

        private String why(NotObtained<?> outcome) {
            return switch (this) {
                case TAKEN -> " (wait none)";
                case TIMED_OUT -> " (wait " + outcome.waitLimit + ")";
                case TRIES_EXHAUSTED ->
                    " (" + outcome.attempts + (outcome.attempts == 1 ? " attempt" : " attempts") + ")";
                case QUEUE_FULL -> ", its queue is full";
                case DROPPED -> ", an operator dropped the request";
                case HELD_BY_CALLER -> ", the requesting actor already holds it";
                case UPGRADE -> ", the requesting actor holds it for reading and asks to write";
                case DEADLOCK -> ", the request was ended to break a deadlock";
                case TOO_FEW_REPLICAS ->
                    ", it was granted, but only " + outcome.replicas
                            + (outcome.replicas == 1 ? " replica" : " replicas") + " confirmed that in time";
                case QUARANTINE ->
                    ", it was granted and given back: the server is new, and earlier leases may still be valid";
                case DONE -> ", it was done already";
                case GIVEN_UP -> ", no more tries are left";
                case UNKNOWN, REFUSED, WITHDRAWN, CLOSED -> "";
            };
        }

        private String next() {
            return switch (this) {
                case TAKEN -> "ask again later, or with a wait";
                case TIMED_OUT -> "ask again later, or wait longer";
                case TRIES_EXHAUSTED -> "ask again later, or allow more attempts";
                case QUEUE_FULL -> "reject work, or raise queueLimit";
                case DROPPED -> "ask again only when the operator agrees";
                case HELD_BY_CALLER -> "use the lease that the actor has, or allow it to enter again (withReentrancy)";
                case UPGRADE -> "release the reading lease, ask to write, and look again at what was read";
                case DEADLOCK -> "release what the actor holds, and start again";
                case TOO_FEW_REPLICAS -> "check the replicas, and ask again later";
                case QUARANTINE -> "ask again when the quarantine is over";
                case DONE -> "use the result";
                case GIVEN_UP -> "fix the cause of the failed tries, and release the record by name";
                case UNKNOWN, REFUSED, WITHDRAWN, CLOSED -> "";
            };
        }
    }

    /** Returns the lease; empty if the lock was not obtained, or if that is unknown. */
    default Optional<L> asOptional() {
        return this instanceof Obtained<L> obtained ? Optional.of(obtained.lease()) : Optional.empty();
    }

    /**
     * Returns the lease, or throws the exception for the outcome.
     *
     * @throws LockTimeoutException if the lock is taken, was not free in time, or was not free at any of the allowed attempts
     * @throws DeadlockException if the request was ended to break a deadlock
     * @throws LockRefusedException if the lock was not obtained for another {@linkplain Reason reason}
     * @throws ServerUnreachableException if the outcome is unknown
     */
    default L orElseThrow() {
        if (this instanceof Obtained<L> obtained) {
            return obtained.lease();
        } else if (this instanceof NotObtained<L> not) {
            throw LockNotObtainedException.of(not);
        }
        throw ((Unknown<L>) this).cause();
    }

    /** Applies the function for this outcome, and returns its result; the first function gets the lease. */
    default <R> R fold(
            Function<? super L, ? extends R> obtained,
            Function<? super NotObtained<L>, ? extends R> notObtained,
            Function<? super Unknown<L>, ? extends R> unknown) {
        if (this instanceof Obtained<L> held) {
            return obtained.apply(held.lease());
        } else if (this instanceof NotObtained<L> not) {
            return notObtained.apply(not);
        }
        return unknown.apply((Unknown<L>) this);
    }

    /** Returns this outcome, with its lease mapped by the function. */
    @SuppressWarnings("unchecked") // an outcome without a lease is one of any lease
    default <R> Attempt<R> map(Function<? super L, ? extends R> lease) {
        return this instanceof Obtained<L> obtained ? new Obtained<>(lease.apply(obtained.lease())) : (Attempt<R>) this;
    }
}
