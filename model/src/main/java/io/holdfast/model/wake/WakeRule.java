package io.holdfast.model.wake;

import io.holdfast.model.ModelRule;

/** A rule of looking in time that a look can leave out. */
public enum WakeRule implements ModelRule {
    TOLD("replies tell when the first waiter could be granted the line"),
    ENOUGH("for permits that is the end that gives back enough, not the last end"),
    ANYBODY("a client that waits for nothing looks as well when it was told"),
    PURGE("what is over is removed before anybody is served");

    private final String meaning;

    WakeRule(String meaning) {
        this.meaning = meaning;
    }

    @Override
    public String meaning() {
        return meaning;
    }
}
