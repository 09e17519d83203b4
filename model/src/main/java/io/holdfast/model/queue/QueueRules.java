package io.holdfast.model.queue;

/**
 * Which of the rules of a queue hold.
 *
 * @param standing a refresh looks whether the first waiter stands in the queue
 * @param placeBack a waiter that stands nowhere, and asks again, queues anew
 * @param laterOnly an expiry moves to a later time only
 * @param claimsKeepDetails what is known of waiters is kept as long as one of them has a claim
 */
public record QueueRules(boolean standing, boolean placeBack, boolean laterOnly, boolean claimsKeepDetails) {}
