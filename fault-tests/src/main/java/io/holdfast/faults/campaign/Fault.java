package io.holdfast.faults.campaign;

import static io.holdfast.faults.campaign.Topology.CLUSTER;
import static io.holdfast.faults.campaign.Topology.QUORUM;
import static io.holdfast.faults.campaign.Topology.SENTINELS;
import static io.holdfast.faults.campaign.Topology.SINGLE;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What can happen, where, how often in one episode, and whether the assumptions of docs/safety.md allow it. */
enum Fault {
    NONE(true, 0, "nothing happens", SINGLE, SENTINELS, CLUSTER, QUORUM),
    KILL_PROCESS(true, 3, "a process is killed (SIGKILL)", SINGLE, CLUSTER, QUORUM),
    FREEZE_PROCESS(true, 2, "a process stands still for longer than its term (SIGSTOP)", SINGLE, QUORUM),
    FREEZE_SERVER(true, 2, "the server stands still for up to a second more than a term (SIGSTOP)", SINGLE),
    RESTART_WITH_DATA(true, 2, "the server is killed and started with its data", SINGLE),
    RESTART_EMPTY(false, 3, "the server is killed and started without its data", SINGLE),
    RESTART_OLDER(
            Set.of(QUORUM),
            2,
            "a server is killed and started with what it had some time before",
            SINGLE,
            SENTINELS,
            QUORUM),
    KILL_COMMANDS(true, 8, "connections for commands are reset", SINGLE, SENTINELS, CLUSTER),
    KILL_MESSAGES(true, 8, "connections for messages are reset", SINGLE, SENTINELS, CLUSTER),
    PARTITION_ONE(true, 2, "one process is cut off for longer than its term", SINGLE, SENTINELS, CLUSTER),
    PARTITION_ALL(true, 2, "all processes are cut off for up to a second more than a term", SINGLE, SENTINELS, CLUSTER),
    REPLIES_HELD(
            true, 3, "replies and messages are held back for up to a second and a half", SINGLE, SENTINELS, CLUSTER),
    REPLIES_LOST(true, 4, "replies and messages are lost, then connections are reset", SINGLE, SENTINELS, CLUSTER),
    REQUESTS_LOST(true, 4, "requests are lost, then connections are reset", SINGLE, SENTINELS, CLUSTER),
    MESSAGES_LOST(true, 4, "messages are lost, then their connections are reset", SINGLE, SENTINELS, CLUSTER),
    MESSAGES_DEAD(true, 2, "connections for messages carry nothing any more and stay open", SINGLE, SENTINELS, CLUSTER),
    PACKETS_LOST_ONE(
            true, 2, "packets of one process are lost for longer than its term, both ways", SINGLE, SENTINELS, CLUSTER),
    PACKETS_LOST_TO(true, 3, "packets to the server are lost for up to three seconds", SINGLE, SENTINELS, CLUSTER),
    PACKETS_LOST_FROM(true, 3, "packets from the server are lost for up to three seconds", SINGLE, SENTINELS, CLUSTER),
    DELAY(true, 3, "every packet takes 5 to 60 ms longer, each way", SINGLE, SENTINELS, CLUSTER),
    SCRIPT_FLUSH(true, 8, "the server forgets its scripts", SINGLE),
    FLUSHALL(false, 6, "all keys are deleted", SINGLE),
    CLOCK_FORWARD(false, 4, "the server's clock is set forward by 1 to 20 s", SINGLE),
    CLOCK_BACK(false, 4, "the server's clock is set back by 1 to 20 s", SINGLE),
    SLOW_SCRIPT(true, 4, "another script keeps the server busy for 0.3 to 1.5 s", SINGLE),
    PAUSE(true, 3, "an operator pauses a lock for one to three seconds", SINGLE),
    MEMORY_FULL(true, 3, "the server has reached maxmemory and evicts nothing", SINGLE),
    FAILOVER(false, 2, "sentinels fail over while all is well", SENTINELS),
    KILL_MASTER(false, 1, "the master is killed, and a replica promoted", SENTINELS, CLUSTER),
    FREEZE_MASTER(false, 1, "the master stands still, a replica is promoted, the old one comes back", SENTINELS),
    SLOT_MOVE(true, 4, "the slot of a lock is moved to another master", CLUSTER),
    SLOT_MOVE_ATOMIC(true, 4, "the slot of a lock is moved to another master in one step", CLUSTER),
    FREEZE_MINORITY(true, 2, "one node of three stands still", QUORUM),
    KILL_MINORITY(true, 2, "one node of three is killed and started without its data", QUORUM),
    FLUSH_MINORITY(true, 2, "all keys of one node of three are deleted", QUORUM),
    FLUSH_MAJORITY(false, 2, "all keys of two nodes of three are deleted at once, quarantine included", QUORUM);

