package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.model.exclusive.Settings;
import io.holdfast.model.line.LineSettings;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Locks of each kind with their clients: what must never be is nowhere, and without a rule it is. */
final class WorldsTest {
    private static final long MOST = 60_000;

    @ParameterizedTest
    @ValueSource(strings = {"tiny", "small", "deaf", "rw-tiny", "rw-small"})
    void worlds_thatEnd_areSoundAndEverybodyCanBeServed(String setting) {
        lookAt(setting).isSoundToItsEnd(setting, 2 * MOST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "copies",
                "dying",
                "three",
                "lossy",
                "again",
                "rw-down",
                "rw-copies",
                "rw-writer",
                "rw-frozen",
                "permits-small",
                "permits-dying"
            })
    void worlds_thatAreCut_areSoundUpToThere(String setting) {
        lookAt(setting).isSound(setting, MOST);
    }

    @ParameterizedTest
    @CsvSource({
        "tombstone, small",
        "rearm, copies",
        "ownercheck, small",
        "suspect, small",
        "lapseback, small",
        "settlefirst, dying",
        "countedFromTheSend, small",
        "endedBeforeTheRequestLeaves, small",
        "confirmFirst, small",
        "takeBack, small",
        "tombstone, rw-small",
        "purge, rw-small",
        "suspect, rw-small",
        "lapseback, rw-small",
        "rearm, rw-down",
        "tellrearm, rw-down",
        "claimskeepdetails, rw-down",
        "phase, rw-down",
        "batch, rw-down",
        "cancelserves, rw-down",
        "dgtoken, rw-down",
        "dgserves, rw-down",
        "dgrearm, rw-copies",
        "closephase, rw-writer",
        "strict, rw-writer",
        "newcomer, rw-writer",
        "weightback, permits-small",
        "countedFromTheSend, rw-small",
        "endedBeforeTheRequestLeaves, rw-small",
        "confirmFirst, rw-small",
        "takeBack, rw-small"
    })
    void worlds_withoutARule_haveAViolation(String rule, String setting) {
        Checker.Result result = lookAt(setting).needs(rule, setting, MOST, "");
        assertTrue(result.trace().size() > 1);
    }

    @Test
    void world_outsideOfAssumptionA3_hasAViolation() {
        assertNotNull(Settings.worlds().look(Settings.OUTSIDE, Set.of(), MOST).violation());
    }

    @Test
    void trace_ofAViolation_isToldInTheWordsOfTheProtocol() {
        Checker.Result result = Settings.worlds().look("small", Set.of("tombstone"), MOST);
        assertEquals("A asks for the lock.", result.trace().get(0));
    }

    private static Look lookAt(String setting) {
        Worlds locks = Settings.worlds();
        return new Look(locks.worlds().containsKey(setting) ? locks : LineSettings.worlds());
    }
}
