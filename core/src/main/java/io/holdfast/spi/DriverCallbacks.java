package io.holdfast.spi;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The listeners of a driver, and a way to run code that is not the driver's, for example receivers of messages. An exception of
 * such code goes to the uncaught exception handler of its thread. It never reaches the client library, which might break the
 * connection because of it.
 *
 * <p>All methods may be called from any thread. They call the listeners in the calling thread, one after the other.
 */
public final class DriverCallbacks {
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /** Creates callbacks without listeners. */
    public DriverCallbacks() {}

    /** Adds a listener, which is notified of every event from now on. */
    public void add(ConnectionListener listener) {
        listeners.add(listener);
    }

    /** Ends the reports, since the driver is closed: listeners are not notified of events that begin later. */
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

    /** Runs code that is not the driver's. Never throws. */
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