    /** What a fault acts upon. Two that act upon the same would undo each other's work. */
    enum Victim {
        NOBODY,
        PROCESSES,
        NETWORK,
        SERVERS
    }

    private final int times;
    private final String words;

    @SuppressWarnings("ImmutableEnumChecker") // Set.of
    private final Set<Topology> inside;

    @SuppressWarnings("ImmutableEnumChecker") // Set.of
    private final Set<Topology> topologies;

    Fault(boolean inside, int times, String words, Topology... topologies) {
        this(inside ? Set.of(Topology.values()) : Set.of(), times, words, topologies);
    }

    Fault(Set<Topology> inside, int times, String words, Topology... topologies) {
        this.inside = inside;
        this.times = times;
        this.words = words;
        this.topologies = Set.of(topologies);
    }

    /** Whether the assumptions allow it: then every promise must hold. */
    boolean isInside(Topology topology) {
        return inside.contains(topology);
    }

    /**
     * Whether the servers forget grants by it, and nothing worse: then leases of clients with a quarantine must not overlap.
     * A master that stands still and comes back does not only forget: it answers some clients for a while yet.
     */
    boolean forgets() {
        return switch (this) {
            case RESTART_EMPTY, RESTART_OLDER, FLUSHALL, FAILOVER, KILL_MASTER -> true;
            default -> false;
        };
    }

    /** What it acts upon. */
    Victim victim() {
        return switch (this) {
            case NONE -> Victim.NOBODY;
            case KILL_PROCESS, FREEZE_PROCESS -> Victim.PROCESSES;
            case KILL_COMMANDS,
                    KILL_MESSAGES,
                    PARTITION_ONE,
                    PARTITION_ALL,
                    REPLIES_HELD,
                    REPLIES_LOST,
                    REQUESTS_LOST,
                    MESSAGES_LOST,
                    MESSAGES_DEAD,
                    PACKETS_LOST_ONE,
                    PACKETS_LOST_TO,
                    PACKETS_LOST_FROM,
                    DELAY -> Victim.NETWORK;
            default -> Victim.SERVERS;
        };
    }

    /** How often it strikes in one episode. */
    int times() {
        return times;
    }

    /** What happens, for people. */
    String words() {
        return words;
    }

    /** Whether it takes a clock that can be set. */
    boolean needsClock() {
        return this == CLOCK_BACK || this == CLOCK_FORWARD;
    }

    /** Whether it takes a network of the campaign's own. */
    boolean needsNetwork() {
        return this == PACKETS_LOST_ONE || this == PACKETS_LOST_TO || this == PACKETS_LOST_FROM;
    }

    /** Whether it takes servers that move slots by themselves. */
    boolean needsAtomicMove() {
        return this == SLOT_MOVE_ATOMIC;
    }

    boolean concerns(Topology topology) {
        return topologies.contains(topology);
    }

    /** What the single server has to be started with. */
    List<String> serverSettings() {
        return this == RESTART_WITH_DATA ? List.of("--appendonly", "yes", "--appendfsync", "always") : List.of();
    }

    /** Its name on the command line and in reports. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static Fault of(String label) {
        for (Fault fault : values()) {
            if (fault.label().equals(label)) {
                return fault;
            }
        }
        throw new IllegalArgumentException("there is no fault '" + label + "'");
    }
}
