package io.holdfast.spi;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sources of time and randomness: the real ones, or others with which a whole client runs in a test or in a simulation.
 *
 * @param ticker the monotonic clock of deadlines
 * @param timers makes the timers of one client, which closes them when it is closed; null for the default, one daemon thread
 * @param entropy the randomness of owner ids, of values of plain locks, and of pauses
 * @param sharesHolds whether leases of one client may share a hold, as the lock options say; if not, each request is sent to
 *     the server
 */
public record Environment(Ticker ticker, @Nullable Supplier<Timers> timers, Entropy entropy, boolean sharesHolds) {
    /** Creates an environment in which leases share holds as the lock options say. */
    public Environment(Ticker ticker, @Nullable Supplier<Timers> timers, Entropy entropy) {
        this(ticker, timers, entropy, true);
    }

    /** Returns the environment with the real time and randomness. */
    public static Environment system() {
        return new Environment(Ticker.system(), null, Entropy.system());
    }

    /**
     * Returns a copy in which each request is sent to the server. A server that grants a lock while other leases hold it must see
     * all requests.
     */
    public Environment withoutSharedHolds() {
        return new Environment(ticker, timers, entropy, false);
    }
}
