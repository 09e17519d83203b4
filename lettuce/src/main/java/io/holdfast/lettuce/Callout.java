package io.holdfast.lettuce;

/** Calls code that is not this driver's. What it throws must not reach Lettuce, which would break the connection. */
final class Callout {
    private Callout() {}

    /** Runs it; what it throws goes to the thread's handler for uncaught exceptions. */
    static void run(Runnable foreign) {
        try {
            foreign.run();
        } catch (Throwable t) {
            Thread thread = Thread.currentThread();
            try {
                thread.getUncaughtExceptionHandler().uncaughtException(thread, t);
            } catch (Throwable ofTheHandler) {
                // Ignored, as the JVM does.
            }
        }
    }
}
