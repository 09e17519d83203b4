package io.holdfast.model.deadlock;

import io.holdfast.model.ModelRule;

/** A rule of deadlock detection that a look can leave out. */
public enum DetectionRule implements ModelRule {
    TWO_PICTURES("counted is what is in two pictures"),
    ONE_AFTER_THE_OTHER("the second picture is begun when the first is complete"),
    SAME_OWNERS("a hold is the same if its owner and token are, a wait if its owner is");

    private final String meaning;

    DetectionRule(String meaning) {
        this.meaning = meaning;
    }

    @Override
    public String meaning() {
        return meaning;
    }
}
