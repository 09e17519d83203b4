package io.holdfast.model;

import io.holdfast.model.quorum.Quorum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A majority of nodes: two leases are never valid and tokens rise, and without a rule one of both is not so. */
final class QuorumTest {
    private final Look look = new Look(Quorum.worlds());

    @Test
    void world_thatEnds_isSound() {
        look.isSoundToItsEnd("quorum-split", 100_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"quorum-renewed", "quorum-empty", "quorum-older", "quorum", "quorum-proposed", "quorum-all"})
    void worlds_thatAreCut_areSoundUpToThere(String setting) {
        look.isSound(setting, 10_000);
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
        look.needs(rule, setting, 100_000, what);
    }
}
