package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Into which slot a moment falls. */
final class OnceSlotTest {
    @ParameterizedTest
    @CsvSource({
        "PT1H, 2026-11-27T13:00:00Z, 2026-11-27T13:00:00Z",
        "PT1H, 2026-11-27T13:59:49.999Z, 2026-11-27T13:00:00Z",
        "PT1H, 2026-11-27T13:59:50Z, 2026-11-27T14:00:00Z",
        "PT1H, 2026-11-27T14:00:00Z, 2026-11-27T14:00:00Z",
        "PT10S, 2026-11-27T13:00:08.999Z, 2026-11-27T13:00:00Z",
        "PT10S, 2026-11-27T13:00:09Z, 2026-11-27T13:00:10Z",
        "P7D, 2026-11-25T23:59:00Z, 2026-11-19T00:00:00Z",
        "P7D, 2026-11-26T00:00:00Z, 2026-11-26T00:00:00Z",
        "PT1.5S, 1970-01-01T00:00:01.350Z, 1970-01-01T00:00:01.500Z"
    })
    void slotOf_period_beginsAtAMultipleAndTakesWhatComesShortlyBefore(Duration period, Instant now, String slot) {
        assertEquals(slot, Once.slotOf(period, now));
    }

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin, 2026-11-27T22:59:49Z, 2026-11-27",
        "Europe/Berlin, 2026-11-27T22:59:50Z, 2026-11-28",
        "Europe/Berlin, 2026-10-24T22:00:00Z, 2026-10-25",
        "Europe/Berlin, 2026-10-25T22:59:00Z, 2026-10-25",
        "Asia/Kolkata, 2026-11-27T18:30:00Z, 2026-11-28"
    })
    void slotOf_zone_isItsDay(ZoneId zone, Instant now, String slot) {
        assertEquals(slot, Once.slotOf(zone, now));
    }

    @Test
    void slotOf_eachMomentOfAPeriod_isTheSameSlot() {
        Instant begins = Instant.parse("2026-11-27T13:00:00Z").minusSeconds(10);
        for (int second = 0; second < 3_600; second++) {
            assertEquals("2026-11-27T13:00:00Z", Once.slotOf(Duration.ofHours(1), begins.plusSeconds(second)));
        }
    }
}
