package io.holdfast.internal.wire;

import java.time.Duration;
import java.util.Objects;

/** Checks of what callers hand in. Every message names the parameter, the value and the rule. */
public final class Require {
    public static final Duration LONGEST = Duration.ofDays(365);

    private Require() {}

    /** Not null: for callers whose compiler does not look. */
    public static <T> T given(String parameter, T value) {
        return Objects.requireNonNull(value, () -> parameter + " is null");
    }

    /** A duration of whole milliseconds or more, between two bounds, both included. */
    public static Duration between(String parameter, Duration value, Duration least, Duration most) {
        given(parameter, value);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    parameter + " is " + value + ", must be from " + inWords(least) + " to " + inWords(most));
        }
        return value;
    }

    /** A number between two bounds, both included. The largest {@code int} is no bound. */
    public static int between(String parameter, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(parameter + " is " + value + ", must be "
                    + (most == Integer.MAX_VALUE ? "at least " + least : "from " + least + " to " + most));
        }
        return value;
    }

    /** Zero, or at least a millisecond and at most a year. */
    public static Duration zeroOrMore(String parameter, Duration value) {
        return zeroOrUpTo(parameter, value, LONGEST);
    }

    /** Zero, or at least a millisecond and at most this. */
    public static Duration zeroOrUpTo(String parameter, Duration value, Duration most) {
        if (given(parameter, value).isZero()) {
            return value;
        }
        if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    parameter + " is " + value + ", must be 0, or from 1 ms to " + inWords(most));
        }
        return value;
    }

    /** What has to fit into a term with time to spare. */
    public static void withinTerm(String parameter, Duration value, Duration term) {
        if (value.compareTo(term.multipliedBy(9).dividedBy(10)) >= 0) {
            throw new IllegalArgumentException(parameter + " is " + value
                    + ", must be less than nine tenths of the lease duration, which is " + term);
        }
    }

    /** An amount of time that a renewed lease has left at any time while its renewals work. */
    public static void withinHalf(String parameter, Duration value, Duration term) {
        if (value.compareTo(term.dividedBy(2)) > 0) {
            throw new IllegalArgumentException(parameter + " is " + value
                    + ", must be at most half of the lease duration, which is " + term
                    + ": a renewal is due a third of the lease duration after the last one, and one may fail");
        }
    }

    /**
     * Refuses a value that means nothing where an option is used.
     *
     * @param only the value that it has to have there
     * @param where for what that is, as {@code an election}
     * @param reason why any other means nothing
     */
    public static void only(String option, Object value, Object only, String where, String reason) {
        if (!value.equals(only)) {
            throw new IllegalArgumentException(
                    option + " is " + value + ", must be " + only + " for " + where + ": " + reason);
        }
    }

    public static String text(String parameter, String value, int longest) {
        if (given(parameter, value).isEmpty() || value.length() > longest) {
            throw new IllegalArgumentException(parameter + " has " + value.length() + " characters, must have 1 to "
                    + longest + (value.isEmpty() ? "" : ": it begins '" + LogText.text(value.substring(0, 40)) + "'"));
        }
        return value;
    }

    /** A fencing token: positive, and exact in a double. */
    public static long token(String parameter, long value) {
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
