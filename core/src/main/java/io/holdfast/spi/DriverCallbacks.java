package io.holdfast.spi;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The listeners of a driver, and calls of code that is not the driver's: receivers of messages, for example. An exception of such code goes
 * to the handler of its thread for uncaught exceptions, and never to the client library, which might break the connection for it.
 *
 * <p>All methods may be called from any thread. They call in the calling thread, one listener after the other.
 */
public final class DriverCallbacks {
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /** For a driver without listeners yet. */
    public DriverCallbacks() {}

    /** Adds a listener, which hears of every event from now on. */
    public void add(ConnectionListener listener) {
        listeners.add(listener);
    }

    /** Ends the reports: the driver is closed, and no listener hears of an event that begins later. */
    public void close() {
        closed = true;
    }

    /** Reports an event to each listener, such as {@code ConnectionListener::commandsUp}. */
    public void tell(Consumer<ConnectionListener> event) {
        for (ConnectionListener listener : listeners) {
            if (!closed) {
                run(() -> event.accept(listener));
            }
        }
    }

    /** Runs foreign code. Never throws. */
    @SuppressWarnings("CatchingUnchecked")
    public static void run(Runnable foreign) {
        try {
            foreign.run();
        } catch (Throwable e) {
            Thread thread = Thread.currentThread();
            try {
                thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
            } catch (Throwable ofTheHandler) {
                // Ignored, as the JVM does.
            }
        }
    }
}
