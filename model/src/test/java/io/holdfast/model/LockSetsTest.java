package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.model.sets.LockSets;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several locks as one: no deadlock, nothing left over, and no set without one of its locks. */
final class LockSetsTest {
    @ParameterizedTest
    @ValueSource(strings = {"sets", "sets-ring", "sets-three", "sets-reads"})
    void worlds_thatEnd_areSoundAndEverybodyCanHaveItsSet(String setting) {
        Checker.Result result = look(setting, Set.of(), 100_000);
        assertNull(result.violation(), result.trace()::toString);
        assertTrue(result.complete());
    }

    @ParameterizedTest
    @ValueSource(strings = {"sets-loss", "sets-kill", "sets-all"})
    void worlds_thatAreCut_areSoundUpToThere(String setting) {
        Checker.Result result = look(setting, Set.of(), 15_000);
        assertNull(result.violation(), result.trace()::toString);
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
        "toldAtLast, sets, lock 0 knows"
    })
    void worlds_withoutARule_haveAViolation(String rule, String setting, String what) {
        Checker.Result result = look(setting, Set.of(rule), 20_000);
        assertNotNull(result.violation(), () -> rule + " is not needed in " + result);
        assertEquals(what, result.violation().substring(0, what.length()), result.trace()::toString);
    }

    private static Checker.Result look(String setting, Set<String> without, long most) {
        return LockSets.worlds().look(setting, without, most);
    }
}
