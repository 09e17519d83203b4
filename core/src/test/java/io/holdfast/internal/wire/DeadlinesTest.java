package io.holdfast.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.wire.Deadlines.ClockPair;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DeadlinesTest {
    private static final long MS = 1_000_000;
    private static final long SECOND = 1_000 * MS;
    private static final int ROUNDS = 200_000;
    private static final ClockPair PAIR = new ClockPair(5 * SECOND, 1_700_000_000_000_000L);

    @Test
    void ofReply_anyTerm_isTheTermFromTheSendLessOnePercentAndTwoMillis() {
        assertEquals(7 * SECOND + 97 * MS, Deadlines.ofReply(7 * SECOND, 100 * MS));
        assertEquals(30 * SECOND - 300 * MS - 2 * MS, Deadlines.ofReply(0, 30 * SECOND));
    }

    @Test
    void ofReply_clockAboutToOverflow_isComparableByDifference() {
        long sent = Long.MAX_VALUE - 10 * MS;
        assertEquals(97 * MS, Deadlines.ofReply(sent, 100 * MS) - sent);
    }

    @Test
    void ofHandoff_noPair_isEmpty() {
        assertEquals(OptionalLong.empty(), Deadlines.ofHandoff(null, 1_700_000_000_000_000L, SECOND, 6 * SECOND, 1));
    }

    @Test
    void ofHandoff_pairAtHand_countsFromTheGrantAndAllowsForDriftSinceThePair() {
        assertEquals(
                OptionalLong.of(5 * SECOND + 500 * MS + SECOND - 15 * MS - 2 * MS),
                handoffAt(500 * MS, SECOND, 5 * SECOND + 600 * MS));
    }

    @Test
    void ofHandoff_grantBeforeThePair_allowsForDriftOfTheClaimOnly() {
        assertEquals(
                OptionalLong.of(5 * SECOND - 300 * MS + SECOND - 10 * MS - 2 * MS),
                handoffAt(-300 * MS, SECOND, 5 * SECOND + 10 * MS));
    }

    @Test
    void ofHandoff_grantAtTheReceipt_counts() {
        assertTrue(handoffAt(500 * MS, SECOND, 5 * SECOND + 500 * MS).isPresent());
    }

    @Test
    void ofHandoff_grantAfterTheReceipt_isEmptyBecauseTheClockJumped() {
        assertEquals(OptionalLong.empty(), handoffAt(500 * MS, SECOND, 5 * SECOND + 500 * MS - 1));
        assertEquals(OptionalLong.empty(), handoffAt(3_600 * SECOND, SECOND, 5 * SECOND + 500 * MS));
    }

    @Test
    void ofHandoff_receivedOneNanoBeforeTheDeadline_counts() {
        long deadline = 5 * SECOND + SECOND - 10 * MS - 2 * MS;
        assertEquals(OptionalLong.of(deadline), handoffAt(0, SECOND, deadline - 1));
    }

    @Test
    void ofHandoff_receivedAtOrAfterTheDeadline_isEmpty() {
        long deadline = 5 * SECOND + SECOND - 10 * MS - 2 * MS;
        assertEquals(OptionalLong.empty(), handoffAt(0, SECOND, deadline));
        assertEquals(OptionalLong.empty(), handoffAt(0, SECOND, deadline + SECOND));
    }

    @Test
    void ofHandoff_clockJumpedBack_isEarlierAndThereforeSafe() {
        assertTrue(handoffAt(-600 * MS, SECOND, 5 * SECOND + 100 * MS).orElseThrow()
                < handoffAt(100 * MS, SECOND, 5 * SECOND + 100 * MS).orElseThrow());
        assertEquals(OptionalLong.empty(), handoffAt(-3_600 * SECOND, SECOND, 5 * SECOND + 100 * MS));
    }

    private static OptionalLong handoffAt(long elapsedNanos, long claimNanos, long receivedNanos) {
        return Deadlines.ofHandoff(PAIR, PAIR.serverMicros() + elapsedNanos / 1_000, claimNanos, receivedNanos, 1);
    }

    // ---- for any rates within 1 % and any delays, the end here comes before the end on the server

    @Test
    void ofReply_anyRatesAndDelays_isNeverLaterThanTheServersExpiry() {
        for (long seed = 0; seed < ROUNDS; seed++) {
            World world = new World(seed);
            long latest = Deadlines.ofReply(world.sent, world.termNanos) - world.origin;
            double expiry = world.localTimeOfExpiry(world.serverRead, world.termNanos);
            assertTrue(latest <= expiry, world + ": deadline " + latest + ", expiry " + expiry);
        }
    }

    @Test
    void ofHandoff_anyRatesAndDelays_isNeverLaterThanTheServersExpiry() {
        int present = 0;
        for (long seed = 0; seed < ROUNDS; seed++) {
            World world = new World(seed);
            OptionalLong deadline = world.handoff();
            if (deadline.isPresent()) {
                present++;
                double expiry = world.localTimeOfExpiry(world.granted, world.claimNanos);
                assertTrue(
                        deadline.getAsLong() - world.origin <= expiry,
                        world + ": deadline " + (deadline.getAsLong() - world.origin) + ", expiry " + expiry);
            }
        }
        assertTrue(present > ROUNDS / 10, "the property says too little: " + present);
    }

    /** The rule: the deadline is counted from before the request left. */
    @Test
    void ofReply_countedFromTheAnswerInstead_isCaughtByTheSameProperty() {
        assertTrue(violations(w -> Deadlines.ofReply(w.answered, w.termNanos), false) > 0);
        assertEquals(0, violations(w -> Deadlines.ofReply(w.sent, w.termNanos), false));
    }

    /** The rule: an allowance for clocks that run differently. */
    @Test
    void ofReply_withoutDrift_isCaughtByTheSameProperty() {
        assertTrue(violations(w -> w.sent + w.termNanos, false) > 0);
    }

    /** The rule: a grant that seems to come after its message is confirmed first; not taken as granted at the receipt. */
    @Test
    void ofHandoff_countedFromTheReceiptInstead_isCaughtByTheSameProperty() {
        assertTrue(violations(w -> w.received + w.claimNanos - Deadlines.drift(w.claimNanos), true) > 0);
        assertEquals(0, violations(w -> w.handoff().orElse(w.received), true));
    }

    private interface Rule {
        long deadline(World world);
    }

    private static int violations(Rule rule, boolean handoff) {
        int violations = 0;
        for (long seed = 0; seed < 2_000; seed++) {
            World w = new World(seed);
            double expiry = handoff
                    ? Math.max(w.localTimeOfExpiry(w.granted, w.claimNanos), (double) (w.received - w.origin))
                    : w.localTimeOfExpiry(w.serverRead, w.termNanos);
            if (rule.deadline(w) - w.origin > expiry) {
                violations++;
            }
        }
        return violations;
    }

    /**
     * One request and one message, in local nanoseconds since {@code origin}; the server's clock runs at another rate. The
     * longest exact double keeps nanoseconds of days, so the arithmetic here is exact enough.
     */
    private static final class World {
        final long seed;
        final long origin;
        final double rate;
        final long serverOriginMicros = 1_790_000_000_000_000L;
        final long termNanos;
        final long claimNanos;
        final long sent;
        final long answered;
        final double serverRead;
        final double granted;
        final long received;

        World(long seed) {
            Random random = new Random(seed);
            this.seed = seed;
            this.origin = random.nextInt(4) == 0 ? Long.MAX_VALUE - random.nextInt(1_000_000_000) : random.nextLong();
            this.rate = 0.99 + 0.02 * random.nextInt(101) / 100;
            this.termNanos = MS * (100 + random.nextInt(random.nextBoolean() ? 1_000 : 3_600_000));
            this.claimNanos = MS * (50 + random.nextInt(9_951));
            long sentAt = delay(random);
            this.sent = origin + sentAt;
            this.serverRead = sentAt + delay(random);
            this.answered = origin + (long) Math.ceil(serverRead) + delay(random);
            // The grant may come before the server's clock was read for the pair, or long after.
            this.granted = Math.max(0, serverRead + (random.nextBoolean() ? delay(random) : -delay(random)));
            this.received =
                    origin + (long) Math.ceil(Math.max(granted, (double) (answered - origin))) + delay(random) / 4;
        }

        private static long delay(Random random) {
            return switch (random.nextInt(4)) {
                case 0 -> 0;
                case 1 -> random.nextInt((int) (2 * MS));
                case 2 -> random.nextInt((int) SECOND);
                default -> (long) (random.nextDouble() * 10 * SECOND);
            };
        }

        long serverMicros(double localNanos) {
            return serverOriginMicros + (long) (localNanos * rate / 1_000);
        }

        OptionalLong handoff() {
            return Deadlines.ofHandoff(
                    new ClockPair(sent, serverMicros(serverRead)), serverMicros(granted), claimNanos, received, 1);
        }

        /** The scripts cut the time of the grant to milliseconds. */
        double localTimeOfExpiry(double grantedAt, long nanos) {
            long expiryMillis = serverMicros(grantedAt) / 1_000 + nanos / MS;
            return (double) ((expiryMillis * 1_000 - serverOriginMicros) * 1_000) / rate;
        }

        @Override
        public String toString() {
            return "seed " + seed + ", rate " + rate + ", term " + termNanos + ", claim " + claimNanos;
        }
    }
}
