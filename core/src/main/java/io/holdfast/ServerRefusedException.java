package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * The server answered with an error: it lacks memory or a permission, is read-only, too old, or not a server that
 * Holdfast can use. The lock is not held. Trying again helps only after something has changed; the message
 * says what. A server that loads its data, runs a long script or fails over changes by itself.
 */
public final class ServerRefusedException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /** For the library, and for tests of code that handles it. */
    public ServerRefusedException(String message, @Nullable Throwable cause) {
        super("HF-SERVER-REFUSED", message, cause);
    }
}
