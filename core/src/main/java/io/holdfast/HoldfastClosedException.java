package io.holdfast;

/** Thrown if the client was closed, before or during the call. A request that ends with it does not hold the lock. */
public final class HoldfastClosedException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception, for the library, and for tests of code that handles it. */
    public HoldfastClosedException() {
        super("HF-CLOSED", "the Holdfast client is closed", null);
    }
}
