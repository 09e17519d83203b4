package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class WaitTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void upTo_zero_isNone() {
        assertEquals(Wait.none(), Wait.upTo(Duration.ZERO));
        assertTrue(Wait.upTo(Duration.ZERO).isNone());
    }

    @Test
    void factories_badDurations_areRefusedWithNameAndRule() {
        for (Duration bad : new Duration[] {
            Duration.ofMillis(-1), Duration.ofNanos(1), Duration.ofDays(366), Duration.ofSeconds(Long.MAX_VALUE)
        }) {
            IllegalArgumentException told =
                    assertThrows(IllegalArgumentException.class, () -> Wait.untilStuck(bad), bad.toString());
            assertTrue(String.valueOf(told.getMessage()).startsWith("wait is "), told.getMessage());
            assertThrows(IllegalArgumentException.class, () -> Wait.upTo(bad), bad.toString());
        }
        assertThrows(IllegalArgumentException.class, () -> Wait.untilStuck(Duration.ZERO));
    }

    @Test
    void thenTakeOver_ofAWaitThatDoesNotEndWhenStuck_isRefused() {
        assertThrows(IllegalStateException.class, () -> Wait.forever().thenTakeOver());
        assertThrows(IllegalStateException.class, () -> Wait.upTo(SECOND).thenTakeOver());
        assertTrue(Wait.untilStuck(SECOND).thenTakeOver().takesOver());
    }

    @Test
    void equals_kindsOfWait_areToldApart() {
        assertNotEquals(Wait.upTo(SECOND), Wait.untilStuck(SECOND));
        assertNotEquals(Wait.untilStuck(SECOND), Wait.untilStuck(SECOND).thenTakeOver());
        assertEquals(Wait.untilStuck(SECOND), Wait.untilStuck(SECOND));
        assertEquals(
                "until stuck for PT1S, then taking over",
                Wait.untilStuck(SECOND).thenTakeOver().toString());
    }

    @Test
    void takesOver_othersThanThat_doNot() {
        assertFalse(Wait.untilStuck(SECOND).takesOver());
        assertTrue(Wait.untilStuck(SECOND).untilStuck());
        assertTrue(Wait.untilStuck(SECOND).thenTakeOver().untilStuck());
        assertFalse(Wait.upTo(SECOND).untilStuck());
        assertFalse(Wait.forever().isNone());
    }

    @Test
    void toString_eachKind_isInWords() {
        assertEquals("none", Wait.none().toString());
        assertEquals("up to PT1S", Wait.upTo(SECOND).toString());
        assertEquals("forever", Wait.forever().toString());
        assertEquals("until stuck for PT1S", Wait.untilStuck(SECOND).toString());
        assertEquals(Wait.untilStuck(SECOND).hashCode(), Wait.untilStuck(SECOND).hashCode());
        assertNotEquals(Wait.untilStuck(SECOND).hashCode(), Wait.upTo(SECOND).hashCode());
    }
}
