package io.holdfast.model.queue;

/**
 * Which of the rules of a queue hold.
 *
 * @param standing a refresh looks whether the first waiter stands in the queue
 * @param placeBack a waiter that stands nowhere, and asks again, queues anew
 * @param laterOnly an expiry moves to a later time only
 * @param claimsKeepDetails what is known of waiters is kept as long as one of them has a claim
 * @param suspect the client of a lapsed claim is suspect, and its waiter stands aside
 * @param lapseBack the waiter of a lapsed claim takes its old place
 */
public record QueueRules(
        boolean standing,
        boolean placeBack,
        boolean laterOnly,
        boolean claimsKeepDetails,
        boolean suspect,
        boolean lapseBack) {}
