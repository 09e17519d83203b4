package io.holdfast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What clients have counted for a lock, or for all of their locks. Each client counts for itself, every lease and every request, so
 * figures are exact; a client that dies takes with it what it has counted since it reported last.
 *
 * @param waits of requests that obtained the lock, how long they took
 * @param holds of leases that are over, however they ended, how long they were held
 * @param handoffs how many of the waits were in a line, and so ended with a handoff
 * @param timedOut requests that ended with their limit of waiting
 * @param refused requests that ended because the lock was taken, its queue was full, the actor held it itself, an operator dropped
 *     them, or to break a deadlock
 * @param lost how many of the holds were lost
 * @param answered requests for work that is done {@linkplain Once once} that were answered with its record
 * @param givenUp requests for such work that was given up, after as many {@linkplain Once#withTries tries} as it may have
 */
public record LockFigures(
        Times waits, Times holds, long handoffs, long timedOut, long refused, long lost, long answered, long givenUp) {
    /** Nothing has been counted. */
    public static final LockFigures NONE = new LockFigures(Times.NONE, Times.NONE, 0, 0, 0, 0, 0, 0);

    /** Both together. */
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
     * What the same client has counted since then. What is longest is so of the whole time.
     *
     * @param earlier what it had counted; if that is more, the client has started again since, and all of these figures are newer
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
     * How long something took, each time.
     *
     * @param count how often
     * @param total all together, to the microsecond
     * @param longest the longest, to the microsecond
     * @param histogram how often it took less than a millisecond, less than 2, less than 4, and so on: {@code histogram.get(i)} times
     *     less than 2<sup>i</sup> ms and no less than the half of that; what takes longer than the last says is in the last, and the
     *     last ones that would be 0 are left out
     */
    public record Times(long count, Duration total, Duration longest, List<Long> histogram) {
        /** Never. */
        public static final Times NONE = new Times(0, Duration.ZERO, Duration.ZERO, List.of());

        /** Most numbers of the histogram: the last is of all that took longer than two minutes. */
        public static final int MOST_BINS = 19;

        /** Copies the list. */
        public Times {
            histogram = List.copyOf(histogram);
        }

        /** The arithmetic mean; zero if it never happened. */
        public Duration mean() {
            return count == 0 ? Duration.ZERO : total.dividedBy(count);
        }

        /**
         * A bound that so much of all took less than, as far as the histogram shows: at most twice too long.
         *
         * @param part from 0 to 1, as 0.95
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
