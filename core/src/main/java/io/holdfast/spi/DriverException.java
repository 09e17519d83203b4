package io.holdfast.spi;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Why a command has no reply. */
public final class DriverException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What is known about the command after the failure. */
    public enum Kind {
        /** The server answered with an error. The connection works. */
        REJECTED,
        /** No answer: the command may have been executed, may be executed later, or never. */
        UNKNOWN
    }

    private final Kind kind;

    private DriverException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** How servers before 7.0 report an error inside of a script: with places before it, and without its code in front. */
    private static final Pattern IN_SCRIPT = Pattern.compile(
            "ERR Error running script \\(call to (\\S+)\\): (?:@\\S+: ?\\d+: )+-?([A-Z]{3,} .*)", Pattern.DOTALL);

    /** Here servers begin to repeat the arguments of a command that they do not know: of AUTH or HELLO, a password. */
    private static final String ARGUMENTS = ", with args beginning with:";

    /**
     * The server's own error.
     *
     * @param message the server's text, its code first, for example {@code NOSCRIPT No matching script}. Where an old server
     *     reports an error inside of a script, that error is put in front, as newer ones do. Arguments that are repeated
     *     after a command that the server does not know are left out, since a password may be among them
     */
    public static DriverException rejected(String message) {
        Matcher inside = IN_SCRIPT.matcher(message);
        String text = inside.matches() ? inside.group(2) + " script: " + inside.group(1) : message;
        int arguments = text.indexOf(ARGUMENTS);
        return new DriverException(Kind.REJECTED, arguments < 0 ? text : text.substring(0, arguments), null);
    }

    /** No answer. */
    public static DriverException unknown(String message, @Nullable Throwable cause) {
        return new DriverException(Kind.UNKNOWN, message, cause);
    }

    /** What is known about the command. */
    public Kind kind() {
        return kind;
    }

    /** The error code of a rejection, its first word, such as {@code NOSCRIPT}; empty if there was no answer. */
    public String code() {
        if (kind == Kind.UNKNOWN) {
            return "";
        }
        String message = String.valueOf(getMessage());
        int space = message.indexOf(' ');
        return space < 0 ? message : message.substring(0, space);
    }
}
