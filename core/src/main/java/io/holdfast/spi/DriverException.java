package io.holdfast.spi;

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

    /**
     * The server's own error.
     *
     * @param message the server's text, its code first, for example {@code NOSCRIPT No matching script}
     */
    public static DriverException rejected(String message) {
        return new DriverException(Kind.REJECTED, message, null);
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
