package io.holdfast.vertx;

import io.holdfast.spi.ConnectionListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Calls what was handed in. An exception of it goes to the thread's handler, and does not hurt the connection. */
final class Callbacks {
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    void add(ConnectionListener listener) {
        listeners.add(listener);
    }

    /** No event is reported from now on. */
    void close() {
        closed = true;
    }

    void tell(Consumer<ConnectionListener> event) {
        for (ConnectionListener listener : listeners) {
            if (!closed) {
                run(() -> event.accept(listener));
            }
        }
    }

    @SuppressWarnings("CatchingUnchecked")
    static void run(Runnable callback) {
        try {
            callback.run();
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
