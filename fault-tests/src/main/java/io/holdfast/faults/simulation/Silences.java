package io.holdfast.faults.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** When clients and servers stood still, and what a lease has to bear of it. Times are nanoseconds of the world. */
final class Silences {
    private static final long MILLI = Checks.MILLI;

    /** From when on, counted from its beginning, a lease bears a silence of less than two thirds of its term. */
    private static final long BEARS_FROM = 100 * MILLI;

    /** Two thirds, less the allowance for drift and what a renewal takes that was under way. */
    private static final double PART_OF_TERM = 0.6;

    private static final long LESS = 300 * MILLI;

    /** For so many command timeouts nothing is answered before a client gives a connection up. */
    static final int GIVEN_UP_AFTER = 3;

    /** What was asked when a silence began, or is answered when it ends. */
    private static final long ROUND_TRIP = 10 * MILLI;

    /**
     * One of them.
     *
     * @param client the number of the client, negative if it is a server's
     * @param server the number of the server, negative if it is a client's
     */
    record Silence(int client, int server, long begin, long end) {}

    private final List<Silence> all = new ArrayList<>();

    void add(int client, int server, long begin, long end) {
        all.add(new Silence(client, server, begin, end));
    }

    /** The only silence of a client and a server that has lasted into this time; null if there is none, or more than one. */
    @Nullable
    Silence only(int client, int server, long since) {
        Silence only = null;
        for (Silence each : all) {
            if ((each.client == client || each.server == server) && each.end >= since) {
                if (only != null) {
                    return null;
                }
                only = each;
            }
        }
        return only;
    }

    /**
     * A silence as the leases of a client see it that has given its connection up because of it: it lasts until the client
     * is connected again. A connection that was given up earlier than it may be, or without need, does not count.
     *
     * @param limit how long nothing is answered before the client may give its connection up
     * @param gaveUpAt when it last did
     * @param connectedAt when it was connected after that; now if it is not yet
     */
    static Silence untilConnected(Silence silence, long limit, long gaveUpAt, long connectedAt) {
        boolean because = gaveUpAt >= silence.begin + limit - ROUND_TRIP && gaveUpAt <= silence.end + ROUND_TRIP;
        return because && connectedAt > silence.end
                ? new Silence(silence.client, silence.server, silence.begin, connectedAt)
                : silence;
    }

    /** Whether a lease must survive a silence. */
    static boolean bears(Silence silence, long obtainedAt, long termNanos) {
        return silence.begin >= obtainedAt + BEARS_FROM
                && silence.end - silence.begin <= (long) (termNanos * PART_OF_TERM) - LESS;
    }
}
