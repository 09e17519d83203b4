package io.holdfast.model.world;

import io.holdfast.model.ModelRule;

/** A rule of clients that a look can leave out. */
public enum ClientRule implements ModelRule {
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
    @Override
    public String text() {
        return text;
    }

    @Override
    public String meaning() {
        return meaning;
    }
}
