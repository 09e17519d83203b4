package io.holdfast.model.world;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** A rule of clients that a look can leave out. */
public enum ClientRule {
    COUNTED_FROM_THE_SEND("countedFromTheSend", "a deadline counts from before the request left"),
    ENDED_BEFORE(
            "endedBeforeTheRequestLeaves", "a release ends the lease, and a downgrade its writing, before it leaves"),
    CONFIRM_FIRST("confirmFirst", "without a safe deadline a grant by message is asked for again before it is a lease"),
    GIVE_BACK("giveBack", "a grant for which no request waits any more is released"),
    TAKE_BACK("takeBack", "what ends without the server's answer is released until the server answers");

    private final String text;
    private final String meaning;

    ClientRule(String text, String meaning) {
        this.text = text;
        this.meaning = meaning;
    }

    /** As tests name it. */
    public String text() {
        return text;
    }

    public String meaning() {
        return meaning;
    }

    public static Set<ClientRule> all() {
        return Collections.unmodifiableSet(EnumSet.allOf(ClientRule.class));
    }

    public static boolean isOne(String text) {
        return without(text).size() < values().length;
    }

    /** All but the one of this name; all if there is none of it. */
    public static Set<ClientRule> without(String text) {
        EnumSet<ClientRule> rules = EnumSet.allOf(ClientRule.class);
        rules.removeIf(rule -> rule.text.equalsIgnoreCase(text));
        return Collections.unmodifiableSet(rules);
    }
}
