package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.wire.ClockRate.Ahead;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ClockRateTest {
    private static final long MS = 1_000_000;
    private static final long SECOND = 1_000 * MS;
    private static final long EPOCH_MICROS = 1_790_000_000_000_000L;
    private static final double TOLERATED = 1.1;
    private static final double CHRONY = 1.083_333;
    private static final int WORLDS = 3_000;

    private ClockRate rate = ClockRate.UNKNOWN;
    private double server = EPOCH_MICROS * 1_000.0; // what the server's clock shows at the moment of local
    private long local;

    /** A reply, so long after the one before, of a server whose clock runs at this rate; half the trip each way. */
    private void reply(long afterNanos, double speed, long tripNanos) {
        local += afterNanos;
        server += afterNanos * speed;
        rate = rate.read(local - tripNanos / 2, local + tripNanos / 2, (long) (server / 1_000), TOLERATED);
    }

    private void replies(int count, double speed) {
        for (int i = 0; i < count; i++) {
            reply(SECOND, speed, MS);
        }
    }

    private Ahead ahead() {
        return Objects.requireNonNull(rate.ahead());
    }

    private static void assertAbout(long expected, long actual, long most) {
        assertTrue(Math.abs(actual - expected) <= most, () -> "about " + expected + " was expected: " + actual);
    }

    // ---- one clock

    @Test
    void read_firstReply_saysNothing() {
        reply(0, 1, MS);
        assertEquals(1, rate.rate());
        assertNull(rate.ahead());
    }

    @Test
    void read_rateOfTheAllowance_isNotAhead() {
        replies(1_000, Deadlines.ALLOWED_RATE);
        assertEquals(1, rate.rate());
        assertNull(rate.ahead());
    }

    @Test
    void read_asFastAsChronySlews_isKnownASecondLaterWithinTheTrip() {
        replies(2, CHRONY);
        assertEquals(CHRONY, rate.rate(), 0.002);
        assertTrue(rate.rate() >= CHRONY, "it runs faster than what is counted");
        assertTrue(ahead().slowest() <= CHRONY, "it runs slower than what is said");
        assertTrue(ahead().isNews());
        assertFalse(rate.isUnfit());
    }

    @Test
    void read_twoPercentFastOverALongTrip_isKnownOnceTheTripsAreSmallBesideTheTime() {
        for (int i = 0; i < 3; i++) {
            reply(SECOND, 1.02, 20 * MS);
        }
        assertNull(rate.ahead(), "a trip of 20 ms in a second proves nothing");
        for (int i = 0; i < 6; i++) {
            reply(SECOND, 1.02, 20 * MS);
        }
        assertTrue(ahead().slowest() > 1.01 && ahead().slowest() <= 1.02, () -> "" + ahead());
    }

    @Test
    void read_goesOnAtTheSameRate_isNoNews() {
        replies(2, CHRONY);
        Ahead first = ahead();
        replies(100, CHRONY);
        assertSame(first, rate.ahead());
        assertEquals(CHRONY, rate.rate(), 0.002);
    }

    @Test
    void read_runsRightForTenSeconds_countsWholeTermsAgain() {
        replies(5, CHRONY);
        replies(5, 1);
        assertEquals(CHRONY, rate.rate(), 0.002);
        replies(15, 1);
        assertEquals(1, rate.rate());
        assertNotNull(rate.ahead(), "what came late counts yet");
    }

    @Test
    void read_beyondWhatIsTolerated_isUnfitTheThirdTimeUntilItRunsRight() {
        replies(2, 1.2);
        assertFalse(rate.isUnfit());
        assertEquals(1, rate.rate(), "it may have been set");
        replies(1, 1.2);
        assertFalse(rate.isUnfit());
        replies(1, 1.2);
        assertTrue(rate.isUnfit());
        assertTrue(ahead().isNews());
        assertEquals(1.2, rate.rate(), 0.01);
        replies(20, 1.2);
        assertTrue(rate.isUnfit());
        replies(2, 1);
        assertFalse(rate.isUnfit());
    }

    @Test
    void read_setForwardOnce_isFit() {
        replies(5, 1);
        server += 3_600.0 * SECOND;
        reply(MS, 1, MS);
        assertAbout(3_600 * SECOND, ahead().leadNanos(), 50 * MS);
        assertEquals(1, rate.rate(), "no clock is slewed so fast");
        replies(20, 1);
        assertFalse(rate.isUnfit());
        assertEquals(1, rate.rate());
    }

    @Test
    void read_setForwardAgainAndAgain_isFit() {
        replies(5, 1);
        for (int i = 1; i < 10; i++) {
            server += (i % 2 == 0 ? 30.0 : 2.0) * SECOND;
            reply(SECOND, 1, MS);
            assertFalse(rate.isUnfit());
        }
    }

    @Test
    void read_setBackAndForward_isAheadByTheStepForward() {
        replies(3, 1);
        server -= 60.0 * SECOND;
        replies(1, 1);
        assertNull(rate.ahead());
        server += 60.0 * SECOND;
        replies(1, 1);
        assertAbout(60 * SECOND, ahead().leadNanos(), 20 * MS);
    }

    @Test
    void isDue_soonAfterAReading_isFalseUnlessTheClockSeemsToHaveBeenSet() {
        replies(3, 1);
        long micros = (long) (server / 1_000);
        assertFalse(rate.isDue(local + 500 * MS, micros + 500_000 + 90_000));
        assertTrue(rate.isDue(local + 500 * MS, micros + 500_000 + 110_000));
        assertTrue(rate.isDue(local + SECOND, micros + 1_000_000));
    }

    @Test
    void isDue_afterASlowReply_isSoonerThanASecond() {
        replies(3, 1);
        reply(SECOND, 1, 300 * MS);
        assertTrue(rate.isDue(local + 130 * MS, (long) (server / 1_000) + 130_000));
    }

    @Test
    void forgotten_anotherServersClock_isNotCompared() {
        replies(3, CHRONY);
        ClockRate before = rate;
        rate = rate.forgotten();
        server += 3_600.0 * SECOND;
        replies(1, 1);
        assertSame(before.ahead(), rate.ahead());
        assertEquals(before.rate(), rate.rate(), "a clock that is slewed goes on to be");
    }

    @Test
    void lowered_overByThen_liesInThePast() {
        Ahead ahead = new Ahead(10 * SECOND, 5 * SECOND, 7 * SECOND, 1.05, 1.1, true);
        assertEquals(10 * SECOND - 4 * SECOND, ahead.lowered(11 * SECOND));
        assertEquals(10 * SECOND + 10 * SECOND, ahead.lowered(26 * SECOND));
        assertEquals(10 * SECOND + 10 * SECOND, ahead.loweredLate(28 * SECOND));
    }

    // ---- for any rates and delays

    @Test
    void read_anyRateAndDelays_saysNothingThatIsNotSo() {
        int told = 0;
        for (long seed = 0; seed < WORLDS; seed++) {
            Random random = new Random(seed);
            double speed = random.nextInt(3) == 0
                    ? 0.99 + (Deadlines.ALLOWED_RATE - 0.99) * random.nextInt(101) / 100
                    : 0.5 + random.nextDouble() * 1.5;
            World world = new World(random, speed, speed, 0, Long.MAX_VALUE);
            for (int i = 0; i < 40; i++) {
                world.reply();
            }
            Ahead ahead = world.rate.ahead();
            if (ahead == null) {
                assertEquals(1, world.rate.rate());
                continue;
            }
            told++;
            assertTrue(
                    speed > Deadlines.ALLOWED_RATE, "seed " + seed + ": a clock of " + speed + " is said to run ahead");
            assertTrue(ahead.slowest() <= speed * (1 + 1e-6), "seed " + seed + ": " + ahead + " of a rate of " + speed);
            assertTrue(
                    speed > TOLERATED || world.rate.rate() >= speed * (1 - 1e-6),
                    "seed " + seed + ": " + world.rate.rate() + " is counted of a rate of " + speed);
        }
        assertTrue(told > WORLDS / 10, "the property says too little: " + told);
    }

    /** Whatever the clock does, a deadline that is lowered comes before the hold can end on the server. */
    @Test
    void lowered_anyHoldAndAnyWayToRunAhead_isBeforeTheExpiryAtTheRateThatIsCounted() {
        int told = 0;
        for (long seed = 0; seed < WORLDS; seed++) {
            Random random = new Random(seed);
            boolean steps = random.nextBoolean();
            double before = 0.99 + (Deadlines.ALLOWED_RATE - 0.99) * random.nextInt(101) / 100;
            World world = new World(
                    random,
                    before,
                    steps ? before : 1.02 + random.nextDouble(),
                    steps ? (long) (random.nextDouble() * 20 * SECOND) : 0,
                    (long) (random.nextDouble() * 30 * SECOND));
            List<long[]> holds = new ArrayList<>(); // the deadline here, and the expiry by the server's clock
            Ahead first = null;
            for (int i = 0; i < 200 && first == null; i++) {
                world.reply();
                first = world.rate.ahead();
                long term = 100 * MS + (long) (random.nextDouble() * 60 * SECOND);
                if (first == null) {
                    holds.add(new long[] {Deadlines.ofReply(world.sent, term), Math.round(world.shownNanos) + term});
                }
            }
            if (first == null) {
                continue;
            }
            told++;
            for (long[] hold : holds) {
                if (hold[0] <= first.sentNanos()) {
                    continue; // it was over by itself
                }
                double left = hold[1] - world.shownNanos;
                double latest = first.sentNanos() + (left > 0 ? left / first.rate() : left);
                // Each reading may have been ahead by some milliseconds that were not said to be so.
                assertTrue(
                        first.lowered(hold[0]) <= latest + 12 * MS,
                        "seed " + seed + ": " + first + " leaves " + (first.lowered(hold[0]) - latest)
                                + " ns too much");
            }
        }
        assertTrue(told > WORLDS / 2, "the property says too little: " + told);
    }

    /** A server whose clock runs at one rate and then at another, or is set forward then; requests and replies take time. */
    private static final class World {
        private final Random random;
        private final double before;
        private final double after;
        private final long step;
        private final long change;
        private final boolean isNear;
        private long now;
        ClockRate rate = ClockRate.UNKNOWN;
        long sent;
        double shownNanos; // what the server's clock showed for the last reply

        World(Random random, double before, double after, long step, long change) {
            this.random = random;
            this.before = before;
            this.after = after;
            this.step = step;
            this.change = change;
            this.isNear = step != 0 || change != Long.MAX_VALUE || random.nextBoolean();
        }

        void reply() {
            now += random.nextBoolean() ? random.nextInt((int) (2 * SECOND)) : random.nextInt((int) (50 * MS));
            sent = now;
            long read = sent + delay();
            now = read + delay();
            shownNanos = EPOCH_MICROS * 1_000.0
                    + (read <= change ? read * before : change * before + step + (read - change) * after);
            long micros = (long) Math.floor(shownNanos / 1_000);
            if (rate.isDue(sent, micros)) {
                rate = rate.read(sent, now, micros, TOLERATED);
            }
        }

        private long delay() {
            return isNear ? random.nextInt((int) MS) : random.nextInt((int) (random.nextBoolean() ? 5 * MS : 200 * MS));
        }
    }
}
