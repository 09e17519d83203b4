package io.holdfast.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class HourTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final long STEP = Hour.STEP_MILLIS;

    @Test
    void sum_withinTheHour_isOfAll() {
        Hour hour = new Hour();
        hour.add(NOW, 2);
        hour.add(NOW + STEP / 2, 1);
        hour.add(NOW + STEP, 4);
        assertEquals(3, hour.at(NOW / STEP * STEP));
        assertEquals(7, hour.sum(NOW + STEP));
    }

    @Test
    void sum_anHourLater_isOfNothing() {
        Hour hour = new Hour();
        hour.add(NOW, 2);
        assertEquals(0, hour.sum(NOW + Hour.BINS * STEP));
        hour.add(NOW + Hour.BINS * STEP, 1);
        assertEquals(1, hour.sum(NOW + Hour.BINS * STEP));
    }

    @Test
    void at_whereNobodyWatched_isNegative() {
        Hour hour = new Hour();
        assertEquals(-1, hour.at(NOW));
        hour.add(NOW, 0);
        hour.add(NOW + 3 * STEP, 0);
        assertEquals(0, hour.at(NOW / STEP * STEP));
        assertEquals(-1, hour.at((NOW / STEP + 1) * STEP));
        assertEquals(-1, hour.at((NOW / STEP + 2) * STEP));
        assertEquals(0, hour.at((NOW / STEP + 3) * STEP));
        assertEquals(-1, hour.at((NOW / STEP + 4) * STEP));
    }

    @Test
    void most_ofSeveral_isTheGreatest() {
        Hour hour = new Hour();
        hour.most(NOW, 3);
        hour.most(NOW, 1);
        assertEquals(3, hour.at(NOW / STEP * STEP));
    }

    @Test
    void add_clockWentBack_isCountedWhereItWas() {
        Hour hour = new Hour();
        hour.add(NOW, 1);
        hour.add(NOW - 50 * STEP, 1);
        assertEquals(2, hour.at(NOW / STEP * STEP));
    }
}
