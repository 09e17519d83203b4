package io.holdfast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The figures that clients have counted for one lock, or for all of their locks. Each client counts all of its own leases and
 * requests, so the figures are exact. Not counted are plain locks, re-entries, and requests that were withdrawn or whose outcome
 * is unknown. If a client dies, what it has counted since its last report is missing.
 *
 * @param waits how long the requests that obtained the lock took
 * @param holds how long the leases that are over were held, however they ended
 * @param handoffs how many of the waits were in a queue, of the server or of the client, and so ended with a handoff
 * @param timedOut how many requests ended because their wait, or their number of tries, was used up
 * @param refused how many requests ended because the lock was taken, its queue was full, or the actor held it itself (also for
 *     reading, if it asked to write). Requests that an operator dropped, or that were ended to break a deadlock, count, too
 * @param lost how many of the holds were lost
 * @param answered how many requests for work that is done {@linkplain Once once} were answered with its record
 * @param givenUp how many requests for such work ended because it was given up after its limit of
 *     {@linkplain Once#withTries tries}
 */
public record LockFigures(
        Times waits, Times holds, long handoffs, long timedOut, long refused, long lost, long answered, long givenUp) {
    /** Figures that are all zero. */
    public static final LockFigures NONE = new LockFigures(Times.NONE, Times.NONE, 0, 0, 0, 0, 0, 0);

    /** Returns the sum of these figures and the others. */
    public LockFigures plus(LockFigures other) {
        return new LockFigures(
                waits.plus(other.waits),
                holds.plus(other.holds),
                handoffs + other.handoffs,
                timedOut + other.timedOut,
                refused + other.refused,
                lost + other.lost,
                answered + other.answered,
                givenUp + other.givenUp);
    }

    /**
     * Returns the figures that the same client has counted since the earlier ones. The {@linkplain Times#longest() longest}
     * durations remain those since the client began to count.
     *
     * @param earlier the earlier figures of the client. If they are greater than these, the client has begun to count again since
     *     then, and these are returned unchanged
     */
    public LockFigures since(LockFigures earlier) {
        boolean restarted = earlier.waits.count > waits.count
                || earlier.holds.count > holds.count
                || earlier.timedOut > timedOut
                || earlier.refused > refused
                || earlier.answered > answered
                || earlier.givenUp > givenUp;
        return restarted
                ? this
                : new LockFigures(
                        waits.since(earlier.waits),
                        holds.since(earlier.holds),
                        handoffs - earlier.handoffs,
                        timedOut - earlier.timedOut,
                        refused - earlier.refused,
                        lost - earlier.lost,
                        answered - earlier.answered,
                        givenUp - earlier.givenUp);
    }

    /**
     * A distribution of durations.
     *
     * @param count the number of durations
     * @param total their sum, to the microsecond
     * @param longest the longest of them, to the microsecond
     * @param histogram the number of durations in each bin. Bin 0 counts those below 1 ms. Bin {@code i} counts those from
     *     2<sup>i-1</sup> ms to below 2<sup>i</sup> ms. The last of {@value #MOST_BINS} bins also counts all longer ones. Empty
     *     bins at the end are left out
     */
    public record Times(long count, Duration total, Duration longest, List<Long> histogram) {
        /** An empty distribution. */
        public static final Times NONE = new Times(0, Duration.ZERO, Duration.ZERO, List.of());

        /**
         * The maximum number of bins of the histogram. The last one counts all durations from 2<sup>17</sup> ms (about 131 s)
         * on.
         */
        public static final int MOST_BINS = 19;

        /** Copies the list. */
        public Times {
            histogram = List.copyOf(histogram);
        }

        /** Returns the arithmetic mean; zero if the count is 0. */
        public Duration mean() {
            return count == 0 ? Duration.ZERO : total.dividedBy(count);
        }

        /**
         * Returns an upper bound of a quantile, from the histogram: at least the given part of all durations are no longer than
         * this. The bound is at most twice the exact value if that is from 1 ms to 131 s, and never above the longest duration.
         *
         * @param part the part, from 0 to 1, such as 0.95
         * @throws IllegalArgumentException if the part is not from 0 to 1
         */
        public Duration atMost(double part) {
            if (!(part >= 0 && part <= 1)) {
                throw new IllegalArgumentException("part is " + part + ", must be from 0 to 1");
            }
            long seen = 0;
            for (int i = 0; i < histogram.size() - 1; i++) {
                seen += histogram.get(i);
                if (seen >= part * count) {
                    Duration bound = Duration.ofMillis(1L << i);
                    return bound.compareTo(longest) < 0 ? bound : longest;
                }
            }
            return longest;
        }

        private Times plus(Times other) {
            return new Times(
                    count + other.count,
                    total.plus(other.total),
                    longest.compareTo(other.longest) > 0 ? longest : other.longest,
                    sum(histogram, other.histogram, 1));
        }

        private Times since(Times earlier) {
            return new Times(
                    count - earlier.count, total.minus(earlier.total), longest, sum(histogram, earlier.histogram, -1));
        }

        private static List<Long> sum(List<Long> one, List<Long> other, int sign) {
            List<Long> sum = new ArrayList<>(one);
            for (int i = 0; i < other.size(); i++) {
                if (i < sum.size()) {
                    sum.set(i, sum.get(i) + sign * other.get(i));
                } else {
                    sum.add(sign * other.get(i));
                }
            }
            return sum;
        }
    }
}
