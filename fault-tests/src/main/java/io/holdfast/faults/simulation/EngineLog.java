package io.holdfast.faults.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Keeps the engine's log quiet, and catches what it logs as a defect of its own. One at a time. */
final class EngineLog extends Handler {
    private static final Logger LOGGER = Logger.getLogger("io.holdfast");

    private volatile @Nullable String defect;

    private final Predicate<Throwable> isOnPurpose;

    private EngineLog(Predicate<Throwable> isOnPurpose) {
        this.isOnPurpose = isOnPurpose;
    }

    static EngineLog listen() {
        return listen(thrown -> false);
    }

    /** @param isOnPurpose what is thrown by the world itself, and rightly logged */
    static EngineLog listen(Predicate<Throwable> isOnPurpose) {
        EngineLog log = new EngineLog(isOnPurpose);
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
        Throwable thrown = entry.getThrown();
        boolean wanted = thrown != null && isOnPurpose.test(thrown);
        if (defect == null && !wanted && entry.getLevel().intValue() >= Level.SEVERE.intValue()) {
            StringWriter text = new StringWriter();
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
