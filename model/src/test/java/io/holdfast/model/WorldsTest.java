package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
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
        Checker.Result result = look(setting, "", 2 * MOST);
        assertNull(result.violation(), result.trace()::toString);
        assertTrue(result.complete());
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
        Checker.Result result = look(setting, "", MOST);
        assertNull(result.violation(), result.trace()::toString);
    }

    @ParameterizedTest
    @CsvSource({
        "tombstone, small",
        "rearm, copies",
        "ownercheck, small",
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
        Checker.Result result = look(setting, rule, MOST);
        assertNotNull(result.violation(), rule + " is not needed in " + result);
        assertTrue(result.trace().size() > 1);
    }

    @Test
    void world_outsideOfAssumptionA3_hasAViolation() {
        assertNotNull(look(Settings.OUTSIDE, "", MOST).violation());
    }

    @Test
    void trace_ofAViolation_isToldInTheWordsOfTheProtocol() {
        Checker.Result result = look("small", "tombstone", MOST);
        assertEquals("A asks for the lock.", result.trace().get(0));
    }

    private static Checker.Result look(String name, String without, long most) {
        Worlds kind = Settings.worlds().worlds().containsKey(name) ? Settings.worlds() : LineSettings.worlds();
        return kind.look(name, without.isEmpty() ? Set.of() : Set.of(without), most);
    }
}
