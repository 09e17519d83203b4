package io.holdfast.spring;

import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options with which locks are requested and held.
 *
 * @param leaseDuration How long a lease lasts without renewal, and so how long others wait for a holder that died.
 * @param renewal Whether leases are renewed.
 * @param waitLimit How long to wait for a lock: a duration, 0 not to wait, or forever.
 * @param maxHold Time after which renewal stops.
 * @param maxScopedHold Time after which renewal stops for locks that are held during a call.
 * @param interruptBefore How long before the end of its lease a thread that works under it is interrupted.
 * @param replicas Number of replicas that must confirm a grant.
 * @param replicaTimeout Maximum time for the replicas to confirm a grant.
 * @param minRemaining Minimum remaining time of a lease that is handed out; a lease that arrives with less is extended first.
 * @param minHold Minimum hold time: how long after its grant a lock stays taken, even if it is released earlier.
 * @param lockDelay How much longer a lock stays taken when its lease is lost and not released (lock-delay).
 * @param metadata Data that is stored with the hold, visible to every client.
 * @param handoffTimeout How long a frozen waiter may keep the others waiting.
 * @param requestLife How long a request keeps its queue position.
 * @param requestEnd What happens to a request after its request life.
 * @param order Where a request enters the queue.
 * @param priority Priority of a request, from -100 to 100; a higher one is served first.
 * @param queueLimit Maximum length of the queue; a further request is refused.
 * @param reentrancy What happens if the caller already holds the lock.
 * @param deadlock Whether a request may be ended to break a deadlock that it is in.
 * @param localHandoffs Maximum number of critical sections in a turn of this client while others wait; 0 for the server's strict
 *     order.
 * @param localHandoffTime Maximum length of a turn while others wait.
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
     * Returns the given options, changed by the properties that are set.
     *
     * @param where the prefix of the properties, for error messages
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
