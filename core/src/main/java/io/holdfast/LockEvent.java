package io.holdfast;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One step in the life of a request, of a hold, or of a lock that an operator administered by name. Durations are by this
 * client's monotonic clock; {@code at} is by its wall clock, and for people.
 */
public sealed interface LockEvent {
    /**
     * Whom an event concerns.
     *
     * @param lockName the lock's name
     * @param key the key of the hold on the server
     * @param owner the public part of the owner id
     * @param actor the actor's id, or the name of the thread that asked
     * @param group the group of the request, see {@link LockOptions#withGroup(String, int)}; empty for none
     * @param at when it happened
     * @param data what the caller gave with {@link LockOptions#withEventData}; null for nothing
     */
    record Subject(
            String lockName,
            String key,
            String owner,
            String actor,
            String group,
            Instant at,
            @Nullable Object data) {}

    /** Whom it concerns. */
    Subject subject();

    /** The lock's name. */
    default String lockName() {
        return subject().lockName();
    }

    /** The group of the request, see {@link LockOptions#withGroup(String, int)}; empty for none. */
    default String group() {
        return subject().group();
    }

    /** What the caller gave with {@link LockOptions#withEventData}; null for nothing. */
    default @Nullable Object data() {
        return subject().data();
    }

    /**
     * The server was asked for the lock, for the first time or again.
     *
     * @param attempt 1 for the first time
     */
    record Asked(Subject subject, int attempt) implements LockEvent {}

    /**
     * The request stands in the queue.
     *
     * @param position 1 for next in line
     * @param waiters how many are queued, this one included
     */
    record Queued(Subject subject, int position, int waiters) implements LockEvent {}

    /** The server no longer knew the waiting request, and was asked again: the request may have a new position. */
    record Requeued(Subject subject) implements LockEvent {}

    /**
     * The request has outlived its life in the queue ({@link LockOptions#withRequestLife}), and stands behind the others of
     * its priority now, with a new life.
     *
     * @param position 1 for next in line
     * @param waiters how many are queued, this one included
     */
    record Outlived(Subject subject, int position, int waiters) implements LockEvent {}

    /**
     * The request waits in a deadlock; see {@link HoldfastOptions#withDeadlockDetection}. One event for each request.
     *
     * @param cycle who waits for whom, the actor of this request first
     */
    record Deadlock(Subject subject, WaitCycle cycle) implements LockEvent {}

    /**
     * The lock is held.
     *
     * @param token the fencing token
     * @param leaseDuration how long it lasts without renewal
     * @param waited how long it took, from the call
     * @param attempts how often the server was asked
     * @param initialPosition the queue position at first, 0 if the lock was free
     * @param reentered whether the actor held it before: no new hold
     */
    record Obtained(
            Subject subject,
            long token,
            Duration leaseDuration,
            Duration waited,
            int attempts,
            int initialPosition,
            boolean reentered)
            implements LockEvent {}

    /**
     * The request ended without a hold.
     *
     * @param reason why
     * @param waited how long the call took
     * @param attempts how often the server was asked
     * @param contention what the server last said
     */
    record NotObtained(Subject subject, Attempt.Reason reason, Duration waited, int attempts, Contention contention)
            implements LockEvent {}

    /**
     * The server agreed to a renewal. One event for each hold.
     *
     * @param token the fencing token
     * @param remaining how long the hold now lasts
     */
    record Renewed(Subject subject, long token, Duration remaining) implements LockEvent {}

    /**
     * A renewal was not answered, or refused. It is tried again until the deadline.
     *
     * @param token the fencing token
     * @param remaining how long the hold still lasts
     * @param why what went wrong
     */
    record RenewalFailed(Subject subject, long token, Duration remaining, String why) implements LockEvent {}

    /**
     * The hold was extended on demand.
     *
     * @param token the fencing token
     * @param remaining how long it now lasts
     */
    record Extended(Subject subject, long token, Duration remaining) implements LockEvent {}

    /**
     * The holder has left a {@linkplain Lease#note note}, or has removed it.
     *
     * @param token the fencing token
     * @param note what stands there now; empty if it was removed
     */
    record Noted(Subject subject, long token, String note) implements LockEvent {}

    /**
     * The hold was given back.
     *
     * @param token the fencing token
     * @param leaseDuration how long it lasted without renewal
     * @param waited how long it took to obtain, from the call
     * @param held how long it was held
     * @param result what the server said
     */
    record Released(
            Subject subject, long token, Duration leaseDuration, Duration waited, Duration held, ReleaseResult result)
            implements LockEvent {}

    /**
     * The hold was lost.
     *
     * @param token the fencing token
     * @param held how long it was held
     * @param reason why
     */
    record Lost(Subject subject, long token, Duration held, LossReason reason) implements LockEvent {}

    /**
     * Another process goes on with the hold, and this client, which gave it a ticket, has learnt so. No loss.
     *
     * @param token the fencing token
     * @param held how long it was held here
     */
    record HandedOver(Subject subject, long token, Duration held) implements LockEvent {}

    /**
     * A writer goes on as a reader; see {@link DistributedReadWriteLock#downgrade}. The subject is the reading lease.
     *
     * @param token its fencing token
     * @param remaining how long it lasts without renewal
     */
    record Downgraded(Subject subject, long token, Duration remaining) implements LockEvent {}

    /**
     * This client goes on with a hold that another process has given a ticket for.
     *
     * @param token the fencing token, the same as before
     * @param remaining how long the hold now lasts
     */
    record Adopted(Subject subject, long token, Duration remaining) implements LockEvent {}

    /**
     * A request that may take over has ended the hold of a stuck holder. The lock goes to the next in line.
     *
     * @param from the holder
     */
    record TookOver(Subject subject, Holder from) implements LockEvent {}

    /**
     * A lock was released by name.
     *
     * @param result what happened
     */
    record Revoked(Subject subject, Revocation result) implements LockEvent {}

    /**
     * A lock was extended by name.
     *
     * @param remaining how long it now lasts
     */
    record HoldExtended(Subject subject, Duration remaining) implements LockEvent {}

    /**
     * Waiters whose clients had not reported in time were removed by name.
     *
     * @param removed how many
     */
    record Cleaned(Subject subject, int removed) implements LockEvent {}

    /**
     * A semaphore was limited by name.
     *
     * @param permits how many permits may be out, whatever requests say
     * @param forHowLong until the limit ends by itself
     */
    record Limited(Subject subject, int permits, Duration forHowLong) implements LockEvent {}

    /**
     * A lock was paused by name.
     *
     * @param reason that was given; empty for none
     * @param forHowLong until the pause ends by itself
     */
    record Paused(Subject subject, String reason, Duration forHowLong) implements LockEvent {}

    /** The pause of a lock was ended by name. */
    record Resumed(Subject subject) implements LockEvent {}

    /** The limit of a semaphore was ended by name. */
    record Unlimited(Subject subject) implements LockEvent {}

    /**
     * Many locks were released by name. The subject's lock, key and owner are empty.
     *
     * @param released how many holds ended
     * @param dropped how many waiters were dropped
     * @param took how long that took
     */
    record RevokedAll(Subject subject, int released, int dropped, Duration took) implements LockEvent {}
}
