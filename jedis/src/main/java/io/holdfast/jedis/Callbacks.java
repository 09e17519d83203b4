package io.holdfast.jedis;

import io.holdfast.spi.ConnectionListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Calls what was handed in. What it throws goes to the thread's handler, and does not hurt the connection. */
final class Callbacks {
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();

    void add(ConnectionListener listener) {
        listeners.add(listener);
    }

    void tell(Consumer<ConnectionListener> event) {
        for (ConnectionListener listener : listeners) {
            run(() -> event.accept(listener));
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
