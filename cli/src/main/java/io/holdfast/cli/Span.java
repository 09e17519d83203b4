package io.holdfast.cli;

import java.time.Duration;

/** Lengths of time as they are typed and shown: {@code 300ms 30s 5m 1h 2d}. */
final class Span {
    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    static final Duration YEAR = Duration.ofDays(365);
    private static final String RULE = "must be a whole number with a unit: 300ms, 30s, 5m, 1h or 2d";

    private Span() {}

    /**
     * Reads a length of time.
     *
     * @throws UsageException naming the option, the value and the rule
     */
    static Duration parse(String option, String text, Duration least, Duration most, String orElse) {
        int digits = 0;
        while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
            digits++;
        }
        long unit = unit(text.substring(digits));
        // Fifteen digits do not overflow, and with a unit of days they are far beyond every limit.
        if (digits == 0 || digits > 15 || unit == 0) {
            throw new UsageException(option + " is '" + text + "', " + RULE + orElse);
        }
        long number = Long.parseLong(text.substring(0, digits));
        long longest = most.toMillis();
        if (number > longest / unit || number * unit < least.toMillis()) {
            throw new UsageException(
                    option + " is '" + text + "', must be from " + inWords(least) + " to " + inWords(most) + orElse);
        }
        return Duration.ofMillis(number * unit);
    }

    private static long unit(String text) {
        return switch (text) {
            case "ms" -> 1;
            case "s" -> SECOND;
            case "m" -> MINUTE;
            case "h" -> HOUR;
            case "d" -> DAY;
            default -> 0;
        };
    }

    /** For people: two units at most, and milliseconds below ten seconds only where they are typed so. */
    static String inWords(Duration length) {
        long millis = Math.max(0, length.toMillis());
        if (millis < SECOND) {
            return millis == 0 ? "0s" : millis + "ms";
        }
        if (millis < MINUTE) {
            return millis / SECOND + "s";
        }
        if (millis < HOUR) {
            return two(millis / MINUTE, "m", millis % MINUTE / SECOND, "s");
        }
        if (millis < DAY) {
            return two(millis / HOUR, "h", millis % HOUR / MINUTE, "m");
        }
        return two(millis / DAY, "d", millis % DAY / HOUR, "h");
    }

    private static String two(long great, String greatUnit, long small, String smallUnit) {
        return small == 0 ? great + greatUnit : great + greatUnit + " " + small + smallUnit;
    }
}
