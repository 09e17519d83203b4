package io.holdfast.spi;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where time and randomness come from: the real ones, or others under which a whole client runs in a test or in a
 * simulation.
 *
 * @param ticker the monotonic clock of deadlines
 * @param timers makes the timers of one client, which closes them when it is closed; null stands for the default, one
 *     daemon thread
 * @param entropy the randomness of owner ids
 */
public record Environment(Ticker ticker, @Nullable Supplier<Timers> timers, Entropy entropy) {
    /** The real ones. */
    public static Environment system() {
        return new Environment(Ticker.system(), null, Entropy.system());
    }
}
