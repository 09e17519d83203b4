package io.holdfast.model;

import io.holdfast.model.wake.Wake;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whenever the end of a hold makes room for the first in line, a client looks. */
final class WakeTest {
    private final Look look = new Look(Wake.worlds());

    @Test
    void world_thatEnds_isSound() {
        look.isSoundToItsEnd("wake", 100_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"wake-two-die", "wake-four", "wake-pairs"})
    void worlds_thatAreCut_areSoundUpToThere(String setting) {
        look.isSound(setting, 8_000);
    }

    @ParameterizedTest
    @CsvSource({"told, wake", "enough, wake-pairs", "anybody, wake", "purge, wake"})
    void worlds_withoutARule_haveAViolation(String rule, String setting) {
        look.needs(rule, setting, 20_000, "there is room");
    }
}
