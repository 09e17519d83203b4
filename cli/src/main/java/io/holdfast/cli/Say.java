package io.holdfast.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What the command says: to people, on standard error, each message one line. Standard output is the child's. */
final class Say {
    /** How long a message may keep what matters more waiting. */
    static final long MOMENT_MILLIS = 500;

    /** Whether more is wanted than what is needed ({@code -v}). */
    private static volatile boolean verbose;

    private Say() {}

    static void verbosely(boolean wanted) {
        verbose = wanted;
    }

    static boolean verbose() {
        return verbose;
    }

    /** One line. */
    static void line(String message) {
        System.err.println("holdfast: " + printable(message));
        System.err.flush();
    }

    /**
     * As {@link #line}, before something that must not wait: it goes on after a moment where nobody reads, as on a terminal that is stopped,
     * or in a pipe that is full.
     */
    static void briefly(String message) {
        Thread saying = new Thread(() -> line(message), "holdfast-says");
        saying.setDaemon(true);
        saying.start();
        try {
            saying.join(MOMENT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // for whoever waits next
        }
    }

    /** One line, and with {@code -v} where it comes from. */
    static void failure(String message, Throwable cause) {
        line(message);
        if (verbose) {
            StringWriter trace = new StringWriter();
            cause.printStackTrace(new PrintWriter(trace));
            System.err.print(trace);
        }
    }

    /**
     * A text that others have written, such as the name of a lock, without what would make a terminal do things, or tear
     * a line apart.
     */
    static String printable(String text) {
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
                shown.append(String.format("\\u%04x", (int) c));
            } else {
                shown.append(c);
            }
        }
        return shown.toString();
    }

    /**
     * Also what ends lines though it is no control character, and what turns the direction of what follows. Not the joiners, with which
     * languages are written.
     */
    private static boolean isUnfit(char c) {
        if (c == '\u200c' || c == '\u200d') {
            return false;
        }
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }
}
