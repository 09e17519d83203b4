package io.holdfast.internal.wire;

/**
 * How text that others have chosen, such as the name of a lock, stands in a log line or a message: it neither tears the
 * line apart nor makes a terminal do things. Ordinary text stands as it is.
 */
public final class LogText {
    /** Of a name, in characters; the exception or event that tells of a lock has the whole name. */
    private static final int LONGEST_NAME = 200;

    private LogText() {}

    /** {@code lock 'name'}. */
    public static String lock(String name) {
        return "lock '" + name(name) + "'";
    }

    /** A name, cut if it is long. */
    public static String name(String name) {
        if (name.length() <= LONGEST_NAME) {
            return text(name);
        }
        int end = Character.isHighSurrogate(name.charAt(LONGEST_NAME - 1)) ? LONGEST_NAME - 1 : LONGEST_NAME;
        return text(name.substring(0, end)) + "… (" + name.length() + " characters)";
    }

    /** The same for a value of a log line whose values stand in quotation marks. */
    public static String quoted(String text) {
        return '"' + text(text.replace("\\", "\\\\").replace("\"", "\\\"")) + '"';
    }

    /** Any text, on one line. */
    public static String text(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isUnfit(text.charAt(i))) {
                return escaped(text);
            }
        }
        return text;
    }

    private static String escaped(String text) {
        StringBuilder shown = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isUnfit(c)) {
                shown.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    shown.append(Character.forDigit((c >> shift) & 15, 16));
                }
            } else {
                shown.append(c);
            }
        }
        return shown.toString();
    }

    /** Also what ends lines though it is no control character, and what turns the direction of what follows. */
    private static boolean isUnfit(char c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
