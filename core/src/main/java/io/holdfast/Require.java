package io.holdfast;

import java.time.Duration;
import java.util.Objects;

/** Checks of what callers hand in. Every message names the parameter, the value and the rule. */
final class Require {
    static final Duration LONGEST = Duration.ofDays(365);

    private Require() {}

    /** Not null: for callers whose compiler does not look. */
    static <T> T given(String parameter, T value) {
        return Objects.requireNonNull(value, () -> parameter + " is null");
    }

    /** A duration of whole milliseconds or more, between two bounds, both included. */
    static Duration between(String parameter, Duration value, Duration least, Duration most) {
        given(parameter, value);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    parameter + " is " + value + ", must be from " + inWords(least) + " to " + inWords(most));
        }
        return value;
    }

    /** Zero, or at least a millisecond and at most a year. */
    static Duration zeroOrMore(String parameter, Duration value) {
        if (given(parameter, value).isZero()) {
            return value;
        }
        if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    parameter + " is " + value + ", must be 0, or from 1 ms to " + inWords(LONGEST));
        }
        return value;
    }

    static String text(String parameter, String value, int longest) {
        if (given(parameter, value).isEmpty() || value.length() > longest) {
            throw new IllegalArgumentException(parameter + " has " + value.length() + " characters, must have 1 to "
                    + longest + (value.isEmpty() ? "" : ": it begins '" + Shown.text(value.substring(0, 40)) + "'"));
        }
        return value;
    }

    /** A fencing token: positive, and exact in a double. */
    static long token(String parameter, long value) {
        if (value < 1 || value >= 1L << 53) {
            throw new IllegalArgumentException(parameter + " is " + value + ", must be from 1 to 2^53 - 1");
        }
        return value;
    }

    private static String inWords(Duration value) {
        if (value.toMillis() < 1000) {
            return value.toMillis() + " ms";
        }
        return value.toDays() > 0 ? value.toDays() + " days" : value.toSeconds() + " s";
    }
}
