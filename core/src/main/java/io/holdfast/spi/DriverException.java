package io.holdfast.spi;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The exception of a command that has no reply. */
public final class DriverException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The knowledge about the command after the failure. */
    public enum Kind {
        /** The server answered with an error. The connection works. */
        REJECTED,
        /** There was no answer. The command may have been executed, may be executed later, or may never be executed. */
        UNKNOWN
    }

    private final Kind kind;

    private DriverException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** How servers before 7.0 report an error inside a script: with source locations before it, and without its code in front. */
    private static final Pattern IN_SCRIPT = Pattern.compile(
            "ERR Error running script \\(call to (\\S+)\\): (?:@\\S+: ?\\d+: )+-?([A-Z]{3,} .*)", Pattern.DOTALL);

    /** Here servers begin to repeat the arguments of an unknown command; those of AUTH or HELLO include a password. */
    private static final String ARGUMENTS = ", with args beginning with:";

    /**
     * Returns an exception for an error that the server reported.
     *
     * @param message the server's text, its code first, for example {@code NOSCRIPT No matching script}. If an old server
     *     reports an error inside a script, that error is put in front, as newer servers do. If the server repeats the arguments
     *     of an unknown command, they are left out, since a password may be among them
     */
    public static DriverException rejected(String message) {
        Matcher inside = IN_SCRIPT.matcher(message);
        String text = inside.matches() ? inside.group(2) + " script: " + inside.group(1) : message;
        int arguments = text.indexOf(ARGUMENTS);
        return new DriverException(Kind.REJECTED, arguments < 0 ? text : text.substring(0, arguments), null);
    }

    /** Returns an exception for a command without an answer. */
    public static DriverException unknown(String message, @Nullable Throwable cause) {
        return new DriverException(Kind.UNKNOWN, message, cause);
    }

    /** Returns what is known about the command. */
    public Kind kind() {
        return kind;
    }

    /** Returns the error code of a rejection, its first word, such as {@code NOSCRIPT}; empty if there was no answer. */
    public String code() {
        if (kind == Kind.UNKNOWN) {
            return "";
        }
        String message = String.valueOf(getMessage());
        int space = message.indexOf(' ');
        return space < 0 ? message : message.substring(0, space);
    }
}
