package io.holdfast;

import io.holdfast.internal.wire.LogText;
import java.util.Optional;
import java.util.function.Function;

/**
 * The outcome of asking for a lock of any kind, for permits, or for several locks. Three answers that are never merged into
 * one: {@link Obtained}, {@link NotObtained}, which is certain, and {@link Unknown}.
 *
 * @param <L> its lease
 */
public sealed interface Attempt<L> {

    /**
     * It is held.
     *
     * @param lease the hold, or the holds of all locks of a set
     */
    record Obtained<L>(L lease) implements Attempt<L> {}

    /**
     * It is not held by this call, and that is certain. Of several locks none is: what was obtained has been released. A release
     * that the server did not answer is repeated in the background.
     *
     * @param lockName the lock's name; the key of a plain lock; of several locks, the name of the one that was not obtained:
     *     those after it were not asked for
     * @param reason why
     * @param contention who held it and who awaited it, by the server's last answer
     * @param waitLimit how long the call wanted to wait; of several locks, for all of them
     * @param attempts how often the server was asked; 0 where this client itself knew the answer
     * @param replicas how many replicas have confirmed the grant, of {@link Reason#TOO_FEW_REPLICAS}; otherwise 0
     * @param cycle who waited for whom, of {@link Reason#DEADLOCK}: the first is the one whose request was ended
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
        /** Refuses a reason that only events have. */
        public NotObtained {
            if (reason.compareTo(Reason.UNKNOWN) >= 0) {
                throw new IllegalArgumentException(
                        "reason is " + reason + ", must be one of a lock that is certainly not held");
            }
        }

        /** One of which no more is to be said; for tests of code that handles it. */
        public NotObtained(String lockName, Reason reason, Contention contention) {
            this(lockName, reason, contention, Wait.none(), 0, 0, Optional.empty());
        }

        /** For people, with the next step. */
        public String describe() {
            String lock = contention.noun() + LogText.name(lockName) + "' not obtained";
            String known = cycle.map(WaitCycle::describe).orElseGet(contention::describe);
            return lock + reason.why(this) + ": " + known + ". Next: " + reason.next();
        }
    }

    /**
     * The server did not answer: whether the lock was granted is not known. If it was, the client gives it back in the
     * background; so it does with the others of several locks.
     *
     * @param lockName the lock's name; the key of a plain lock; of several locks, the name of the one whose server did not answer
     * @param cause what went wrong
     */
    record Unknown<L>(String lockName, ServerUnreachableException cause) implements Attempt<L> {}

    /** Why a lock was not obtained. A {@link NotObtained} has none of the last four, which events have ({@link LockEvent.NotObtained}). */
    enum Reason {
        /** Another holder has it, and the call did not want to wait. */
        TAKEN,
        /**
         * It did not become free in time, and the server has acknowledged that the request has left the queue. Waiting for this
         * takes a round trip longer than the wait; if it does not come, the answer is {@link Unknown}. Also of several locks
         * of which one was lost before the others were obtained, when nothing of the wait was left for a new start.
         */
        TIMED_OUT,
        /** It was not free at any of the attempts that {@link PlainOptions#maxAttempts()} or {@link QuorumOptions#maxAttempts()} allows. */
        TRIES_EXHAUSTED,
        /** Another holder has it, and as many requests as the call's {@link LockOptions#queueLimit()} allows wait already. */
        QUEUE_FULL,
        /** The request waited, and an operator dropped it from the queue. */
        DROPPED,
        /** The actor that asked holds the lock itself, and the options say to refuse that. */
        HELD_BY_CALLER,
        /**
         * The actor that asks to write has the lock for reading, and the options say that it is not to wait for itself
         * ({@link LockOptions#withReentrancy}). There is no way from reading to writing: two readers that both waited for the
         * other to end would wait for ever. Release the reading lease first, and look again at what was read.
         */
        UPGRADE,
        /**
         * The request waited in a deadlock, and was ended to break it ({@link LockOptions.OnDeadlock#BREAK}). The others go on
         * when the actor releases what it still has.
         */
        DEADLOCK,
        /** It was granted, and given back: fewer replicas have confirmed that than {@link LockOptions#replicas()}. */
        TOO_FEW_REPLICAS,
        /**
         * It was granted, and given back: leases that the server has forgotten may still be valid
         * ({@link HoldfastOptions#quarantine()}).
         */
        QUARANTINE,
        /** What is done once was done already: the holder of {@link NotObtained#contention()} is its record. See {@link Once}. */
        DONE,
        /**
         * What is done once was given up after as many tries as it may have: the holder of {@link NotObtained#contention()} says why. See
         * {@link Once#withTries}.
         */
        GIVEN_UP,
        /** In an event: the server did not answer ({@link Attempt.Unknown}). */
        UNKNOWN,
        /** In an event: the server refused ({@link ServerRefusedException}). */
        REFUSED,
        /** In an event: the caller no longer wants it: interrupted, cancelled, completed from outside. */
        WITHDRAWN,
        /** In an event: the client was closed ({@link HoldfastClosedException}). */
        CLOSED;

        /**
         * Whether others have the lock, or come before, and nothing else is wrong: it may be free later. For these reasons
         * {@link Acquirable#tryAcquire(Wait)} returns an empty result; it throws for all others.
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
                case QUARANTINE -> ", it was granted and given back: the server is new, and earlier leases may still be valid";
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

    /** The lease, if there is one. */
    default Optional<L> asOptional() {
        return this instanceof Obtained<L> obtained ? Optional.of(obtained.lease()) : Optional.empty();
    }

    /**
     * The lease.
     *
     * @throws LockTimeoutException if it is taken, was not free in time, or not at any attempt
     * @throws DeadlockException if the request was ended to break a deadlock
     * @throws LockRefusedException if it was not obtained for another {@linkplain Reason reason}
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

    /** Applies the function for this outcome; the first one gets the lease. */
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

    /** This outcome, with another lease in place of this one. */
    @SuppressWarnings("unchecked") // an outcome without a lease is one of any lease
    default <R> Attempt<R> map(Function<? super L, ? extends R> lease) {
        return this instanceof Obtained<L> obtained ? new Obtained<>(lease.apply(obtained.lease())) : (Attempt<R>) this;
    }
}
