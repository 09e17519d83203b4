package io.holdfast.model.queue;

import java.util.function.Predicate;

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
        boolean lapseBack,
        boolean shareNow,
        boolean shareIdle,
        boolean shareBack) {
    /** Those that a kind of lock has, by their names there. */
    public static QueueRules of(Predicate<String> has) {
        return new QueueRules(
                has.test("STANDING"),
                has.test("PLACEBACK"),
                has.test("LATERONLY"),
                has.test("CLAIMSKEEPDETAILS"),
                has.test("SUSPECT"),
                has.test("LAPSEBACK"),
                has.test("SHARENOW"),
                has.test("SHAREIDLE"),
                has.test("SHAREBACK"));
    }
}
