package io.holdfast.internal.wire;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How fast a server's clock runs against the monotonic clock of this process, as far as replies make it certain. Immutable,
 * and pure arithmetic.
 *
 * <p>A reply says what the server's clock showed at some moment between the sending of its request and its receipt. Two of
 * them bound the rate: what the server's clock advanced, divided by the longest and by the shortest time that may have passed
 * between the two readings. The clock is known to run ahead only if the lower bound is beyond what {@link Deadlines} allows
 * for; then the upper bound is what deadlines count with.
 *
 * <p>Each reading is compared with the one a second or so before it, which notices a change soon, and with one up to ten
 * seconds before it, which notices a small difference. Readings of before a reconnect are {@linkplain #forgotten()
 * forgotten}, since the server may be another one. The rate is not: a clock that is slewed goes on to be.
 */
final class ClockRate {
    /** Nothing has been read. */
    static final ClockRate UNKNOWN = new ClockRate(null, null, 0, 1, Beyond.NEVER, false, null);

    private static final long MS = 1_000_000;
    /** The time between two readings. */
    private static final long INTERVAL_NANOS = 1_000 * MS;
    /** The same after a reply that was too slow to bound much. */
    private static final long SOON_NANOS = 125 * MS;
    /** A reply that took no longer than this is good enough. */
    private static final long QUICK_NANOS = 5 * MS;
    /** So old a reading is replaced by any other. */
    private static final long OLD_NANOS = 4_000 * MS;

    private static final long BASE_NANOS = 10_000 * MS;
    /** A reply that seems to be ahead by more than this is looked at whenever it comes: the clock may have been set. */
    private static final long STEP_NANOS = 100 * MS;
    /** A clock that is ahead by less is not said to run ahead. */
    private static final long NOISE_NANOS = 5 * MS;
    /** No operating system slews faster: what seems to run faster, once, was set. */
    private static final double FASTEST_SLEW = 1.1;

    private static final double FASTEST = 1_000;
    /** A clock is unfit when so many readings in a row say so. */
    private static final int TIMES = 3;

    private static final double LIKE = 1.25;
    /** Requests that were answered late may have left before several such moments. */
    private static final long TOGETHER_NANOS = 60_000 * MS;

    /** What a reply says. */
    private record Reading(long sentNanos, long receivedNanos, long serverMicros) {
        long trip() {
            return receivedNanos - sentNanos;
        }

        /** By how much the server's clock has advanced since. */
        long advanced(Reading later) {
            return (later.serverMicros - serverMicros) * 1_000;
        }

        long most(Reading later) {
            return later.receivedNanos - sentNanos;
        }

        long least(Reading later) {
            return later.sentNanos - receivedNanos;
        }

        boolean isAhead(Reading later, double rate) {
            return advanced(later) - NOISE_NANOS > most(later) * rate * Deadlines.ALLOWED_RATE;
        }

        boolean isBehind(Reading later) {
            return advanced(later) + NOISE_NANOS < least(later) / Deadlines.ALLOWED_RATE;
        }

        /** The largest rate that is possible. */
        double fastest(Reading later) {
            long least = least(later);
            return least <= 0 ? FASTEST : Math.min(FASTEST, (double) advanced(later) / least);
        }

        double slowest(Reading later) {
            return (double) advanced(later) / Math.max(1, most(later));
        }

        /** By how much the server's clock may have run ahead since; what a slow clock may have hidden before counts, too. */
        long lead(Reading later) {
            long least = least(later);
            return advanced(later) - least + Math.max(0, least) / 100;
        }
    }

    /**
     * The moment at which it became known that the server's clock had run ahead.
     *
     * @param sentNanos when the request left whose reply told it
     * @param leadNanos by how much it may have run ahead since the reading before
     * @param togetherNanos the same, with what became known shortly before
     * @param slowest the rate, at least
     * @param rate the rate that deadlines count with from now on
     * @param isNews whether this is worth a warning: it ran right before, or is refused only now
     */
    record Ahead(long sentNanos, long leadNanos, long togetherNanos, double slowest, double rate, boolean isNews) {
        /** A deadline of before, as it is now: the hold ends on the server so much earlier. */
        long lowered(long deadline) {
            return lowered(deadline, leadNanos);
        }

        /** The same for the deadline of a reply that comes only now, to a request of before. */
        long loweredLate(long deadline) {
            return lowered(deadline, togetherNanos);
        }

        String inWords() {
            return String.format(Locale.ROOT, "by %d ms, at least %.1f %%", leadNanos / MS, (slowest - 1) * 100);
        }

        private long lowered(long deadline, long lead) {
            long left = deadline - sentNanos - lead;
            return sentNanos + (left > 0 ? (long) (left / rate) : left);
        }
    }

    /** How often in a row it was beyond what is tolerated, at about the same rate: a clock that is set again and again is not. */
    private record Beyond(int times, double rate) {
        static final Beyond NEVER = new Beyond(0, 0);

        Beyond again(double now) {
            boolean isAlike = now < rate * LIKE && rate < now * LIKE;
            return new Beyond(isAlike ? times + 1 : 1, now);
        }
    }

    private final @Nullable Reading base;
    private final @Nullable Reading last;
    private final long pauseNanos; // until the next reading
    private final double rate;
    private final Beyond beyond;
    private final boolean unfit;
    private final @Nullable Ahead ahead;

