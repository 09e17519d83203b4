package io.holdfast;

import org.jspecify.annotations.Nullable;

/** The root of the library's exceptions. Each subclass stands for a different reaction of the caller. */
public abstract class HoldfastException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    HoldfastException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
