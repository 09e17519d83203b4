package io.holdfast;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A step of a request or of a hold of this client, or an operator's act by a lock's name through this client. Durations that
 * this client measures are by its monotonic clock. {@code at} is a time of its wall clock, for people.
 */
public sealed interface LockEvent {
    /**
     * The lock and the request that an event concerns.
     *
     * @param lockName the lock's name
     * @param key the key of the hold on the server
     * @param owner the public part of the owner id; for an operator's act, that of the holder or waiter it was about, or empty
     * @param actor the actor's id, or the name of the thread that made the request; empty for an operator's act
     * @param group the group of the request, see {@link LockOptions#withGroup(String, int)}; empty if it has none
     * @param at the time of the event
     * @param data the data that the caller gave with {@link LockOptions#withEventData} or {@link Admin#withEventData}; null for
     *     none
     */
    record Subject(
            String lockName,
            String key,
            String owner,
            String actor,
            String group,
            Instant at,
            @Nullable Object data) {}

    /** Returns the lock and the request that the event concerns. */
    Subject subject();

    /** Returns the lock's name. */
    default String lockName() {
        return subject().lockName();
    }

    /** Returns the group of the request, see {@link LockOptions#withGroup(String, int)}; empty if it has none. */
    default String group() {
        return subject().group();
    }

    /**
     * Returns the data that the caller gave with {@link LockOptions#withEventData} or {@link Admin#withEventData}; null for none.
     */
    default @Nullable Object data() {
        return subject().data();
    }

    /**
     * The client asked the server for the lock, for the first time or again.
     *
     * @param attempt the number of the try, from 1 on
     */
    record Asked(Subject subject, int attempt) implements LockEvent {}

    /**
     * The request was queued, on the server or behind other requests of this client ({@link LockOptions#withLocalHandoffs
     * turns}). In the second case, both numbers count the requests of this client only.
     *
     * @param position the queue position; 1 for the next waiter
     * @param waiters how many requests are queued, this one included
     */
    record Queued(Subject subject, int position, int waiters) implements LockEvent {}

    /** The server no longer knew the waiting request, and the client asked it again. The request may have a new position. */
    record Requeued(Subject subject) implements LockEvent {}

    /**
     * The request has outlived its life in the queue ({@link LockOptions#withRequestLife}). It is now behind the others of its
     * priority, except those with a random order, and has a new life.
     *
     * @param position the new queue position; 1 for the next waiter
     * @param waiters how many requests are queued, this one included
     */
    record Outlived(Subject subject, int position, int waiters) implements LockEvent {}

    /**
     * The request waits in a deadlock, see {@link HoldfastOptions#withDeadlockDetection}. There is at most one such event for
     * each request.
     *
     * @param cycle the actors that wait for each other, the actor of this request first
     */
    record Deadlock(Subject subject, WaitCycle cycle) implements LockEvent {}

    /**
     * The request obtained the lock.
     *
     * @param token the fencing token
     * @param leaseDuration the lease duration of the request
     * @param waited the time from the call until the lock was obtained
     * @param attempts how often the server was asked
     * @param initialPosition the queue position when the request was queued; 0 if it was not queued
     * @param reentered whether the actor held the lock already; then there is no new hold
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
     * @param reason the reason
     * @param waited how long the call took
     * @param attempts how often the server was asked
     * @param contention the state of the lock, by the server's last answer
     */
    record NotObtained(Subject subject, Attempt.Reason reason, Duration waited, int attempts, Contention contention)
            implements LockEvent {}

    /**
     * The server renewed the hold. There is one such event for each renewal of each hold.
     *
     * @param token the fencing token
     * @param remaining how long the hold now lasts without a further renewal
     */
    record Renewed(Subject subject, long token, Duration remaining) implements LockEvent {}

    /**
     * A renewal was not answered, was refused, or was confirmed by too few replicas. The client repeats it until the deadline.
     *
     * @param token the fencing token
     * @param remaining how long the hold still lasts
     * @param why a description of the failure
     */
    record RenewalFailed(Subject subject, long token, Duration remaining, String why) implements LockEvent {}

