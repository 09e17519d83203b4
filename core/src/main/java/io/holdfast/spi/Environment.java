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
 * @param sharesHolds whether leases of one client may share a hold, as the options of locks say; if not, each request is sent
 *     to the server
 */
public record Environment(Ticker ticker, @Nullable Supplier<Timers> timers, Entropy entropy, boolean sharesHolds) {
    /** One in which leases share holds as the options of locks say. */
    public Environment(Ticker ticker, @Nullable Supplier<Timers> timers, Entropy entropy) {
        this(ticker, timers, entropy, true);
    }

    /** The real ones. */
    public static Environment system() {
        return new Environment(Ticker.system(), null, Entropy.system());
    }

    /** This environment, where each request is sent to the server: one that grants a lock beside others must see them all. */
    public Environment withoutSharedHolds() {
        return new Environment(ticker, timers, entropy, false);
    }
}
