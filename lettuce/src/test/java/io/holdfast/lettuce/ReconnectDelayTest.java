package io.holdfast.lettuce;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ReconnectDelayTest {
    private final ReconnectDelay delay = new ReconnectDelay();

    @Test
    void createDelay_firstAttempt_isAtMostTenMilliseconds() {
        assertWithin(1, 5, 10);
    }

    @Test
    void createDelay_laterAttempts_doubleUpToASecond() {
        assertWithin(2, 10, 20);
        assertWithin(7, 320, 640);
        assertWithin(8, 500, 1000);
        assertWithin(1_000_000, 500, 1000);
        assertWithin(Long.MAX_VALUE, 500, 1000);
    }

    private void assertWithin(long attempt, long leastMillis, long mostMillis) {
        for (int i = 0; i < 100; i++) {
            Duration each = delay.createDelay(attempt);
            assertTrue(
                    each.compareTo(Duration.ofMillis(leastMillis)) >= 0
                            && each.compareTo(Duration.ofMillis(mostMillis)) <= 0,
                    attempt + ": " + each);
        }
    }
}
