package io.holdfast.model.quorum;

import io.holdfast.model.ModelRule;

/** A rule of a quorum that a look can leave out. */
public enum QuorumRule implements ModelRule {
    MAJORITY("a lease rests on more than half of the nodes"),
    LAST_TOKEN("a node's token is above the last that it gave"),
    PROPOSAL_CAP("a proposed token counts for at most so much more than the node's clock"),
    WRITE_BACK("if tokens differ, the greatest is written back to a majority before there is a lease"),
    RAISE_OWNER("a node accepts a write-back only while the same grant is there"),
    COUNTED("a node whose grant came late, with a token above the lease's, does not count for the write-back"),
    DEADLINE("a lease whose deadline is over when it is obtained is none"),
    RENEWED_BY_MAJORITY("a renewal moves the deadline only if a majority has agreed to the same round"),
    TAKE_BACK("what ends is released on every node that granted, or may grant yet"),
    TOMBSTONE("an owner that ended is refused by a node that its acquire reaches later"),
    QUARANTINE("a node that has lost its memory grants nothing for longer than any lease"),
    SAME_RUN("a marker that another process of the node wrote counts as none");

    private final String meaning;

    QuorumRule(String meaning) {
        this.meaning = meaning;
    }

    @Override
    public String meaning() {
        return meaning;
    }
}
