package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.model.wake.Wake;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whenever the end of a hold makes room for the first in line, a client looks. */
final class WakeTest {
    @Test
    void world_thatEnds_isSound() {
        Checker.Result result = look("wake", Set.of(), 100_000);
        assertNull(result.violation(), result.trace()::toString);
        assertTrue(result.complete());
    }

    @ParameterizedTest
    @ValueSource(strings = {"wake-two-die", "wake-four", "wake-pairs"})
    void worlds_thatAreCut_areSoundUpToThere(String setting) {
        Checker.Result result = look(setting, Set.of(), 8_000);
        assertNull(result.violation(), result.trace()::toString);
    }

    @ParameterizedTest
    @CsvSource({"told, wake", "enough, wake-pairs", "anybody, wake", "purge, wake"})
    void worlds_withoutARule_haveAViolation(String rule, String setting) {
        Checker.Result result = look(setting, Set.of(rule), 20_000);
        assertNotNull(result.violation(), () -> rule + " is not needed in " + result);
        assertEquals("there is room", result.violation().substring(0, 13), result.trace()::toString);
    }

    private static Checker.Result look(String setting, Set<String> without, long most) {
        return Wake.worlds().look(setting, without, most);
    }
}
