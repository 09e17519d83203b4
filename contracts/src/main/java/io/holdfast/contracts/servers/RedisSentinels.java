package io.holdfast.contracts.servers;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A real master with two replicas, watched by three sentinels, on loopback ports. For use by one thread.
 *
 * <p>The sentinels call the master {@link #NAME} and count it as down after {@link #DOWN_AFTER_MILLIS}.
 */
public final class RedisSentinels implements AutoCloseable {
    /** What the sentinels call the master. */
    public static final String NAME = "hf";

    /** After so long without an answer a sentinel thinks that the master is down. */
    public static final int DOWN_AFTER_MILLIS = 500;

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<RedisServer> sentinels = new ArrayList<>();

    private RedisSentinels() {}

    /** Starts all of them and waits until the replicas follow and the sentinels know each other. */
    public static RedisSentinels start(String... serverConfig) {
        RedisSentinels started = new RedisSentinels();
        try {
            started.form(serverConfig);
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    private void form(String... serverConfig) {
        List<String> config = new ArrayList<>(List.of(serverConfig));
        config.addAll(List.of("--repl-diskless-sync-delay", "0"));
        RedisServer master = RedisServer.start(config.toArray(String[]::new));
        servers.add(master);
        config.addAll(List.of("--replicaof", "127.0.0.1", Integer.toString(master.port())));
        for (int i = 0; i < 2; i++) {
            servers.add(RedisServer.start(config.toArray(String[]::new)));
        }
        RedisCluster.await(
                "the replicas follow",
                () -> replicationOf(master).contains("connected_slaves:2")
                        && servers.stream()
                                .noneMatch(server -> replicationOf(server).contains("master_link_status:down")));
        for (int i = 0; i < 3; i++) {
            sentinels.add(RedisServer.startSentinel(List.of(
                    "sentinel monitor " + NAME + " 127.0.0.1 " + master.port() + " 2",
                    "sentinel down-after-milliseconds " + NAME + " " + DOWN_AFTER_MILLIS,
                    "sentinel failover-timeout " + NAME + " 3000",
                    "sentinel parallel-syncs " + NAME + " 2")));
        }
        try {
            RedisCluster.await(
                    "the sentinels know each other and the replicas",
                    () -> sentinels.stream().allMatch(each -> shownBy(each).contains("slaves=2,sentinels=3")));
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    e.getMessage() + ": "
                            + sentinels.stream().map(RedisSentinels::shownBy).collect(Collectors.joining("\n")),
                    e);
        }
    }

    private static String shownBy(RedisServer sentinel) {
        return sentinel.command("INFO", "sentinel").asString();
    }

    private static String replicationOf(RedisServer server) {
        return server.command("INFO", "replication").asString();
    }

    /** Addresses of the sentinels. */
    public List<RedisAddress> addresses() {
        return sentinels.stream().map(RedisServer::address).toList();
    }

    /** The sentinels. */
    public List<RedisServer> sentinels() {
        return List.copyOf(sentinels);
    }

    /** Master and replicas, also those that do not run. */
    public List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    /** The server that a majority of the sentinels regards as the master. */
    public RedisServer master() {
        for (RedisServer server : servers) {
            long votes = sentinels.stream()
                    .filter(sentinel -> sentinel.isRunning() && portOfMaster(sentinel) == server.port())
                    .count();
            if (votes >= 2) {
                return server;
            }
        }
        throw new IllegalStateException("the sentinels do not agree on a master");
    }

    private static int portOfMaster(RedisServer sentinel) {
        try {
            List<Reply> parts = sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)
                    .asList();
            return Integer.parseInt(parts.get(1).asString());
        } catch (DriverException e) {
            return -1;
        }
    }

    /** Waits until the sentinels agree on another master than this one, and it says so itself. Answers it. */
    public RedisServer awaitOtherMasterThan(RedisServer old) {
        RedisCluster.await("the sentinels have promoted a replica", () -> {
            RedisServer now;
            try {
                now = master();
            } catch (IllegalStateException e) {
                return false;
            }
            return now != old && now.isRunning() && replicationOf(now).contains("role:master");
        });
        return master();
    }

    /** Orders a failover while all are well. Answers the new master. */
    public RedisServer failOver() {
        RedisServer old = master();
        // After an earlier one it takes them some time to find the replicas fit again: then they refuse.
        RedisCluster.await(
                "the sentinels accept the order",
                () -> sentinels
                        .get(0)
                        .command("SENTINEL", "FAILOVER", NAME)
                        .asString()
                        .equals("OK"));
        return awaitOtherMasterThan(old);
    }

    @Override
    public void close() {
        sentinels.forEach(RedisServer::close);
        servers.forEach(RedisServer::close);
    }
}
