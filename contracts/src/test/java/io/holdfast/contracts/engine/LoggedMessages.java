package io.holdfast.contracts.engine;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the engine logs from now on until this is closed, with the levels. */
final class LoggedMessages extends Handler implements AutoCloseable {
    private static final Logger LOG = Logger.getLogger("io.holdfast");

    private final List<String> messages = new CopyOnWriteArrayList<>();

    LoggedMessages() {
        LOG.addHandler(this);
    }

    /** The oldest first. */
    List<String> messages() {
        return List.copyOf(messages);
    }

    @Override
    public void publish(LogRecord entry) {
        messages.add(entry.getLevel() + " " + entry.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOG.removeHandler(this);
    }
}
