package io.holdfast.contracts.servers;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A real cluster on loopback ports: masters, each with the same number of replicas. For use by one thread.
 *
 * <p>A node counts as failed after {@link #NODE_TIMEOUT_MILLIS}; a cluster of which a part is down serves the rest.
 */
public final class RedisCluster implements AutoCloseable {
    /** After so long without a word, nodes begin to think that another has failed. */
    public static final int NODE_TIMEOUT_MILLIS = 1_000;

    /** The number of slots of every cluster. */
    public static final int SLOTS = 16_384;

    /** How Redis moves slots by itself; the target is asked. */
    private static final String IMPORT = "MIGRATION";

    /** How Valkey does; the source is asked. */
    private static final String EXPORT = "MIGRATESLOTS";

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Map<String, RedisServer> nodes = new TreeMap<>(); // by node id

    private RedisCluster() {}

    /** Starts three masters with one replica each, and waits until every slot is served and replicated. */
    public static RedisCluster start() {
        return start(3, 1);
    }

    /** Starts a cluster, and waits until every slot is served and replicated. */
    public static RedisCluster start(int masters, int replicasEach, String... config) {
        RedisCluster cluster = new RedisCluster();
        try {
            cluster.form(masters, replicasEach, List.of(config));
            return cluster;
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void form(int masters, int replicasEach, List<String> config) {
        List<String> args = new ArrayList<>(List.of(
                "--cluster-enabled",
                "yes",
                "--cluster-node-timeout",
                Integer.toString(NODE_TIMEOUT_MILLIS),
                "--cluster-require-full-coverage",
                "no",
                "--cluster-replica-validity-factor",
                "0",
                "--repl-diskless-sync-delay",
                "0"));
        args.addAll(config);
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < masters * (1 + replicasEach); i++) {
            RedisServer server = RedisServer.start(args.toArray(String[]::new));
            String id = server.command("CLUSTER", "MYID").asString();
            nodes.put(id, server);
            ids.add(id);
            server.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(i + 1));
        }
        for (int i = 0; i < masters; i++) {
            List<String> add = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
            for (int slot = SLOTS * i / masters; slot < SLOTS * (i + 1) / masters; slot++) {
                add.add(Integer.toString(slot));
            }
            node(ids.get(i)).command(add.toArray(String[]::new));
        }
        RedisServer first = node(ids.get(0));
        for (RedisServer server : nodes.values()) {
            first.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(server.port()));
        }
        await(
                "all nodes know each other",
                () -> nodes.values().stream()
                        .allMatch(server -> lines(server).stream()
                                        .filter(line -> !line.contains("handshake"))
                                        .count()
                                == nodes.size()));
        for (int i = masters; i < ids.size(); i++) {
            node(ids.get(i)).command("CLUSTER", "REPLICATE", ids.get(i % masters));
        }
        awaitHealthy();
    }

    /**
     * Waits until every node that runs sees all slots served, by the same masters, and no other masters, and every replica follows
     * its own. That a node has become a replica is known to itself first.
     */
    public void awaitHealthy() {
        await("all agree on the masters", () -> {
            Set<Set<String>> views = new HashSet<>();
            Set<String> masters = new HashSet<>();
            for (Map.Entry<String, RedisServer> node : nodes.entrySet()) {
                if (node.getValue().isRunning()) {
                    Set<String> view = new HashSet<>();
                    for (Reply range :
                            node.getValue().command("CLUSTER", "SLOTS").asList()) {
                        view.add(range.asList().get(2).asList().get(2).asString());
                    }
                    views.add(view);
                    views.add(mastersSeenBy(node.getValue()));
                    if (node.getValue()
                            .command("ROLE")
                            .asList()
                            .get(0)
                            .asString()
                            .equals("master")) {
                        masters.add(node.getKey());
                    }
                }
            }
            return views.size() == 1 && views.contains(masters);
        });
        await(
                "every slot is served and replicated",
                () -> nodes.values().stream()
                        .filter(RedisServer::isRunning)
                        .allMatch(server -> server.command("CLUSTER", "INFO")
                                        .asString()
                                        .contains("cluster_slots_ok:" + SLOTS)
                                && server.command("CLUSTER", "INFO").asString().contains("cluster_state:ok")
                                && !server.command("INFO", "replication")
                                        .asString()
                                        .contains("master_link_status:down")));
    }

    /** Addresses of all nodes, masters and replicas. */
    public List<RedisAddress> addresses() {
        return nodes.values().stream().map(RedisServer::address).toList();
    }

    /** All nodes, masters and replicas, also those that do not run. */
    public List<RedisServer> nodes() {
        return List.copyOf(nodes.values());
    }

    /** The masters that run, as a node sees it that runs. */
    public List<RedisServer> masters() {
        return mastersSeenBy(running()).stream().map(this::node).toList();
    }

    private Set<String> mastersSeenBy(RedisServer server) {
        Set<String> masters = new LinkedHashSet<>();
        for (String line : lines(server)) {
            String[] words = line.split(" ", -1);
            if (words[2].contains("master")
                    && !words[2].contains("fail")
                    && node(words[0]).isRunning()) {
                masters.add(words[0]);
            }
        }
        return masters;
    }

    /** The slot of a key. */
    public int slotOf(String key) {
        return (int) running().command("CLUSTER", "KEYSLOT", key).asLong();
    }

    /** The master that serves a slot, as a node sees it that runs. */
    public RedisServer masterOf(int slot) {
        for (Reply range : running().command("CLUSTER", "SLOTS").asList()) {
            List<Reply> parts = range.asList();
            if (parts.get(0).asLong() <= slot && slot <= parts.get(1).asLong()) {
                return node(parts.get(2).asList().get(2).asString());
            }
        }
        throw new IllegalStateException("nobody serves slot " + slot);
    }

    /** A master that does not serve a slot. */
    public RedisServer otherThan(RedisServer master) {
        return masters().stream()
                .filter(other -> other != master)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is one master only"));
    }

    /** The replicas of a master, as it sees them itself. */
    public List<RedisServer> replicasOf(RedisServer master) {
        String id = idOf(master);
        return lines(running()).stream()
                .map(line -> line.split(" ", -1))
                .filter(words -> words[3].equals(id))
                .map(words -> node(words[0]))
                .toList();
    }

    /** Kills a master and waits until one of its replicas serves its slots. Answers the new master. */
    public RedisServer failOver(RedisServer master) {
        int slot = firstSlotOf(master);
        master.kill();
        await(
                "a replica takes over",
                () -> nodes.values().stream()
                        .filter(RedisServer::isRunning)
                        .allMatch(server ->
                                servedBy(server, slot) != null && !idOf(master).equals(servedBy(server, slot))));
        return masterOf(slot);
    }

    private int firstSlotOf(RedisServer master) {
        for (Reply range : running().command("CLUSTER", "SLOTS").asList()) {
            List<Reply> parts = range.asList();
            if (node(parts.get(2).asList().get(2).asString()) == master) {
                return (int) parts.get(0).asLong();
            }
        }
        throw new IllegalStateException("it serves no slot");
    }

    private static String servedBy(RedisServer asked, int slot) {
        for (Reply range : asked.command("CLUSTER", "SLOTS").asList()) {
            List<Reply> parts = range.asList();
            if (parts.get(0).asLong() <= slot && slot <= parts.get(1).asLong()) {
                return parts.get(2).asList().get(2).asString();
            }
        }
        return "";
    }

    /** Begins to move a slot: from here on the source asks clients to look for missing keys at the target. */
    public void beginMove(int slot, RedisServer source, RedisServer target) {
        target.command("CLUSTER", "SETSLOT", Integer.toString(slot), "IMPORTING", idOf(source));
        source.command("CLUSTER", "SETSLOT", Integer.toString(slot), "MIGRATING", idOf(target));
    }

    /** Moves the keys that are in the slot now. */
    public void moveKeys(int slot, RedisServer source, RedisServer target) {
        List<Reply> keys = source.command("CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), "1000")
                .asList();
        for (Reply key : keys) {
            source.command(
                    "MIGRATE", "127.0.0.1", Integer.toString(target.port()), key.asString(), "0", "5000", "REPLACE");
        }
    }

    /** Ends the move of a slot: the target serves it, and every master is told so. */
    public void endMove(int slot, RedisServer source, RedisServer target) {
        String id = idOf(target);
        target.command("CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", id);
        source.command("CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", id);
        for (RedisServer master : masters()) {
            master.command("CLUSTER", "SETSLOT", Integer.toString(slot), "NODE", id);
        }
    }

    /**
     * Lets the servers move a slot with its keys, in one step for clients, and waits until all nodes know. What they offer for that
     * is used: {@code CLUSTER MIGRATION}, or {@code CLUSTER MIGRATESLOTS}.
     *
     * @throws IllegalStateException if they do not succeed in time, or offer nothing
     */
    public void moveAtOnce(int slot, RedisServer source, RedisServer target) {
        String number = Integer.toString(slot);
        String id = idOf(target);
        String offer = offerOf(source)
                .orElseThrow(() -> new IllegalStateException("the servers do not move slots in one step"));
        // Right after a move the servers still tidy up, and refuse the next one.
        await("the servers begin to move a slot", () -> {
            if (offer.equals(IMPORT)) {
                target.command("CLUSTER", IMPORT, "IMPORT", number, number);
            } else {
                source.command("CLUSTER", offer, "SLOTSRANGE", number, number, "NODE", id);
            }
            return true;
        });
        await(
                "the slot has been moved",
                () -> nodes.values().stream()
                        .filter(RedisServer::isRunning)
                        .allMatch(server -> id.equals(servedBy(server, slot))));
    }

    /** Why the server program of the tests cannot do {@link #moveAtOnce}; empty if it can. */
    public static Optional<String> whyNotAtOnce() {
        try (RedisServer server = RedisServer.start("--cluster-enabled", "yes")) {
            return offerOf(server).isPresent()
                    ? Optional.empty()
                    : Optional.of("the server program has neither CLUSTER " + IMPORT + " (Redis 8.4) nor CLUSTER "
                            + EXPORT + " (Valkey 9.0)");
        }
    }

    private static Optional<String> offerOf(RedisServer server) {
        List<String> help = server.command("CLUSTER", "HELP").asList().stream()
                .map(Reply::asString)
                .toList();
        return Stream.of(IMPORT, EXPORT)
                .filter(each -> help.stream().anyMatch(line -> line.startsWith(each + " ")))
                .findFirst();
    }

    private String idOf(RedisServer server) {
        return nodes.entrySet().stream()
                .filter(node -> node.getValue() == server)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("not a node of this cluster"));
    }

    private RedisServer node(String id) {
        RedisServer server = nodes.get(id);
        if (server == null) {
            throw new IllegalStateException("no node has the id " + id);
        }
        return server;
    }

    private RedisServer running() {
        return nodes.values().stream()
                .filter(RedisServer::isRunning)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no node runs"));
    }

    private static List<String> lines(RedisServer server) {
        return server.command("CLUSTER", "NODES").asString().lines().toList();
    }

    static void await(String what, BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (true) {
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
            } catch (DriverException e) {
                // A node that is busy with becoming a replica drops its connections.
            }
            if (System.nanoTime() - begin > PATIENCE_NANOS) {
                throw new IllegalStateException(
                        "waited " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s in vain until " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    @Override
    public void close() {
        nodes.values().forEach(RedisServer::close);
    }
}
