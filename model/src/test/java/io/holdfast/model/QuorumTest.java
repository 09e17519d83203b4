package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.model.quorum.Quorum;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A majority of nodes: two leases are never valid and tokens rise, and without a rule one of both is not so. */
final class QuorumTest {
    @Test
    void world_thatEnds_isSound() {
        Checker.Result result = look("quorum-split", Set.of(), 100_000);
        assertNull(result.violation(), result.trace()::toString);
        assertTrue(result.complete());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"quorum-renewed", "quorum-empty", "quorum-older", "quorum", "quorum-proposed", "quorum-all"})
    void worlds_thatAreCut_areSoundUpToThere(String setting) {
        Checker.Result result = look(setting, Set.of(), 10_000);
        assertNull(result.violation(), result.trace()::toString);
    }

    @ParameterizedTest
    @CsvSource({
        "majority, quorum, two leases",
        "lastToken, quorum-split, tokens fall",
        "proposalCap, quorum-empty, tokens fall",
        "writeBack, quorum-split, tokens fall",
        "raiseOwner, quorum-split, two leases",
        "deadline, quorum-split, tokens fall",
        "renewedByMajority, quorum-renewed, two leases",
        "takeBack, quorum-split, orphan",
        "tombstone, quorum-split, orphan",
        "quarantine, quorum-empty, two leases",
        "sameRun, quorum-older, two leases"
    })
    void worlds_withoutARule_haveAViolation(String rule, String setting, String what) {
        Checker.Result result = look(setting, Set.of(rule), 100_000);
        assertNotNull(result.violation(), () -> rule + " is not needed in " + result);
        assertEquals(what, result.violation().substring(0, what.length()), result.trace()::toString);
    }

    private static Checker.Result look(String setting, Set<String> without, long most) {
        return Quorum.worlds().look(setting, without, most);
    }
}