    /**
     * A call extended the hold.
     *
     * @param token the fencing token
     * @param remaining how long the hold now lasts
     */
    record Extended(Subject subject, long token, Duration remaining) implements LockEvent {}

    /**
     * The holder left a {@linkplain Lease#note note}, or removed it.
     *
     * @param token the fencing token
     * @param note the new note; empty if it was removed
     */
    record Noted(Subject subject, long token, String note) implements LockEvent {}

    /**
     * The hold was released, or a lease that shares it in a {@linkplain LockOptions#withLocalHandoffs turn}. If an actor entered
     * the hold more than once, its last release counts.
     *
     * @param token the fencing token
     * @param leaseDuration the lease duration of the hold
     * @param waited the time from the call until the lock was obtained
     * @param held how long the lock was held
     * @param result the result of the release
     */
    record Released(
            Subject subject, long token, Duration leaseDuration, Duration waited, Duration held, ReleaseResult result)
            implements LockEvent {}

    /**
     * The hold was lost.
     *
     * @param token the fencing token
     * @param held how long the lock was held
     * @param reason the reason
     */
    record Lost(Subject subject, long token, Duration held, LossReason reason) implements LockEvent {}

    /**
     * Another process has adopted the hold with a ticket from this client, and this client has learnt of that. This is no loss.
     *
     * @param token the fencing token
     * @param held how long this client held the lock
     */
    record HandedOver(Subject subject, long token, Duration held) implements LockEvent {}

    /**
     * A writer continues as a reader, see {@link DistributedReadWriteLock#downgrade}. The subject is the reading lease.
     *
     * @param token the fencing token of the reading lease
     * @param remaining how long the reading lease lasts without renewal
     */
    record Downgraded(Subject subject, long token, Duration remaining) implements LockEvent {}

    /**
     * This client adopted a hold with a ticket from another process.
     *
     * @param token the fencing token, the same as before
     * @param remaining how long the hold now lasts
     */
    record Adopted(Subject subject, long token, Duration remaining) implements LockEvent {}

    /**
     * A request that may take the lock over ended the hold of a stuck holder. The lock goes to the next waiter.
     *
     * @param from the stuck holder
     */
    record TookOver(Subject subject, Holder from) implements LockEvent {}

    /**
     * An operator released a lock by name, or dropped waiters, or tried to.
     *
     * @param result the result, which says whether anything was released or dropped
     */
    record Revoked(Subject subject, Revocation result) implements LockEvent {}

    /**
     * An operator extended the hold of a lock by name.
     *
     * @param remaining how long the hold now lasts
     */
    record HoldExtended(Subject subject, Duration remaining) implements LockEvent {}

    /**
     * An operator removed, from the queue of a lock, the waiters whose clients had not reported in time.
     *
     * @param removed how many waiters were removed
     */
    record Cleaned(Subject subject, int removed) implements LockEvent {}

    /**
     * An operator limited a semaphore by name.
     *
     * @param permits how many permits may be in use, whatever limit requests give
     * @param forHowLong the time until the limit ends by itself
     */
    record Limited(Subject subject, int permits, Duration forHowLong) implements LockEvent {}

    /**
     * An operator paused a lock by name.
     *
     * @param reason the reason that the operator gave; empty for none
     * @param forHowLong the time until the pause ends by itself
     */
    record Paused(Subject subject, String reason, Duration forHowLong) implements LockEvent {}

    /** An operator ended the pause of a lock by name. */
    record Resumed(Subject subject) implements LockEvent {}

    /** An operator ended the limit of a semaphore by name. */
    record Unlimited(Subject subject) implements LockEvent {}

    /**
     * An operator released several locks with one call. The subject's lock name, key and owner are empty.
     *
     * @param released how many holds ended; {@link Admin#releaseAll()} counts several holds of one lock as one
     * @param dropped how many waiters were dropped
     * @param took how long the operation took
     */
    record RevokedAll(Subject subject, int released, int dropped, Duration took) implements LockEvent {}
}
