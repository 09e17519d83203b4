package io.holdfast.model.exclusive;

import io.holdfast.model.ModelRule;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** A rule of the exclusive lock that a look can leave out. Those of scripts have the names that stand there behind {@code -- rule}. */
public enum Rule implements ModelRule {
    TOMBSTONE("tombstone", "an owner that ended leaves a tombstone, and a later acquire of it is refused"),
    REARM("rearm", "a repeated acquire of the holder moves the expiry to a full term from now"),
    TOKENCOMPARE("tokencompare", "confirm and renew compare the token, too"),
    OWNERCHECK("ownercheck", "release compares the owner"),
    STANDING("standing", "a refresh looks whether the first waiter stands in the queue"),
    PLACEBACK("placeback", "a waiter that stands nowhere, and asks again, queues anew"),
    RECALLMARK("recallmark", "a recall is noted in the hold"),
    REVOKEMESSAGE("revokemessage", "the holder of what was released by name is told"),
    TICKETOWNER("ticketowner", "an adoption compares the owner of the ticket"),
    NEWTOMBSTONE("newtombstone", "an adoption looks for a tombstone of the new owner"),
    OLDTOMBSTONE("oldtombstone", "an adoption leaves a tombstone of the old owner"),

    SETTLEFIRST("settlefirst", "who asks settles first: a free lock goes to those that wait before"),
    SUSPECT("suspect", "the client of a lapsed claim is suspect, and is passed over until it reports"),
    LATERONLY("lateronly", "an expiry moves to a later time only");

    private final String text;
    private final String meaning;

    Rule(String text, String meaning) {
        this.text = text;
        this.meaning = meaning;
    }

    /** As scripts and tests name it. */
    @Override
    public String text() {
        return text;
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

    /**
     * By name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Rule named(String text) {
        for (Rule rule : values()) {
            if (rule.text.equalsIgnoreCase(text)) {
                return rule;
            }
        }
        throw new IllegalArgumentException("no rule has the name " + text);
    }
}
