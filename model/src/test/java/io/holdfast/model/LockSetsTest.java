package io.holdfast.model;

import io.holdfast.model.sets.LockSets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several locks as one: no deadlock, nothing left over, and no set without one of its locks. */
final class LockSetsTest {
    private final Look look = new Look(LockSets.worlds());

    @ParameterizedTest
    @ValueSource(strings = {"sets", "sets-ring", "sets-three", "sets-reads"})
    void worlds_thatEnd_areSoundAndEverybodyCanHaveItsSet(String setting) {
        look.isSoundToItsEnd(setting, 100_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sets-loss", "sets-kill", "sets-all"})
    void worlds_thatAreCut_areSoundUpToThere(String setting) {
        look.isSound(setting, 15_000);
    }

    @ParameterizedTest
    @CsvSource({
        "order, sets, deadlock",
        "oneByOne, sets, deadlock",
        "beginAnew, sets-three, deadlock",
        "giveBack, sets, lock 0 knows",
        "withdraw, sets, lock 0 knows",
        "tombstone, sets, lock 0 knows",
        "lostToo, sets-loss, lock 0 knows",
        "newOwners, sets-loss, 'request 0 has its set, but not'",
        "toldAtLast, sets, lock 0 knows",
        "earlierToo, sets-loss, lock 0 knows"
    })
    void worlds_withoutARule_haveAViolation(String rule, String setting, String what) {
        look.needs(rule, setting, 20_000, what);
    }
}
