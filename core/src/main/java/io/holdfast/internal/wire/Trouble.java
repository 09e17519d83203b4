package io.holdfast.internal.wire;

/** Tells the log of errors that the engine goes on after. */
public final class Trouble {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    private Trouble() {}

    /** Whatever is wrong, that does no harm. */
    public static void report(String what, Throwable error) {
        try {
            LOG.log(System.Logger.Level.ERROR, what, error);
        } catch (RuntimeException | Error unheard) {
            // The same shortage, mostly.
        }
    }
}
