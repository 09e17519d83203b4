package io.holdfast.model;

import io.holdfast.model.turns.TurnWorlds;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Turns: leases that go round in one client, and how long others wait meanwhile. */
final class TurnsTest {
    private final Look look = new Look(TurnWorlds.all());

    @ParameterizedTest
    @ValueSource(strings = {"turns", "turns-slow", "turns-sent", "turns-end", "turns-any-leave"})
    void worlds_thatEnd_areSoundAndWaitingIsBounded(String setting) {
        look.isSoundToItsEnd(setting, 100_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "turns-brief",
                "turns-kill",
                "turns-told",
                "turns-late",
                "turns-sections",
                "turns-long",
                "turns-leave",
                "turns-revoke",
                "turns-three",
                "turns-any",
                "turns-any-refresh",
                "turns-any-extend",
                "turns-any-revoke"
            })
    void worlds_thatAreCut_areSoundUpToThere(String setting) {
        look.isSound(setting, 8_000);
    }

    @ParameterizedTest
    @CsvSource({
        "turnLine, turns, line 1 serves one that does not belong",
        "toldByReply, turns, line 0 waits for 8 ticks",
        "mark, turns, line 1 is overtaken by 6 sections",
        "fromTheSend, turns-sent, line 1 is overtaken by 7 sections",
        "silence, turns-slow, line 1 is overtaken by 5 sections",
        "lookFirst, turns-slow, line 1 is overtaken by 5 sections",
        "closing, turns, line 0 serves one that does not belong",
        "once, turns, line 0 serves one that does not belong",
        "sections, turns-leave, line 0 serves one that does not belong",
        "timeLimit, turns-brief, line 0 serves a closed line for too long",
        "askAnew, turns, in line 0 requests stand",
        "deadline, turns-any, line 0 lends after its deadline",
        "gone, turns-revoke, line 0 lends 3 ticks after",
        "extended, turns-any-extend, line 0 has handed on an extension",
        "place, turns-leave, line 0 serves one that does not belong",
        "withdraw, turns-leave, the hold of line 0 is nobody's",
        "tombstone, turns-any-leave, the hold of line 0 is nobody's",
        "takeBack, turns-any-refresh, the hold of line 0 is nobody's",
        "newOwner, turns-any-refresh, line 0 stands in the queue for nobody",
        "reserve, turns-any, tokens fall",
        "ownHold, turns-any, tokens fall"
    })
    void worlds_withoutARule_haveAViolation(String rule, String setting, String what) {
        look.needs(rule, setting, 60_000, what);
    }

    /** Messages make others known soon; that waiting is bounded rests on what a line asks. */
    @ParameterizedTest
    @CsvSource({"recall, turns-end", "earlyRecall, turns-end", "unwanted, turns-any-leave"})
    void worlds_withoutARuleThatMakesItFast_areSound(String rule, String setting) {
        look.isSoundToItsEnd(setting, 100_000, rule);
    }
}
