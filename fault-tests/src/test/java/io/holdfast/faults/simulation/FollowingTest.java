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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What servers do in the simulation is compared with the models: a model that lacks a rule differs, and most calls are followed. That
 * nothing differs from the models as they are, the runs themselves show.
 */
class FollowingTest {
    private static final int FEW = 24;

    @ParameterizedTest
    @EnumSource(
            value = Rule.class,
            names = {
                "TOMBSTONE",
                "REARM",
                "OWNERCHECK",
                "RECALLMARK",
                "REVOKEMESSAGE",
                "OLDTOMBSTONE",
                "SETTLEFIRST",
                "LATERONLY"
            })
    void run_modelOfTheLockWithoutARule_differs(Rule rule) {
        Finding found = null;
        for (long seed = 1; seed <= FEW && found == null; seed++) {
            for (Plan.Kind kind : EnumSet.of(Plan.Kind.INSIDE, Plan.Kind.STEERED)) {
                Follower follower = new Follower(Rule.without(rule), LineRule.all());
                found = found != null
                        ? found
                        : Plan.draw(kind, seed).run(follower).finding();
            }
        }
        assertDiffers(found);
    }

    /**
     * Only what happens too seldom in so few runs is left out, and the pause, of which the simulation has none:
     * {@code LineConformanceTest} has all.
     */
    @ParameterizedTest
    @EnumSource(
            value = LineRule.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"STANDING", "PLACEBACK", "UNLIMITSERVES", "PAUSED"})
    void run_modelOfALineWithoutARule_differs(LineRule rule) {
        Finding found = null;
        for (long seed = 1; seed <= FEW && found == null; seed++) {
            for (LinePlan.Kind kind : EnumSet.of(LinePlan.Kind.INSIDE, LinePlan.Kind.STEERED)) {
                Follower follower = new Follower(Rule.all(), LineRule.without(rule));
                found = found != null
                        ? found
                        : LinePlan.draw(kind, seed).run(follower).finding();
            }
        }
        assertDiffers(found);
    }

    private static void assertDiffers(@Nullable Finding found) {
        assertNotNull(found, "nothing differs");
        assertEquals("MODEL", found.check().name(), found::toString);
    }

    @Test
    void run_callsOfScriptsOfTheModels_areFollowed() {
        Follower follower = new Follower();
        for (long seed = 1; seed <= 4; seed++) {
            Plan.draw(Plan.Kind.STEERED, seed).run(follower);
            LinePlan.draw(LinePlan.Kind.STEERED, seed).run(follower);
        }
        Set<Script> core = EnumSet.of(
                Script.ACQUIRE,
                Script.RELEASE,
                Script.CONFIRM,
                Script.RENEW,
                Script.REFRESH,
                Script.REVOKE,
                Script.LINE_ACQUIRE,
                Script.LINE_RELEASE,
                Script.LINE_CONFIRM,
                Script.LINE_RENEW,
                Script.LINE_REFRESH,
                Script.LINE_REVOKE);
        for (Script script : core) {
            long followed = follower.figures().followed(script);
            long left = follower.figures().left(script);
            assertTrue(followed > 0 && left * 50 <= followed, () -> script + " in " + follower.figures());
        }
    }
}
