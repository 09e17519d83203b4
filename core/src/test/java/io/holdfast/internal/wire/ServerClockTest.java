package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.holdfast.internal.wire.Deadlines.ClockPair;
import org.junit.jupiter.api.Test;

final class ServerClockTest {
    private static final long MS = 1_000_000;
    private static final long MS_MICROS = 1_000;

    private final ServerClock clock = new ServerClock(2, () -> 10_000 * MS);

    @Test
    void pair_nothingRead_isNull() {
        assertNull(clock.pair(0));
    }

    @Test
    void read_first_isKept() {
        clock.read(0, 10, 20);
        assertEquals(new ClockPair(10, 20), clock.pair(0));
    }

    @Test
    void read_shorterTrip_replaces() {
        clock.read(0, 0, 5 * MS_MICROS); // the request took 5 ms to the server
        clock.read(0, 10 * MS, 12 * MS_MICROS); // and this one 2 ms
        assertEquals(new ClockPair(10 * MS, 12 * MS_MICROS), clock.pair(0));
    }

    @Test
    void read_longerTrip_isIgnored() {
        clock.read(0, 0, 2 * MS_MICROS);
        clock.read(0, 10 * MS, 15 * MS_MICROS);
        assertEquals(new ClockPair(0, 2 * MS_MICROS), clock.pair(0));
    }

    @Test
    void read_longerTripOfAnOldPair_replaces() {
        clock.read(0, 0, 2 * MS_MICROS);
        clock.read(0, 2_000 * MS, 2_100 * MS_MICROS);
        assertEquals(new ClockPair(0, 2 * MS_MICROS), clock.pair(0), "two seconds are not old");
        clock.read(0, 2_000 * MS + 1, 2_100 * MS_MICROS);
        assertEquals(new ClockPair(2_000 * MS + 1, 2_100 * MS_MICROS), clock.pair(0));
    }

    @Test
    void read_serverClockWentBack_replaces() {
        clock.read(0, 0, 1_000_000 * MS_MICROS);
        clock.read(0, MS, 0);
        assertEquals(new ClockPair(MS, 0), clock.pair(0));
    }

    @Test
    void drop_pairAtHand_isForgotten() {
        clock.read(0, 10, 20);
        clock.drop(partition -> true, 25);
        assertNull(clock.pair(0));
        clock.read(0, 30, 5);
        assertEquals(new ClockPair(30, 5), clock.pair(0));
    }

    @Test
    void drop_answerToWhatWasAskedBefore_doesNotCount() {
        clock.drop(partition -> true, 25);
        clock.read(0, 24, 1_000);
        assertNull(clock.pair(0));
    }

    @Test
    void drop_onePartition_leavesTheOthers() {
        clock.read(0, 10, 20);
        clock.read(1, 11, 21);
        clock.drop(partition -> partition == 1, 25);
        assertEquals(new ClockPair(10, 20), clock.pair(0));
        assertNull(clock.pair(1));
    }

    @Test
    void read_tripAsLong_keepsTheFirst() {
        clock.read(0, 5 * MS, 7 * MS_MICROS);
        clock.read(0, 10 * MS, 12 * MS_MICROS);
        assertEquals(new ClockPair(5 * MS, 7 * MS_MICROS), clock.pair(0));
        clock.read(0, 10 * MS, 12 * MS_MICROS - 1);
        assertEquals(new ClockPair(10 * MS, 12 * MS_MICROS - 1), clock.pair(0));
    }

    @Test
    void read_pairThatDidNotBeginAtZero_isOldAfterTwoSeconds() {
        clock.read(0, 700 * MS, 1_000 * MS_MICROS);
        clock.read(0, 2_700 * MS, 4_000 * MS_MICROS);
        assertEquals(new ClockPair(700 * MS, 1_000 * MS_MICROS), clock.pair(0));
        clock.read(0, 2_700 * MS + 1, 4_000 * MS_MICROS);
        assertEquals(new ClockPair(2_700 * MS + 1, 4_000 * MS_MICROS), clock.pair(0));
    }

    @Test
    void drop_answerToWhatWasAskedJustThen_counts() {
        clock.drop(partition -> true, 25);
        clock.read(0, 25, 1_000);
        assertEquals(new ClockPair(25, 1_000), clock.pair(0));
    }

    @Test
    void drop_twoReconnects_theLaterOneCountsInAnyOrder() {
        clock.drop(partition -> partition == 0, 25);
        clock.drop(partition -> true, 35);
        clock.drop(partition -> partition == 1, 25);
        for (int partition = 0; partition < 2; partition++) {
            clock.read(partition, 34, 1_000);
            assertNull(clock.pair(partition));
            clock.read(partition, 35, 1_000);
            assertEquals(new ClockPair(35, 1_000), clock.pair(partition));
        }
    }
}
