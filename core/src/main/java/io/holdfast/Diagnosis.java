package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A description of a server from the view of a client that uses it for locks. It contains facts, and no judgement. See
 * {@link Holdfast#diagnose}.
 *
 * @param server the server's address
 * @param facts what the server reports about itself; empty if the user has no permission for {@code INFO}
 * @param user the user name under which the server knows this client; empty if the server does not report it
 * @param clock the server's clock compared with that of this machine; empty if the user has no permission for {@code TIME}
 * @param pings the measured round trips, the shortest first; empty if the user has no permission for {@code PING}
 * @param probes the outcomes of the trials, one for each ability
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

    /** An ability that Holdfast needs on a server, or makes use of. */
    public enum Ability {
        /** Running a script that only reads. Required. */
        SCRIPTS,
        /**
         * Naming several locks in one call. It is missing if the server divides its keys behind one address, as a proxy of a
         * cluster does. Without it each call concerns only one lock.
         */
        BATCHES,
        /** Acquiring a lock and releasing it. Required. */
        LOCKING,
        /**
         * Acquiring a lock that several owners may hold: a read/write lock, or a semaphore. Without it these cannot be used,
         * but exclusive locks can.
         */
        SHARING,
        /** Listening on a channel of the client's own. Required. */
        LISTENING,
        /** Sending a message that arrives. Without it waiters learn of a grant some seconds late. */
        MESSAGES,
        /**
         * Asking for the number of subscribers of a channel ({@code PUBSUB NUMSUB}). Without it each dead waiter delays the
         * others by a handoff timeout.
         */
        SUBSCRIBERS,
        /** Searching the keys ({@code SCAN}). Only {@link Inspector#scanning()} and {@link Inspector#keys()} need it. */
        SEARCHING,
        /**
         * Asking for all channels ({@code PUBSUB CHANNELS}). Without it listings ({@link Inspector#locks()},
         * {@link Inspector#clients()}, {@link Inspector#overview(int)}) show only what clients have reported without being asked,
         * and not which clients listen.
         */
        CLIENTS
    }

    /**
     * The facts that a server reports about itself.
     *
     * @param product {@code redis}, {@code valkey}, {@code dragonfly}, {@code garnet}, {@code kvrocks} or {@code keydb};
     *     {@code redis} for any other
     * @param version the product's version
     * @param tooOld whether the version is older than Redis 6.2, the oldest version that works
     * @param master whether it is a master and not a replica
     * @param replicas how many replicas are connected to it
     * @param clustered whether it is a node of a cluster, but was addressed as a single server
     * @param memoryUsedBytes the memory that it uses, in bytes
     * @param memoryLimitBytes the memory that it may use, in bytes; 0 for no limit
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
     * The result of comparing the server's clock with that of this machine. Locks do not depend on the difference. It matters to
     * people who read times, and to jobs that start by the clock.
     *
     * @param ahead by how much the server's clock is ahead of this machine's; negative if it is behind
     * @param roundTrip the round trip of the reading, the shortest of several. The error of {@code ahead} is at most half of it
     */
    public record Clock(Duration ahead, Duration roundTrip) {}

    /**
     * The outcome of trying one ability.
     *
     * @param ability the ability that was tried
     * @param problem the problem, in words; empty if the ability works
     */
    public record Probe(Ability ability, Optional<String> problem) {}
}
