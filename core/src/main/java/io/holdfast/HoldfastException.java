package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The root of the library's exceptions. Its subclasses tell apart what a caller can do next. */
public abstract class HoldfastException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    HoldfastException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
