package io.holdfast.spi;

/** A monotonic clock in nanoseconds, with an arbitrary origin: only differences mean something. */
@FunctionalInterface
public interface Ticker {
    /** The present reading. Never goes back; differences span at most 292 years. */
    long nanoTime();

    /**
     * Called by a thread of the application that is about to block until it has a lock, or its wait is over. Does nothing,
     * unless this clock stands still until that very thread moves it.
     *
     * @throws IllegalStateException if the thread would wait for ever
     */
    default void beforeWaiting() {}

    /** {@link System#nanoTime()}. */
    static Ticker system() {
        return System::nanoTime;
    }
}
