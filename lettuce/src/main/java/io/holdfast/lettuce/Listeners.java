package io.holdfast.lettuce;

import io.holdfast.spi.ConnectionListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Those who want to know of connections. Silent once the driver is closed. */
final class Listeners implements ConnectionListener {
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    void add(ConnectionListener listener) {
        listeners.add(listener);
    }

    void close() {
        closed = true;
    }

    @Override
    public void commandsUp() {
        tell(ConnectionListener::commandsUp);
    }

    @Override
    public void commandsDown() {
        tell(ConnectionListener::commandsDown);
    }

    @Override
    public void messagesUp() {
        tell(ConnectionListener::messagesUp);
    }

    @Override
    public void messagesDown() {
        tell(ConnectionListener::messagesDown);
    }

    private void tell(Consumer<ConnectionListener> event) {
        for (ConnectionListener listener : listeners) {
            if (!closed) {
                Callout.run(() -> event.accept(listener));
            }
        }
    }
}
