package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RequireTest {
    @Test
    void zeroOrMore_zeroAndTheBounds_areTakenAndGivenBack() {
        for (Duration good : new Duration[] {Duration.ZERO, Duration.ofMillis(1), Duration.ofDays(365)}) {
            assertEquals(good, Require.zeroOrMore("x", good));
        }
        for (Duration bad :
                new Duration[] {Duration.ofNanos(999_999), Duration.ofDays(365).plusNanos(1)}) {
            assertThrows(IllegalArgumentException.class, () -> Require.zeroOrMore("x", bad), bad.toString());
        }
    }

    @Test
    void token_theBounds_areTakenAndGivenBack() {
        assertEquals(1, Require.token("x", 1));
        assertEquals((1L << 53) - 1, Require.token("x", (1L << 53) - 1));
        assertEquals(
                "x is 0, must be from 1 to 2^53 - 1",
                assertThrows(IllegalArgumentException.class, () -> Require.token("x", 0))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> Require.token("x", 1L << 53));
    }
}
