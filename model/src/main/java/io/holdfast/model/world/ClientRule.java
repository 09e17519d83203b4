package io.holdfast.model.world;

import io.holdfast.model.ModelRule;

/** A rule of clients that a look can leave out. */
public enum ClientRule implements ModelRule {
    COUNTED_FROM_THE_SEND("a deadline counts from before the request left"),
    ENDED_BEFORE_THE_REQUEST_LEAVES("a release ends the lease, and a downgrade its writing, before it leaves"),
    CONFIRM_FIRST("without a safe deadline a grant by message is asked for again before it is a lease"),
    GIVE_BACK("a grant for which no request waits any more is released"),
    TAKE_BACK("what ends without the server's answer is released until the server answers");

    private final String meaning;

    ClientRule(String meaning) {
        this.meaning = meaning;
    }

    @Override
    public String meaning() {
        return meaning;
    }
}
