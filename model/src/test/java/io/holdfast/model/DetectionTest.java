package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.model.deadlock.Detection;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Deadlocks that are told are real, and each can be found. */
final class DetectionTest {
    @Test
    void world_thatEnds_isSoundAndEachDeadlockCanBeFound() {
        Checker.Result result = look("deadlock", Set.of(), 100_000);
        assertNull(result.violation(), result.trace()::toString);
        assertTrue(result.complete());
    }

    @ParameterizedTest
    @ValueSource(strings = {"deadlock-more", "deadlock-again", "deadlock-three"})
    void worlds_thatAreCut_areSoundUpToThere(String setting) {
        Checker.Result result = look(setting, Set.of(), 8_000);
        assertNull(result.violation(), result.trace()::toString);
    }

    @ParameterizedTest
    @CsvSource({"twoPictures, deadlock", "oneAfterTheOther, deadlock", "sameOwners, deadlock-again"})
    void worlds_withoutARule_haveAViolation(String rule, String setting) {
        Checker.Result result = look(setting, Set.of(rule), 100_000);
        assertNotNull(result.violation(), () -> rule + " is not needed in " + result);
        assertEquals("a client that was in no deadlock", result.violation().substring(0, 32), result.trace()::toString);
    }

    private static Checker.Result look(String setting, Set<String> without, long most) {
        return Detection.worlds().look(setting, without, most);
    }
}
