package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The server did not answer. What became of the request is unknown; if a lock was granted by it, the client gives it back
 * in the background.
 */
public final class ServerUnreachableException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    ServerUnreachableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
