package io.holdfast.spring;

import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How locks are asked for and held.
 *
 * @param leaseDuration How long a lease lasts without renewal (lease duration), and so how long others wait for a holder that died.
 * @param renewal Whether leases are renewed.
 * @param waitLimit How long to wait for a lock: a duration, 0 for not at all, or forever.
 * @param maxHold Time after which renewal stops.
 * @param maxScopedHold Time after which renewal stops of locks that are held for the time of a call.
 * @param interruptBefore How long before its lease ends a thread that works under it is interrupted.
 * @param replicas How many replicas must have a grant.
 * @param replicaTimeout How long they may take.
 * @param minRemaining A lease that arrives with less than this is extended first.
 * @param minHold A lock stays taken after a release until so long after its grant (minimum hold time).
 * @param lockDelay How much longer a lock stays taken when its lease is lost and not released (lock-delay).
 * @param metadata Data that stands beside the hold for all to see.
 * @param handoffTimeout How long a waiter that is frozen may keep the others waiting.
 * @param requestLife How long a request keeps its position in the queue.
 * @param requestEnd What happens to a request then.
 * @param order Where a request enters the queue.
 * @param priority Requests of higher priority are served first; from -100 to 100.
 * @param queueLimit Longest queue; a further request is refused.
 * @param reentrancy What is done if the caller holds the lock already.
 * @param deadlock Whether a request may be ended to break a deadlock that it is in.
 * @param localHandoffs How many sections a turn of this client may have while others wait; 0 for the server's order strictly.
 * @param localHandoffTime How long a turn may last while others wait.
 * @param keepFor How long the client keeps a lock that was released while no request waited for it.
 */
record LockProperties(
        @Nullable Duration leaseDuration,
        @Nullable Boolean renewal,
        @Nullable String waitLimit,
        @Nullable Duration maxHold,
        @Nullable Duration maxScopedHold,
        @Nullable Duration interruptBefore,
        @Nullable Integer replicas,
        @Nullable Duration replicaTimeout,
        @Nullable Duration minRemaining,
        @Nullable Duration minHold,
        @Nullable Duration lockDelay,
        @Nullable Map<String, String> metadata,
        @Nullable Duration handoffTimeout,
        @Nullable Duration requestLife,
        LockOptions.@Nullable RequestEnd requestEnd,
        LockOptions.@Nullable Order order,
        @Nullable Integer priority,
        @Nullable Integer queueLimit,
        LockOptions.@Nullable Reentrancy reentrancy,
        LockOptions.@Nullable OnDeadlock deadlock,
        @Nullable Integer localHandoffs,
        @Nullable Duration localHandoffTime,
        @Nullable Duration keepFor) {

    /**
     * These options with what is set here.
     *
     * @param where the properties are
     */
    LockOptions over(String where, LockOptions base) {
        try {
            return over(base);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(where + ": " + e.getMessage(), e);
        }
    }

    private LockOptions over(LockOptions base) {
        LockOptions options = Terms.withLeaseDuration(base, leaseDuration, interruptBefore, minRemaining);
        options = renewal == null ? options : options.withRenewal(renewal);
        options = waitLimit == null ? options : options.withWaitLimit(Durations.waitLimit(waitLimit));
        options = maxHold == null ? options : options.withMaxHold(maxHold);
        options = maxScopedHold == null ? options : options.withMaxScopedHold(maxScopedHold);
        if (replicas != null || replicaTimeout != null) {
            options = options.withReplicas(
                    replicas == null ? options.replicas() : replicas,
                    replicaTimeout == null ? options.replicaTimeout() : replicaTimeout);
        }
        options = minHold == null ? options : options.withMinHold(minHold);
        options = lockDelay == null ? options : options.withLockDelay(lockDelay);
        options = metadata == null ? options : options.withMetadata(metadata);
        options = handoffTimeout == null ? options : options.withHandoffTimeout(handoffTimeout);
        if (requestLife != null || requestEnd != null) {
            options = options.withRequestLife(
                    requestLife == null ? options.requestLife() : requestLife,
                    requestEnd == null ? options.requestEnd() : requestEnd);
        }
        options = order == null ? options : options.withOrder(order);
        options = priority == null ? options : options.withPriority(priority);
        options = queueLimit == null ? options : options.withQueueLimit(queueLimit);
        options = reentrancy == null ? options : options.withReentrancy(reentrancy);
        options = deadlock == null ? options : options.withDeadlock(deadlock);
        if (localHandoffs != null && localHandoffs == 0) {
            options = options.withStrictOrder();
        } else if (localHandoffs != null || localHandoffTime != null) {
            options = options.withLocalHandoffs(
                    localHandoffs == null ? options.localHandoffs() : localHandoffs,
                    localHandoffTime == null ? options.localHandoffTime() : localHandoffTime);
        }
        return keepFor == null ? options : options.withKeepFor(keepFor);
    }
}
