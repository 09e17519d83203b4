package io.holdfast.model.turns;

import io.holdfast.model.ModelRule;

/** A rule of turns that a look can leave out. */
public enum TurnRule implements ModelRule {
    TURN_LINE("a turn that begins while others wait serves those who stand in line then"),
    TOLD_BY_REPLY("a handoff that is told by a reply counts as one with others behind it"),
    RECALL("a message that others wait closes the turn"),
    EARLY_RECALL("a recall that comes before its grant counts"),
    MARK("the answer to a question tells that others wait"),
    FROM_THE_SEND("what is known counts from when the answered question left"),
    SILENCE("what is known for two intervals closes the turn"),
    LOOK_FIRST("the clock is looked at before anybody joins, leaves or is served"),
    CLOSING("a turn that learns of others is closed"),
    ONCE("a turn is closed once: what it learns later adds nobody"),
    SECTIONS("of a closed line at most so many are served"),
    TIME_LIMIT("of a closed line nobody is served after so long"),
    ASK_ANEW("requests that are left in line when a turn ends ask the server anew"),
    DEADLINE("nothing is lent after the hold's deadline"),
    GONE("an answer that the hold is gone ends the turn"),
    REVOKE_MESSAGE("a message that the hold was taken away ends the turn"),
    EXTENDED("a hold that the server has for more than a term is not handed on"),
    PLACE("a request that leaves the closed part of a line takes its place along"),
    WITHDRAW("the last request that leaves withdraws the line's request"),
    UNWANTED("a grant for which nobody waits goes back"),
    TOMBSTONE("a request that was withdrawn is refused if it comes later"),
    TAKE_BACK("before a request asks anew it ends its former owner"),
    NEW_OWNER("a line that asks anew has a new owner"),
    RESERVE("the server counts the tokens that a hold may use as given"),
    OWN_HOLD("a release writes back the last token only if the hold is its own");

    private final String meaning;

    TurnRule(String meaning) {
        this.meaning = meaning;
    }

    @Override
    public String meaning() {
        return meaning;
    }
}
