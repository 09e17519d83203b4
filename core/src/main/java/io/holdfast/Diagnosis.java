package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a server is like for a client that wants locks of it: facts, and no judgement. See {@link Holdfast#diagnose}.
 *
 * @param server the server's address
 * @param facts what the server reports about itself; empty if the user may not ask ({@code INFO})
 * @param user the user as whom the server sees this client; empty if it does not report that
 * @param clock the server's clock compared with that of this machine; empty if the user may not ask ({@code TIME})
 * @param pings round trips, the shortest first; empty if the user may not ask ({@code PING})
 * @param probes what was tried, each ability once
 */
public record Diagnosis(
        String server,
        Optional<Facts> facts,
        Optional<String> user,
        Optional<Clock> clock,
        List<Duration> pings,
        List<Probe> probes) {

    /** Copies the lists. */
    public Diagnosis {
        pings = List.copyOf(pings);
        probes = List.copyOf(probes);
    }

    /** What Holdfast has to be able to do with a server, or would like to. */
    public enum Ability {
        /** Running a script that only reads. Needed. */
        SCRIPTS,
        /**
         * Speaking of several locks in one call. Without it each lock has calls of its own: the server divides its keys behind one
         * address, as a proxy of a cluster does.
         */
        BATCHES,
        /** Taking a lock and releasing it. Needed. */
        LOCKING,
        /** Keeping a lock that several may hold: a read/write lock, or a semaphore. Without it these cannot be used, locks can. */
        SHARING,
        /** Listening on a channel of its own. Needed. */
        LISTENING,
        /** Sending a message, which arrives. Without it waiters learn of their turn some seconds later. */
        MESSAGES,
        /** Asking who listens ({@code PUBSUB NUMSUB}). Without it a dead waiter costs the others a handoff timeout. */
        SUBSCRIBERS,
        /** Walking the keys ({@code SCAN}). {@link Inspector#scanning()} needs it, and nothing else. */
        SEARCHING,
        /** Asking for all channels ({@code PUBSUB CHANNELS}). Without it listings show what clients have reported unasked. */
        CLIENTS
    }

    /**
     * What the server reports about itself.
     *
     * @param product {@code redis}, {@code valkey}, {@code dragonfly}, {@code garnet}, {@code kvrocks} or {@code keydb};
     *     {@code redis} for any other
     * @param version the product's version
     * @param tooOld whether it is older than the oldest that works, Redis 6.2
     * @param master whether it is a master and takes writes
     * @param replicas how many replicas are connected to it
     * @param clustered whether it is a node of a cluster, and was asked as if it were the only server
     * @param memoryUsedBytes what it uses
     * @param memoryLimitBytes what it may use; 0 for no limit
     * @param evictionPolicy its {@code maxmemory-policy}; empty if it does not report that
     * @param failedToSave the parts of its persistence that it reports as failing, by their names in {@code INFO}
     */
    public record Facts(
            String product,
            String version,
            boolean tooOld,
            boolean master,
            int replicas,
            boolean clustered,
            long memoryUsedBytes,
            long memoryLimitBytes,
            String evictionPolicy,
            List<String> failedToSave) {
        /** Copies the list. */
        public Facts {
            failedToSave = List.copyOf(failedToSave);
        }
    }

    /**
     * Two clocks, compared. Locks do not depend on the difference: it matters to people who read times, and to jobs that
     * start by the clock.
     *
     * @param ahead by how much the server's clock is ahead of this machine's; negative if it is behind
     * @param roundTrip the round trip of the reading, the shortest of several: the error is at most half of it
     */
    public record Clock(Duration ahead, Duration roundTrip) {}

    /**
     * The outcome of trying.
     *
     * @param ability what was tried
     * @param problem what went wrong, in words; empty if it worked
     */
    public record Probe(Ability ability, Optional<String> problem) {}
}
