package io.holdfast.internal.wire;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.Set;

/**
 * Whether a server is known not to answer: its attempts fail at once, for want of a connection or because the server
 * refuses, and have done so for a while. An attempt that waited for its answer in vain says nothing of that kind: the answer
 * to the next may come.
 *
 * <p>Of one thing that is asked for again and again; told by one thread at a time.
 */
public final class Outage {
    /** Longer than it takes to open a broken connection anew. */
    static final long PATIENCE_NANOS = 500_000_000L;

    private final Ticker ticker;
    private final long atOnceNanos;
    private volatile boolean begun;
    private volatile long since; // meaningful when it has begun

    /**
     * Nothing has failed yet.
     *
     * @param commandTimeout how long an attempt waits for its answer
     */
    public Outage(Ticker ticker, Duration commandTimeout) {
        this.ticker = ticker;
        this.atOnceNanos = commandTimeout.toNanos() / 2;
    }

    /**
     * An attempt has failed.
     *
     * @param sentNanos when it began
     * @param passing codes of refusals that pass by themselves
     */
    public void failed(DriverException failure, long sentNanos, Set<String> passing) {
        long now = ticker.nanoTime();
        boolean atOnce = failure.kind() == DriverException.Kind.REJECTED
                ? !passing.contains(failure.code())
                : now - sentNanos < atOnceNanos;
        if (!atOnce) {
            begun = false;
        } else if (!begun) {
            since = now;
            begun = true;
        }
    }

    /** Whether there is no use in waiting for the next attempt. */
    public boolean isLasting() {
        return begun && ticker.nanoTime() - since >= PATIENCE_NANOS;
    }
}
