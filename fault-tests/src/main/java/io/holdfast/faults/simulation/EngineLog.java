package io.holdfast.faults.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Keeps the engine's log quiet, and catches what it logs as a defect of its own. One at a time. */
final class EngineLog extends Handler {
    private static final Logger LOGGER = Logger.getLogger("io.holdfast");

    private volatile @Nullable String defect;

    private EngineLog() {}

    static EngineLog listen() {
        EngineLog log = new EngineLog();
        LOGGER.setUseParentHandlers(false);
        LOGGER.setLevel(Level.SEVERE);
        LOGGER.addHandler(log);
        return log;
    }

    @Nullable
    String firstDefect() {
        return defect;
    }

    @Override
    public void publish(LogRecord entry) {
        if (defect == null && entry.getLevel().intValue() >= Level.SEVERE.intValue()) {
            StringWriter text = new StringWriter();
            Throwable thrown = entry.getThrown();
            if (thrown != null) {
                thrown.printStackTrace(new PrintWriter(text, true));
            }
            defect = entry.getMessage() + "\n" + text;
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOGGER.removeHandler(this);
    }
}
