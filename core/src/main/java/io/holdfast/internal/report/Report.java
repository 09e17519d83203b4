package io.holdfast.internal.report;

import io.holdfast.LockFigures;
import io.holdfast.LockFigures.Times;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a client has, and what it has counted, as a text of lines: {@code 1 number}, the format and how many reports the client has
 * written; then for each lock {@code l callers token until key}, the token of its newest hold, 0 if it only waits, until when the client has it,
 * in ms on the server's clock, 0 if that is not known, and the key of the hold; then
 * {@code f figures key} for each lock of which something was counted, and {@code d figures} for all others. Lines that begin otherwise
 * say nothing.
 *
 * @param locks what the client holds or waits for, by the key of the hold
 * @param figures what it has counted of each lock, by the key of the hold
 * @param dropped what it has counted of other locks
 */
record Report(Map<String, Had> locks, Map<String, LockFigures> figures, LockFigures dropped) {
    static final Report NOTHING = new Report(Map.of(), Map.of(), LockFigures.NONE);

    private static final String FORMAT = "1";

    /** A report that stands on the server; 0 is the number of none. */
    record Numbered(long number, Report report) {
        static final Numbered NONE = new Numbered(0, NOTHING);
    }

    /**
     * A lock that the client has or waits for.
     *
     * @param callers how many of its callers wait
     * @param token of its newest hold; 0 if it has none
     * @param until when it has it, in ms on the server's clock; 0 if that is not known
     */
    record Had(int callers, long token, long until) {
        /** Times are reckoned anew each time, and so differ a little when nothing has happened. */
        private static final long SAME_MILLIS = 1_000;

        Had and(Had other) {
            return new Had(callers + other.callers, Math.max(token, other.token), Math.max(until, other.until));
        }

        private boolean isLike(@Nullable Had other) {
            return other != null
                    && callers == other.callers
                    && token == other.token
                    && Math.abs(until - other.until) < SAME_MILLIS;
        }
    }

    /** Whether it tells nothing that another one does not. */
    boolean isLike(Report other) {
        return locks.size() == other.locks.size()
                && locks.entrySet().stream().allMatch(each -> each.getValue().isLike(other.locks.get(each.getKey())))
                && figures.equals(other.figures)
                && dropped.equals(other.dropped);
    }

    /** @param number greater than that of any report of the client before */
    String text(long number) {
        StringBuilder text = new StringBuilder(FORMAT).append(' ').append(number);
        // In one order, whatever that of holds is.
        new TreeMap<>(locks)
                .forEach((key, had) -> text.append("\nl ")
                        .append(had.callers())
                        .append(' ')
                        .append(had.token())
                        .append(' ')
                        .append(had.until())
                        .append(' ')
                        .append(key));
        figures.forEach((key, counted) ->
                text.append("\nf ").append(text(counted)).append(' ').append(key));
        if (!dropped.equals(LockFigures.NONE)) {
            text.append("\nd ").append(text(dropped));
        }
        return text.toString();
    }

    /** {@code handoffs,timedOut,refused,lost,answered,givenUp;waits;holds}, and of the last two {@code totalMicros,longestMicros,histogram}. */
    private static String text(LockFigures figures) {
        return figures.handoffs() + "," + figures.timedOut() + "," + figures.refused() + "," + figures.lost() + ","
                + figures.answered() + "," + figures.givenUp() + ";" + text(figures.waits()) + ";"
                + text(figures.holds());
    }

    private static String text(Times times) {
        StringBuilder text = new StringBuilder();
        text.append(micros(times.total())).append(',').append(micros(times.longest()));
        times.histogram().forEach(count -> text.append(',').append(count));
        return text.toString();
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1_000;
    }

    /** A text in another format says nothing. */
    static Numbered read(String text) {
        String[] lines = text.split("\n", -1);
        if (!lines[0].startsWith(FORMAT + " ")) {
            return Numbered.NONE;
        }
        Map<String, Had> locks = new LinkedHashMap<>();
        Map<String, LockFigures> figures = new LinkedHashMap<>();
        LockFigures dropped = LockFigures.NONE;
        long number;
        try {
            number = Long.parseLong(lines[0].substring(FORMAT.length() + 1));
            for (String line : lines) {
                String[] words = line.split(" ", 5);
                switch (words[0]) {
                    case "l" ->
                        locks.put(
                                words[4],
                                new Had(
                                        Integer.parseInt(words[1]),
                                        Long.parseLong(words[2]),
                                        Long.parseLong(words[3])));
                    case "f" -> figures.put(line.substring(line.indexOf(' ', 2) + 1), figures(words[1]));
                    case "d" -> dropped = figures(words[1]);
                    default -> {}
                }
            }
        } catch (NumberFormatException | IndexOutOfBoundsException e) {
            return Numbered.NONE;
        }
        return new Numbered(number, new Report(locks, figures, dropped));
    }

    private static LockFigures figures(String text) {
        String[] parts = text.split(";", -1);
        List<Long> counts = numbers(parts[0]);
        return new LockFigures(
                times(numbers(parts[1])),
                times(numbers(parts[2])),
                counts.get(0),
                counts.get(1),
                counts.get(2),
                counts.get(3),
                counts.size() > 4 ? counts.get(4) : 0, // clients of an older version do not count these two
                counts.size() > 5 ? counts.get(5) : 0);
    }

    private static Times times(List<Long> numbers) {
        List<Long> histogram = numbers.subList(2, numbers.size());
        long count = histogram.stream().mapToLong(Long::longValue).sum();
        return new Times(
                count, Duration.ofNanos(numbers.get(0) * 1_000), Duration.ofNanos(numbers.get(1) * 1_000), histogram);
    }

    private static List<Long> numbers(String text) {
        List<Long> numbers = new ArrayList<>();
        for (String number : text.split(",", -1)) {
            numbers.add(Long.parseLong(number));
        }
        return numbers;
    }
}
