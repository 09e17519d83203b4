package io.holdfast.faults.errors;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the engine logs that was thrown, instead of the console. */
final class LoggedErrors extends Handler implements AutoCloseable {
    private static final Logger LOGGER = Logger.getLogger("io.holdfast");

    final List<Throwable> thrown = new CopyOnWriteArrayList<>();

    LoggedErrors() {
        LOGGER.setUseParentHandlers(false);
        LOGGER.setLevel(Level.WARNING);
        LOGGER.addHandler(this);
    }

    /** Has the classes of logging initialized: an Error in there would make them unusable for good. */
    void warm() {
        LOGGER.log(Level.WARNING, "a first entry");
    }

    List<Throwable> errors() {
        return thrown.stream().filter(each -> each instanceof Error).toList();
    }

    @Override
    public void publish(LogRecord entry) {
        if (entry.getThrown() != null) {
            thrown.add(entry.getThrown());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOGGER.removeHandler(this);
        LOGGER.setUseParentHandlers(true);
    }
}
