package io.holdfast.model.sets;

import io.holdfast.model.ModelRule;

/** A rule of sets of locks that a look can leave out. */
public enum SetRule implements ModelRule {
    ORDER("all ask for their locks in one order"),
    ONE_BY_ONE("the next lock is asked for when the one before is held"),
    BEGIN_ANEW("after a loss all is given back, and asked for again"),
    GIVE_BACK("an end releases what is held"),
    WITHDRAW("an end withdraws the request that is under way"),
    TOMBSTONE("an owner that ended is refused if its acquire comes later"),
    UNWANTED("a grant for which nothing waits is released"),
    LOST_TOO("after a loss the lost lock is taken back like the others"),
    NEW_OWNERS("each attempt has owners of its own"),
    TOLD_AT_LAST("the outcome is told when the releases were answered"),
    EARLIER_TOO("so were those of the locks that earlier attempts held");

    private final String meaning;

    SetRule(String meaning) {
        this.meaning = meaning;
    }

    @Override
    public String meaning() {
        return meaning;
    }
}
