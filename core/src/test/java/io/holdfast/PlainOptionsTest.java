package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.PlainOptions.Patience;
import io.holdfast.internal.wire.Keys;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

final class PlainOptionsTest {
    private static final PlainOptions PLAIN = PlainOptions.defaults();

    @Test
    void values_outOfRange_areRefusedInWords() {
        Map<String, Executable> cases = new LinkedHashMap<>();
        // A lifetime of less than a millisecond would be none: a key that never expires, or one that is gone at once.
        cases.put(
                "leaseDuration is PT0.0005S, must be from 100 ms to 365 days",
                () -> PLAIN.withLeaseDuration(Duration.ofNanos(500_000)));
        cases.put(
                "leaseDuration is PT0S, must be from 100 ms to 365 days", () -> PLAIN.withLeaseDuration(Duration.ZERO));
        cases.put(
                "leaseDuration is PT-1S, must be from 100 ms to 365 days",
                () -> PLAIN.withLeaseDuration(Duration.ofSeconds(-1)));
        cases.put("maxHold is PT0S, must be from 1 ms to 365 days", () -> PLAIN.withMaxHold(Duration.ZERO));
        cases.put("maxAttempts is 0, must be at least 1", () -> PLAIN.withMaxAttempts(0));
        cases.put("maxAttempts is -1, must be at least 1", () -> PLAIN.withMaxAttempts(-1));
        cases.put(
                "minRemaining is PT27S, must be less than nine tenths of the lease duration, which is PT30S",
                () -> PLAIN.withMinRemaining(Duration.ofSeconds(27)));
        cases.put(
                "renewal is true, must be false for a key without expiry: there is nothing to renew",
                () -> PLAIN.withoutExpiry().withRenewal(true));
        cases.forEach((message, act) -> assertEquals(
                message, assertThrows(IllegalArgumentException.class, act).getMessage()));
    }

    @Test
    void withTerm_fractionOfAMillisecond_isDropped() {
        assertEquals(
                Duration.ofMillis(1500),
                PLAIN.withLeaseDuration(Duration.ofNanos(1_500_999_999)).leaseDuration());
    }

    @Test
    void withoutExpiry_isNotTheDefaultAndIsUndoneByATerm() {
        assertTrue(PLAIN.expiring());
        assertFalse(PLAIN.withoutExpiry().expiring());
        assertFalse(PLAIN.withoutExpiry().renewal());
        assertTrue(
                PLAIN.withoutExpiry().withLeaseDuration(Duration.ofSeconds(1)).expiring());
    }

    @Test
    void with_allOptions_keepsEachOfThem() {
        Supplier<String> values = () -> "v";
        Backoff backoff = Backoff.fixed(Duration.ofMillis(5));
        PlainOptions all = PLAIN.withLeaseDuration(Duration.ofSeconds(9))
                .withRenewal(false)
                .withMaxHold(Duration.ofMinutes(1))
                .withValues(values)
                .withBackoff(backoff)
                .withMaxAttempts(3)
                .withWaitLimit(Wait.forever())
                .withPatience(Patience.WITH_EACH_HOLDER)
                .withMinRemaining(Duration.ofSeconds(1));
        assertEquals(Duration.ofSeconds(9), all.leaseDuration());
        assertTrue(all.expiring());
        assertFalse(all.renewal());
        assertEquals(Duration.ofMinutes(1), all.maxHold());
        assertSame(values, all.values());
        assertSame(backoff, all.backoff());
        assertEquals(3, all.maxAttempts());
        assertEquals(Wait.forever(), all.waitLimit());
        assertEquals(Patience.WITH_EACH_HOLDER, all.patience());
        assertEquals(Duration.ofSeconds(1), all.minRemaining());
    }

    @Test
    void plainKey_anyText_isTakenAsItIs() {
        assertEquals("mutex:{a}%b", Keys.plain("mutex:{a}%b").hold());
        assertEquals(
                "key has 0 characters, must have 1 to 1000",
                assertThrows(IllegalArgumentException.class, () -> Keys.plain(""))
                        .getMessage());
    }

    @Test
    void defaults_asDocumented_areThere() {
        assertEquals(Duration.ofSeconds(30), PlainOptions.defaults().leaseDuration());
        assertEquals(1, PlainOptions.defaults().withMaxAttempts(1).maxAttempts());
    }
}
