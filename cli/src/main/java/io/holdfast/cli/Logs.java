package io.holdfast.cli;

import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * Where the library's log goes: warnings to standard error, one line each. It also keeps the JDK's own logging from
 * starting, which would cost time at each launch and print two lines for one.
 */
public final class Logs extends System.LoggerFinder {
    private static volatile boolean muted;

    /** For {@link java.util.ServiceLoader}. */
    public Logs() {}

    /** From here on the command tells itself what matters, so that the same things would be told twice. */
    static void mute() {
        muted = true;
    }

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Lines(name);
    }

    private record Lines(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            boolean ours = name.startsWith("io.holdfast");
            int least = Say.verbose() ? Level.INFO.getSeverity() : Level.WARNING.getSeverity();
            return ours && (Say.verbose() || !muted) && level != Level.OFF && level.getSeverity() >= least;
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
            if (isLoggable(level)) {
                if (thrown == null) {
                    Say.line(message);
                } else {
                    Say.failure(message + ": " + thrown, thrown);
                }
            }
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String format, @Nullable Object... arguments) {
            if (isLoggable(level)) {
                Say.line(format);
            }
        }
    }
}
