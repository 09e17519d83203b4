package io.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if the server answered with an error: it lacks memory or a permission, is read-only, too old, or not a server that
 * Holdfast can use. A request that ends with it has not obtained its lock; a lease that was held before is not affected. A
 * retry helps only after something has changed; the message says what must change. The server's state changes by itself if the
 * server loads its data, runs a long script or fails over.
 */
public final class ServerRefusedException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception, for the library, and for tests of code that handles it. */
    public ServerRefusedException(String message, @Nullable Throwable cause) {
        super("HF-SERVER-REFUSED", message, cause);
    }
}
