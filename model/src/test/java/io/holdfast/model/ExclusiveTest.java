package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.model.exclusive.Rule;
import io.holdfast.model.exclusive.Settings;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The exclusive lock with its clients: what must never be is nowhere, and without a rule it is. */
final class ExclusiveTest {
    private static final long MOST = 60_000;

    @ParameterizedTest
    @ValueSource(strings = {"tiny", "small", "deaf"})
    void worlds_thatEnd_areSoundAndEverybodyCanBeServed(String setting) {
        Checker.Result result = look(setting, Rule.all());
        assertNull(result.violation(), result.trace()::toString);
        assertTrue(result.complete());
    }

    @ParameterizedTest
    @ValueSource(strings = {"copies", "dying", "three", "lossy", "again"})
    void worlds_thatAreCut_areSoundUpToThere(String setting) {
        Checker.Result result = look(setting, Rule.all());
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
        "takeBack, small"
    })
    void worlds_withoutARule_haveAViolation(String rule, String setting) {
        Checker.Result result = look(setting, Rule.without(Rule.named(rule)));
        assertNotNull(result.violation(), rule + " is not needed in " + result);
        assertTrue(result.trace().size() > 1);
    }

    @Test
    void world_outsideOfAssumptionA3_hasAViolation() {
        assertNotNull(look(Settings.OUTSIDE, Rule.all()).violation());
    }

    @Test
    void trace_ofAViolation_isToldInTheWordsOfTheProtocol() {
        Checker.Result result = look("small", Rule.without(Rule.TOMBSTONE));
        assertEquals("A asks for the lock.", result.trace().get(0));
    }

    private static Checker.Result look(String setting, Set<Rule> rules) {
        Settings.World world = Settings.world(setting);
        Checker<?> checker = new Checker<>(world.model(rules), MOST);
        return world.served() ? checker.canReach() : checker.violations();
    }
}
