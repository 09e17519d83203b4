package io.holdfast.spi;

/** A monotonic clock in nanoseconds, with an arbitrary origin: only differences mean something. */
@FunctionalInterface
public interface Ticker {
    /** The present reading. Never goes back; differences span at most 292 years. */
    long nanoTime();

    /** {@link System#nanoTime()}. */
    static Ticker system() {
        return System::nanoTime;
    }
}
