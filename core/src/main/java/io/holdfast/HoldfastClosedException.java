package io.holdfast;

/** The client was closed, before or during the call. The lock is not held by this call. */
public final class HoldfastClosedException extends HoldfastException {
    private static final long serialVersionUID = 1L;

    /** For the library, and for tests of code that handles it. */
    public HoldfastClosedException() {
        super("HF-CLOSED", "the Holdfast client is closed", null);
    }
}
