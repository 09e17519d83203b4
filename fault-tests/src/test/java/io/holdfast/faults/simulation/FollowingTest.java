package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.wire.Script;
import io.holdfast.model.exclusive.Rule;
import io.holdfast.model.following.Follower;
import io.holdfast.model.line.LineRule;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What servers do in the simulation is compared with the models. That it is what these say, the runs themselves show. */
class FollowingTest {
    private static final int FEW = 40;

    @ParameterizedTest
    @EnumSource(
            value = Rule.class,
            names = {"TOMBSTONE", "REARM", "SETTLEFIRST", "SUSPECT", "LATERONLY", "RECALLMARK"})
    void run_modelOfTheLockWithoutARule_differs(Rule rule) {
        assertFound(seed -> Plan.draw(Plan.Kind.INSIDE, seed), new Follower(Rule.without(rule), LineRule.all()));
    }

    @ParameterizedTest
    @EnumSource(
            value = LineRule.class,
            names = {"TOMBSTONE", "PURGE", "PHASE", "BATCH", "STRICT", "SUSPECT", "WEIGHTBACK"})
    void run_modelOfALineWithoutARule_differs(LineRule rule) {
        assertFound(
                seed -> LinePlan.draw(LinePlan.Kind.INSIDE, seed), new Follower(Rule.all(), LineRule.without(rule)));
    }

    private static void assertFound(LongFunction<? extends Drawn> draw, Follower follower) {
        Finding found = null;
        for (long seed = 1; seed <= FEW && found == null; seed++) {
            found = draw.apply(seed).run(follower).finding();
        }
        assertNotNull(found);
        assertEquals("MODEL", found.check().name(), found::toString);
    }
}
