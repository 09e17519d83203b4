package io.holdfast.model;

import io.holdfast.model.deadlock.Detection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Deadlocks that are told are real, and each can be found. */
final class DetectionTest {
    private final Look look = new Look(Detection.worlds());

    @Test
    void world_thatEnds_isSoundAndEachDeadlockCanBeFound() {
        look.isSoundToItsEnd("deadlock", 100_000);
    }

    @ParameterizedTest
    @ValueSource(strings = {"deadlock-more", "deadlock-again", "deadlock-three"})
    void worlds_thatAreCut_areSoundUpToThere(String setting) {
        look.isSound(setting, 8_000);
    }

    @ParameterizedTest
    @CsvSource({"twoPictures, deadlock", "oneAfterTheOther, deadlock", "sameOwners, deadlock-again"})
    void worlds_withoutARule_haveAViolation(String rule, String setting) {
        look.needs(rule, setting, 100_000, "a client that was in no deadlock");
    }
}
