package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.holdfast.internal.wire.Keys;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What is wrong is told when it is handed in, with the parameter, the value and the rule. */
class BadInputTest {
    private static final LockOptions LOCK = LockOptions.defaults();
    private static final HoldfastOptions CLIENT = HoldfastOptions.defaults();
    private static final Duration NEGATIVE = Duration.ofSeconds(-1);
    private static final Duration TOO_FINE = Duration.ofNanos(999_999);
    private static final Duration HUGE = Duration.ofSeconds(Long.MAX_VALUE);

    @Test
    void durations_outOfRange_areRefusedInWords() {
        Map<String, Executable> cases = new LinkedHashMap<>();
        cases.put(
                "leaseDuration is PT0S, must be from 100 ms to 365 days", () -> LOCK.withLeaseDuration(Duration.ZERO));
        cases.put("leaseDuration is PT-1S, must be from 100 ms to 365 days", () -> LOCK.withLeaseDuration(NEGATIVE));
        cases.put(
                "leaseDuration is PT0.099S, must be from 100 ms to 365 days",
                () -> LOCK.withLeaseDuration(Duration.ofMillis(99)));
        cases.put("leaseDuration is " + HUGE + ", must be from 100 ms to 365 days", () -> LOCK.withLeaseDuration(HUGE));
        cases.put("wait is PT-1S, must be 0, or from 1 ms to 365 days", () -> Wait.upTo(NEGATIVE));
        cases.put("wait is PT0.000999999S, must be 0, or from 1 ms to 365 days", () -> Wait.upTo(TOO_FINE));
        cases.put("wait is " + HUGE + ", must be 0, or from 1 ms to 365 days", () -> Wait.upTo(HUGE));
        cases.put(
                "handoffTimeout is PT0.049S, must be from 50 ms to 10 s",
                () -> LOCK.withHandoffTimeout(Duration.ofMillis(49)));
        cases.put(
                "handoffTimeout is PT11S, must be from 50 ms to 10 s",
                () -> LOCK.withHandoffTimeout(Duration.ofSeconds(11)));
        cases.put("maxHold is PT0S, must be from 1 ms to 365 days", () -> LOCK.withMaxHold(Duration.ZERO));
        cases.put("maxScopedHold is PT-1S, must be from 1 ms to 365 days", () -> LOCK.withMaxScopedHold(NEGATIVE));
        cases.put("lockDelay is PT-1S, must be 0, or from 1 ms to 365 days", () -> LOCK.withLockDelay(NEGATIVE));
        cases.put("minHold is PT-1S, must be 0, or from 1 ms to 365 days", () -> LOCK.withMinHold(NEGATIVE));
        cases.put(
                "minRemaining is PT29S, must be less than nine tenths of the lease duration, which is PT30S",
                () -> LOCK.withMinRemaining(Duration.ofSeconds(29)));
        cases.put(
                "requestLife is PT0.099S, must be from 100 ms to 365 days",
                () -> LOCK.withRequestLife(Duration.ofMillis(99), LockOptions.RequestEnd.LEAVE));
        cases.put("commandTimeout is PT0S, must be from 10 ms to 60 s", () -> CLIENT.withCommandTimeout(Duration.ZERO));
        cases.put("connectTimeout is PT-1S, must be from 10 ms to 60 s", () -> CLIENT.withConnectTimeout(NEGATIVE));
        cases.put("tokenLife is PT0S, must be from 1 s to 365 days", () -> CLIENT.withTokenLife(Duration.ZERO));
        cases.put(
                "waiterDeadline is PT5S, must be from 6 s to 600 s",
                () -> CLIENT.withWaiterDeadline(Duration.ofSeconds(5)));
        assertTold(cases);
    }

    @Test
    void texts_outOfRange_areRefusedInWords() {
        Map<String, Executable> cases = new LinkedHashMap<>();
        cases.put("lock name has 0 characters, must have 1 to 1000", () -> Keys.of("hf", ""));
        cases.put(
                "lock name has 1001 characters, must have 1 to 1000: it begins '" + "n".repeat(40) + "'",
                () -> Keys.of("hf", "n".repeat(1_001)));
        cases.put("prefix has 0 characters, must have 1 to 64", () -> CLIENT.withPrefix(""));
        cases.put("prefix is 'a{b', must have no braces, spaces or control characters", () -> CLIENT.withPrefix("a{b"));
        cases.put("application has 0 characters, must have 1 to 100", () -> CLIENT.withApplication(""));
        assertTold(cases);
    }

    private static void assertTold(Map<String, Executable> cases) {
        assertAll(cases.entrySet().stream()
                .map(entry -> () -> assertEquals(
                        entry.getKey(),
                        assertThrows(IllegalArgumentException.class, entry.getValue())
                                .getMessage())));
    }
}
