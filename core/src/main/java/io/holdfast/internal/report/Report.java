package io.holdfast.internal.report;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a client has, as a text of lines: {@code 1}, the format, and then for each lock {@code l callers key}, the key of its hold.
 *
 * @param locks what the client holds or waits for, by the key of the hold, each with the number of its callers that wait
 */
record Report(Map<String, Integer> locks) {
    static final Report NOTHING = new Report(Map.of());

    private static final String FORMAT = "1";
    private static final String LOCK = "l ";

    String text() {
        StringBuilder text = new StringBuilder(FORMAT);
        locks.forEach((key, callers) ->
                text.append('\n').append(LOCK).append(callers).append(' ').append(key));
        return text.toString();
    }

    /** A text in another format says nothing. */
    static Report read(String text) {
        String[] lines = text.split("\n", -1);
        if (!lines[0].equals(FORMAT)) {
            return NOTHING;
        }
        Map<String, Integer> locks = new LinkedHashMap<>();
        for (String line : lines) {
            if (line.startsWith(LOCK)) {
                String[] words = line.split(" ", 3);
                try {
                    locks.put(words[2], Integer.parseInt(words[1]));
                } catch (NumberFormatException | IndexOutOfBoundsException e) {
                    return NOTHING;
                }
            }
        }
        return new Report(locks);
    }
}