    private ClockRate(
            @Nullable Reading base,
            @Nullable Reading last,
            long pauseNanos,
            double rate,
            Beyond beyond,
            boolean unfit,
            @Nullable Ahead ahead) {
        this.base = base;
        this.last = last;
        this.pauseNanos = pauseNanos;
        this.rate = rate;
        this.beyond = beyond;
        this.unfit = unfit;
        this.ahead = ahead;
    }

    /** What terms are divided by: 1, or more if the server's clock was seen to run ahead. */
    double rate() {
        return rate;
    }

    /** Whether it runs faster than is tolerated, and goes on to: a clock that was set does so once. */
    boolean isUnfit() {
        return unfit;
    }

    /** When it was seen last that it had run ahead; null if never. */
    @Nullable
    Ahead ahead() {
        return ahead;
    }

    /** Whether a reply is to be {@linkplain #read read}, for which the time of its receipt is needed. */
    boolean isDue(long sentNanos, long serverMicros) {
        Reading before = last;
        if (before == null) {
            return true;
        }
        long since = sentNanos - before.sentNanos;
        return since >= pauseNanos
                || (serverMicros - before.serverMicros) * 1_000 - (long) (since * rate * Deadlines.ALLOWED_RATE)
                        > STEP_NANOS;
    }

    /** Without what was read: the next reply may be another server's. */
    ClockRate forgotten() {
        return new ClockRate(null, null, 0, rate, Beyond.NEVER, unfit, ahead);
    }

    /**
     * With a reply.
     *
     * @param tolerated the rate beyond which the clock is unfit
     */
    ClockRate read(long sentNanos, long receivedNanos, long serverMicros, double tolerated) {
        Reading now = new Reading(sentNanos, receivedNanos, serverMicros);
        Reading from = base;
        Reading before = last;
        if (from == null || before == null) {
            return new ClockRate(now, now, INTERVAL_NANOS, rate, beyond, unfit, ahead);
        }
        if (sentNanos - before.sentNanos < 0) {
            return this; // overtaken on its way
        }
        if (before.isAhead(now, rate) || from.isAhead(now, rate)) {
            return ranAhead(from, before, now, tolerated);
        }
        if (before.isBehind(now) || from.isBehind(now)) {
            return new ClockRate(now, now, INTERVAL_NANOS, rate, beyond, unfit, ahead);
        }
        boolean isGood =
                now.trip() <= Math.max(QUICK_NANOS, before.trip()) || sentNanos - before.sentNanos >= OLD_NANOS;
        if (!isGood) {
            return sentNanos - before.sentNanos < pauseNanos
                    ? this
                    : new ClockRate(
                            from, before, sentNanos - before.sentNanos + SOON_NANOS, rate, beyond, unfit, ahead);
        }
        if (sentNanos - before.sentNanos < SOON_NANOS) {
            return this; // looked at because it seemed to be ahead
        }
        boolean runsRight = Math.min(before.fastest(now), from.fastest(now)) <= tolerated;
        boolean stillUnfit = unfit && !runsRight;
        if (sentNanos - from.sentNanos >= BASE_NANOS) {
            // On the average it may run slower than it surely did in the end.
            double fastest = Math.max(from.fastest(now), before.slowest(now));
            double lower = fastest <= Deadlines.ALLOWED_RATE ? 1 : Math.min(rate, fastest);
            return new ClockRate(now, now, INTERVAL_NANOS, lower, runsRight ? Beyond.NEVER : beyond, stillUnfit, ahead);
        }
        boolean isBetter = now.trip() < from.trip() / 2;
        return new ClockRate(
                isBetter ? now : from, now, INTERVAL_NANOS, rate, runsRight ? Beyond.NEVER : beyond, stillUnfit, ahead);
    }

    private ClockRate ranAhead(Reading from, Reading before, Reading now, double tolerated) {
        double fastest = 0;
        double slowest = 0;
        for (Reading each : new Reading[] {before, from}) {
            if (each.isAhead(now, rate)) {
                fastest = Math.max(fastest, each.fastest(now));
                slowest = Math.max(slowest, each.slowest(now));
            }
        }
        // Whatever was set is ahead of what was read shortly before by any rate.
        boolean isLong = now.sentNanos - before.sentNanos >= INTERVAL_NANOS / 2;
        double own = before.slowest(now);
        Beyond seen = isLong && own > tolerated ? beyond.again(own) : Beyond.NEVER;
        boolean nowUnfit = unfit || seen.times >= TIMES;
        boolean wasSet = !nowUnfit && slowest > Math.max(FASTEST_SLEW, tolerated); // terms that follow are whole
        double counted = wasSet
                ? rate
                : Math.max(rate, nowUnfit ? fastest : Math.min(fastest, Math.max(FASTEST_SLEW, tolerated)));
        long lead = Math.max(before.lead(now), from.lead(now));
        Ahead former = ahead;
        long together = former != null && now.sentNanos - former.sentNanos < TOGETHER_NANOS
                ? lead + former.togetherNanos
                : lead;
        boolean isNews = rate <= 1 || nowUnfit != unfit;
        return new ClockRate(
                now,
                now,
                INTERVAL_NANOS,
                counted,
                seen,
                nowUnfit,
                new Ahead(now.sentNanos, lead, together, slowest, counted, isNews));
    }
}
