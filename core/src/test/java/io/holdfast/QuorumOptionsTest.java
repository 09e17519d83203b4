package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.holdfast.internal.quorum.QuorumClient;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

final class QuorumOptionsTest {
    private static final Duration MILLISECOND = Duration.ofMillis(1);

    @Test
    void with_eachOption_changesThatOneOnly() {
        QuorumOptions defaults = QuorumOptions.defaults();
        HoldfastOptions client = HoldfastOptions.defaults().withPrefix("x");
        Backoff backoff = Backoff.fixed(MILLISECOND);
        List<QuorumOptions> changed = List.of(
                defaults.withClient(client),
                defaults.withNodeTimeout(MILLISECOND),
                defaults.withMaxLeaseDuration(Duration.ofHours(1)),
                defaults.withBackoff(backoff),
                defaults.withMaxAttempts(1));
        QuorumOptions all = defaults;
        for (int i = 0; i < changed.size(); i++) {
            QuorumOptions one = changed.get(i);
            assertNotEquals(defaults, one);
            assertEquals(i == 0 ? client : defaults.client(), one.client());
            assertEquals(i == 1 ? MILLISECOND : Duration.ofMillis(100), one.nodeTimeout());
            assertEquals(i == 2 ? Duration.ofHours(1) : Duration.ofMinutes(1), one.maxLeaseDuration());
            assertEquals(i == 3 ? backoff : defaults.backoff(), one.backoff());
            assertEquals(i == 4 ? 1 : Integer.MAX_VALUE, one.maxAttempts());
        }
        all = all.withMaxAttempts(1).withBackoff(backoff).withMaxLeaseDuration(Duration.ofHours(1));
        QuorumOptions same = defaults.withMaxLeaseDuration(Duration.ofHours(1))
                .withBackoff(backoff)
                .withMaxAttempts(1);
        assertEquals(all, same);
        assertEquals(all.hashCode(), same.hashCode());
        assertNotEquals(all.hashCode(), defaults.hashCode());
        assertEquals(
                "QuorumOptions[nodeTimeout PT0.1S, maxLeaseDuration PT1H, backoff fixed PT0.001S, maxAttempts 1]",
                all.toString());
    }

    @Test
    void with_valuesAtTheBounds_areTaken() {
        QuorumOptions defaults = QuorumOptions.defaults();
        assertEquals(
                Duration.ofSeconds(10),
                defaults.withNodeTimeout(Duration.ofSeconds(10)).nodeTimeout());
        assertEquals(
                Duration.ofMillis(100),
                defaults.withMaxLeaseDuration(Duration.ofMillis(100)).maxLeaseDuration());
        assertEquals(
                Duration.ofDays(1),
                defaults.withMaxLeaseDuration(Duration.ofDays(1)).maxLeaseDuration());
    }

    @Test
    void with_valuesOutOfRange_areRefusedInWords() {
        QuorumOptions defaults = QuorumOptions.defaults();
        Map<String, Executable> cases = new LinkedHashMap<>();
        cases.put("nodeTimeout is PT0S, must be from 1 ms to 10 s", () -> defaults.withNodeTimeout(Duration.ZERO));
        cases.put(
                "maxLeaseDuration is PT25H, must be from 100 ms to 1 days",
                () -> defaults.withMaxLeaseDuration(Duration.ofHours(25)));
        cases.put("maxAttempts is 0, must be at least 1", () -> defaults.withMaxAttempts(0));
        cases.forEach((message, act) -> assertEquals(
                message, assertThrows(IllegalArgumentException.class, act).getMessage()));
    }

    @Test
    void quarantine_ofAMinute_isThatAndOnePercentAndAFixedDriftAndASecond() {
        assertEquals(
                Duration.ofMillis(61_602),
                QuorumClient.quarantine(QuorumOptions.defaults().maxLeaseDuration()));
    }
}
