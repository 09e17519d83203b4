package io.holdfast.model.exclusive;

import io.holdfast.model.ModelRule;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** A rule of the exclusive lock that a look can leave out. Those of scripts have the names that stand there behind {@code -- rule}. */
public enum Rule implements ModelRule {
    TOMBSTONE("an owner that ended leaves a tombstone, and a later acquire of it is refused"),
    REARM("a repeated acquire of the holder moves the expiry to a full term from now"),
    TOKENCOMPARE("confirm and renew compare the token, too"),
    OWNERCHECK("release compares the owner"),
    STANDING("a refresh looks whether the first waiter stands in the queue"),
    PLACEBACK("a waiter that stands nowhere, and asks again, queues anew"),
    CLAIMSKEEPDETAILS("what is known of waiters is kept as long as one of them has a claim"),
    SUSPECT("the client of a lapsed claim is suspect, and its waiter stands aside"),
    LAPSEBACK("the waiter of a lapsed claim takes its old place"),
    SHARENOW("a group's request does not begin before the last grant began"),
    SHAREIDLE("a group that was idle has saved nothing"),
    SHAREBACK("requests that leave without a grant cost their group nothing"),
    RECALLMARK("a recall is noted in the hold"),
    DONE("a request for what has a record is answered by it"),
    ANSWERS("a record answers all that wait"),
    PAUSE("a lock that is to pause is granted to nobody when it is free"),
    PAUSEKEEPS("what is known of waiters is kept as long as the lock is to pause"),
    REVOKEMESSAGE("the holder of what was released by name is told"),
    TICKETOWNER("an adoption compares the owner of the ticket"),
    NEWTOMBSTONE("an adoption looks for a tombstone of the new owner"),
    OLDTOMBSTONE("an adoption leaves a tombstone of the old owner"),

    SETTLEFIRST("who asks settles first: a free lock goes to those that wait before"),
    LATERONLY("an expiry moves to a later time only");

    private final String meaning;

    Rule(String meaning) {
        this.meaning = meaning;
    }

    @Override
    public String meaning() {
        return meaning;
    }

    public static Set<Rule> all() {
        return Collections.unmodifiableSet(EnumSet.allOf(Rule.class));
    }

    public static Set<Rule> without(Rule rule) {
        return Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(rule)));
    }
}
