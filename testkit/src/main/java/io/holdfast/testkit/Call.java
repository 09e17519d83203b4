package io.holdfast.testkit;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One command that {@link MemoryServer} carries out.
 *
 * @param server where
 * @param session the connection it came by; null for the server's own and for none
 * @param words the name and the arguments, as octets
 */
record Call(MemoryServer server, @Nullable MemoryDriver session, List<String> words) {
    Keyspace keys() {
        return server.keyspace();
    }

    String name() {
        return words.get(0).toLowerCase(Locale.ROOT);
    }

    int size() {
        return words.size();
    }

    String arg(int i) {
        return words.get(i);
    }

    /** The argument in upper case, as options are compared. */
    String option(int i) {
        return words.get(i).toUpperCase(Locale.ROOT);
    }

    long integer(int i) {
        return integer(words.get(i));
    }

    /** A whole number as Redis reads one: no sign but a minus, no leading zeros. */
    static long integer(String text) {
        try {
            long number = Long.parseLong(text);
            if (Long.toString(number).equals(text)) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw CommandError.notInteger();
    }

    double number(int i) {
        return number(words.get(i), "ERR value is not a valid float");
    }

    static double number(String text, String otherwise) {
        switch (text.toLowerCase(Locale.ROOT)) {
            case "inf", "+inf", "infinity", "+infinity" -> {
                return Double.POSITIVE_INFINITY;
            }
            case "-inf", "-infinity" -> {
                return Double.NEGATIVE_INFINITY;
            }
            default -> {}
        }
        // Java reads more than C does: suffixes, names, and spaces around.
        if (!text.isEmpty() && text.chars().allMatch(c -> "0123456789+-.eE".indexOf(c) >= 0)) {
            try {
                return Double.parseDouble(text);
            } catch (NumberFormatException e) {
                // told below
            }
        }
        throw new CommandError(otherwise);
    }
}
