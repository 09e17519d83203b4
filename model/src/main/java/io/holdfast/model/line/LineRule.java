package io.holdfast.model.line;

import io.holdfast.model.ModelRule;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** A rule of a shared line that a look can leave out. Those of scripts have the names that stand there behind {@code -- rule}. */
public enum LineRule implements ModelRule {
    TOMBSTONE("an owner that ended leaves a tombstone, and a later acquire of it is refused"),
    REARM("a repeated acquire of a holder moves its end to a full term from now"),
    TELLREARM("a refresh that tells of a hold moves its end to a full term from now"),
    STANDING("a refresh looks whether the first waiter stands in the queue"),
    PLACEBACK("a waiter that stands nowhere, and asks again, queues anew"),
    CLAIMSKEEPDETAILS("what is known of waiters is kept as long as one of them has a claim"),
    PURGE("what is over is removed before anybody is served"),
    WEIGHTBACK("the weight of a hold that ends is given back"),
    SLOTTAKEN("a slot that is taken is not given again"),
    SLOTBACK("the slots of a hold that ends are free again"),
    CLOSEPHASE("a phase of reading ends when nobody reads any more"),
    PHASE("readers of one phase have one token"),
    SUSPECT("the client of a lapsed claim is suspect, and its waiter stands aside"),
    LAPSEBACK("the waiter of a lapsed claim takes its old place"),
    SHARENOW("a group's request does not begin before the last grant began"),
    SHAREIDLE("a group that was idle has saved nothing"),
    SHAREBACK("requests that leave without a grant cost their group nothing"),
    BATCH("the next waiter is served as long as the first fits"),
    STRICT("a waiter that does not fit is passed by nobody"),
    SUSPECTPASSES("a waiter that cannot be told, and does not fit, is passed"),
    OVERLIMIT("a request for more than the operator's limit is passed"),
    PAUSED("nobody enters a read/write lock that is paused"),
    CAPENDS("the wake counts the end of an operator's limit"),
    NEWCOMER("a request that comes is granted only if nobody stands before it"),
    CANCELSERVES("a withdrawal serves those behind"),
    DGTOKEN("a downgrade has a token of its own"),
    DGSERVES("a downgrade serves the readers in front"),
    DGREARM("a repeated downgrade moves the end to a full term from now"),
    UNLIMITSERVES("a change of the operator's limit serves those that fit"),

    TOKENCOMPARE("confirm and renew compare the token, too"),
    LATERONLY("an end moves to a later time only");

    private final String meaning;

    LineRule(String meaning) {
        this.meaning = meaning;
    }

    @Override
    public String meaning() {
        return meaning;
    }

    public static Set<LineRule> all() {
        return Collections.unmodifiableSet(EnumSet.allOf(LineRule.class));
    }

    public static Set<LineRule> without(LineRule rule) {
        return Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(rule)));
    }
}
