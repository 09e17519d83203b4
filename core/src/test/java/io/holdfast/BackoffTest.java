package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

final class BackoffTest {
    private static final Duration TEN = Duration.ofMillis(10);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Duration delay(Backoff backoff, int attempt, double random) {
        return Duration.ofNanos(backoff.nanos(attempt, random));
    }

    @Test
    void fixed_anyAttempt_isTheSame() {
        assertEquals(TEN, delay(Backoff.fixed(TEN), 1, 0.5));
        assertEquals(TEN, delay(Backoff.fixed(TEN), 1_000_000, 0.5));
    }

    @Test
    void exponential_eachAttempt_doublesUpToTheLongest() {
        Backoff backoff = Backoff.exponential(TEN, SECOND);
        assertEquals(TEN, delay(backoff, 1, 0));
        assertEquals(Duration.ofMillis(20), delay(backoff, 2, 0));
        assertEquals(Duration.ofMillis(640), delay(backoff, 7, 0));
        assertEquals(SECOND, delay(backoff, 8, 0));
        assertEquals(SECOND, delay(backoff, Integer.MAX_VALUE, 0));
        assertEquals(
                Duration.ofHours(1),
                delay(Backoff.exponential(Duration.ofHours(1), Duration.ofHours(1)), Integer.MAX_VALUE, 0));
    }

    @Test
    void withJitter_anyRandom_takesOffAtMostTheShare() {
        Backoff backoff = Backoff.fixed(TEN).withJitter(0.5);
        assertEquals(TEN, delay(backoff, 1, 0));
        assertEquals(Duration.ofMillis(5), delay(backoff, 1, 1));
        assertEquals(Duration.ofMillis(1), delay(Backoff.fixed(TEN).withJitter(1), 1, 1), "never no wait at all");
        assertTrue(backoff.toString().contains("50 %"), backoff.toString());
    }

    @Test
    void of_function_seesTheAttemptAndIsBroughtIntoRange() {
        assertEquals(Duration.ofMillis(30), delay(Backoff.of(attempt -> TEN.multipliedBy(attempt)), 3, 0));
        assertEquals(Duration.ofMillis(1), delay(Backoff.of(attempt -> Duration.ZERO), 1, 0));
        assertEquals(Duration.ofMillis(1), delay(Backoff.of(attempt -> Duration.ofDays(-1)), 1, 0));
        assertEquals(Duration.ofHours(1), delay(Backoff.of(attempt -> Duration.ofSeconds(Long.MAX_VALUE)), 1, 0));
        assertEquals(Duration.ofMillis(1), delay(Backoff.of(attempt -> Duration.ofSeconds(Long.MIN_VALUE)), 1, 0));
    }

    @Test
    void values_outOfRange_areRefusedInWords() {
        Map<String, Executable> cases = new LinkedHashMap<>();
        cases.put("delay is PT0S, must be from 1 ms to 3600 s", () -> Backoff.fixed(Duration.ZERO));
        cases.put("delay is PT2H, must be from 1 ms to 3600 s", () -> Backoff.fixed(Duration.ofHours(2)));
        cases.put("first is PT-1S, must be from 1 ms to 3600 s", () -> Backoff.exponential(SECOND.negated(), SECOND));
        cases.put("longest is PT0.01S, must be from 1 s to 3600 s", () -> Backoff.exponential(SECOND, TEN));
        cases.put("share is -0.1, must be from 0 to 1", () -> Backoff.fixed(TEN).withJitter(-0.1));
        cases.put("share is NaN, must be from 0 to 1", () -> Backoff.fixed(TEN).withJitter(Double.NaN));
        cases.forEach((message, act) -> assertEquals(
                message, assertThrows(IllegalArgumentException.class, act).getMessage()));
    }

    @Test
    void withJitter_theBounds_areTaken() {
        assertEquals(
                "fixed PT0.01S",
                Backoff.fixed(TEN).withJitter(0.5).withJitter(0).toString());
        assertEquals(
                "fixed PT0.01S, less up to 100 %",
                Backoff.fixed(TEN).withJitter(1).toString());
    }
}
