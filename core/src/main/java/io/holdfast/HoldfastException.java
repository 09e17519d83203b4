package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The root of the library's exceptions. Each subclass calls for a different reaction from the caller. The message ends with the
 * {@link #code()} in brackets.
 */
public abstract class HoldfastException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String code;

    HoldfastException(String code, String message, @Nullable Throwable cause) {
        super(message + " [" + code + "]", cause);
        this.code = code;
    }

    /**
     * Returns the code to look up in docs/guide/errors.md, and to search for in logs, such as {@code HF-TIMED-OUT}. Unlike the
     * wording of the message, it never changes.
     */
    public final String code() {
        return code;
    }
}
