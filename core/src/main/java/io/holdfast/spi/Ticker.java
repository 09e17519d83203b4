package io.holdfast.spi;

/** A monotonic clock in nanoseconds, with an arbitrary origin: only differences are meaningful. */
@FunctionalInterface
public interface Ticker {
    /** Returns the present reading. It never goes back, and differences span at most 292 years. */
    long nanoTime();

    /**
     * Checks that the calling thread may block. The engine calls this on a thread of the application that is about to block until
     * it has a lock or its wait is over. Does nothing, unless this clock stands still until that same thread moves it.
     *
     * @throws IllegalStateException if the thread would wait for ever
     */
    default void beforeWaiting() {}

    /** Returns the clock of {@link System#nanoTime()}. */
    static Ticker system() {
        return System::nanoTime;
    }
}
