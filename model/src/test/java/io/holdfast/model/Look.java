package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;

/** Looks at the worlds of one model, and what they have to come to. */
record Look(Worlds worlds) {
    /** Nothing is wrong in the first states. */
    Checker.Result isSound(String setting, long most, String... without) {
        Checker.Result result = worlds.look(setting, Set.of(without), most);
        assertNull(result.violation(), result.trace()::toString);
        return result;
    }

    /** Nothing is wrong in any state. */
    void isSoundToItsEnd(String setting, long most, String... without) {
        assertTrue(isSound(setting, most, without).complete());
    }

    /** A rule is needed: without it a violation is found, whose words begin so. */
    Checker.Result needs(String rule, String setting, long most, String what) {
        Checker.Result result = worlds.look(setting, Set.of(rule), most);
        assertNotNull(result.violation(), () -> rule + " is not needed in " + result);
        assertEquals(what, result.violation().substring(0, what.length()), result.trace()::toString);
        return result;
    }
}
