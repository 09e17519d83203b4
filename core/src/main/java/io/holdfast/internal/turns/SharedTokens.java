package io.holdfast.internal.turns;

import io.holdfast.internal.queue.QueuedRequest;

/**
 * The tokens that the server reserved for a hold, the first of which is the hold's own. Pure; guarded by its line's lock.
 *
 * <p>A lease draws its own when it is first asked for it, so that tokens are in the order of the leases that were asked; the
 * first lease has the hold's own in any case. None is used before so many microseconds have passed since the grant: the
 * server's tokens are its clock, and one that lost its memory still gives greater ones.
 */
final class SharedTokens {
    /** Leases that one hold is good for: a tenth of a second's worth of tokens. */
    private static final int MANY = 100_000;

    /** How often to look again whether a microsecond is over. */
    static final int MOST_SPINS = 2_000;

    /** Of the longest microsecond, by a clock that runs 1 % too fast, and of rounding. */
    private static final long NANOS_A_TOKEN = 1_020;

    private final long first;
    private final long obtainedNanos;
    private final int reserved;
    private long last;

    SharedTokens(long first, int reserved, long obtainedNanos) {
        this.first = first;
        this.reserved = reserved;
        this.obtainedNanos = obtainedNanos;
        this.last = first - 1;
    }

    /**
     * How many the server reserves for a hold: one for each of its leases.
     *
     * @param wanted whether several requests of this client want the lock, or it is kept for them
     */
    static int reserved(boolean wanted) {
        return wanted ? MANY : QueuedRequest.FEW_TOKENS;
    }

    /** Whether one is left for the next lease. */
    boolean hasMore() {
        return last + 1 - first < reserved;
    }

    /** Whether the next lease may have one of its own. */
    boolean mayDraw(long now) {
        return hasMore() && (last + 1 - first) * NANOS_A_TOKEN <= now - obtainedNanos;
    }

    /** One more, which is the last from now on. */
    long draw() {
        last++;
        return last();
    }

    /** The last that was drawn; that of the hold, if none was. */
    long last() {
        return Math.max(last, first);
    }

    /** Whoever comes next must not have what the first, which never asked for its token, is answered afterwards. */
    void settle() {
        last = last();
    }
}
