package io.holdfast.faults.campaign;

import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.contracts.servers.RedisSentinels;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.faults.subjects.Target;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The servers of an episode, with a proxy between each and every worker. For use by one thread, but for the proxies. */
final class Servers implements AutoCloseable {
    private static final int NODES = 3;

    private final List<RedisServer> independent = new ArrayList<>(); // the one server, or the nodes of a quorum

    /** For each worker, one in front of each server; of a quorum none. */
    private final List<Map<Integer, TcpProxy>> proxies = new CopyOnWriteArrayList<>();

    private @Nullable RedisSentinels sentinels;
    private @Nullable RedisCluster cluster;

    /** Starts them. Only a single server takes other settings. */
    Servers(Topology topology, List<String> settings) {
        switch (topology) {
            case SINGLE -> {
                independent.add(RedisServer.start(settings.toArray(String[]::new)));
                one().admit(); // for subjects with a quarantine, as below
            }
            case SENTINELS -> sentinels = RedisSentinels.start();
            case CLUSTER -> cluster = RedisCluster.start();
            case QUORUM -> {
                for (int i = 0; i < NODES; i++) {
                    RedisServer node = RedisServer.start();
                    // It has its memory since for ever: nobody has to wait for the end of the quarantine.
                    node.admit();
                    independent.add(node);
                }
            }
        }
    }

    /** What a worker is told to connect to. */
    Target target(int worker) {
        while (proxies.size() <= worker) {
            Map<Integer, TcpProxy> own = new TreeMap<>();
            behindProxies().forEach(each -> own.put(each.port(), TcpProxy.to(each.port())));
            proxies.add(own);
        }
        Map<Integer, Integer> detours = new TreeMap<>();
        proxies.get(worker).forEach((port, proxy) -> detours.put(port, proxy.port()));
        if (cluster != null) {
            return new Target(List.of("redis-cluster://" + hosts(cluster.addresses())), detours);
        }
        if (sentinels != null) {
            String address = "redis-sentinel://" + hosts(sentinels.addresses()) + "/" + RedisSentinels.NAME;
            return new Target(List.of(address), detours);
        }
        return new Target(independent.stream().map(RedisServer::url).toList(), detours);
    }

    private List<RedisServer> behindProxies() {
        if (cluster != null) {
            return cluster.nodes();
        }
        if (sentinels != null) {
            return Stream.concat(sentinels.servers().stream(), sentinels.sentinels().stream())
                    .toList();
        }
        return independent.size() == 1 ? independent : List.of();
    }

    private static String hosts(List<RedisAddress> addresses) {
        return addresses.stream().map(each -> each.host() + ":" + each.port()).collect(Collectors.joining(","));
    }

    /** The single server, or the first node. */
    RedisServer one() {
        return independent.get(0);
    }

    /** The nodes of a quorum. */
    List<RedisServer> nodes() {
        return independent;
    }

    /** Those of all workers. */
    List<TcpProxy> proxies() {
        return proxies.stream().flatMap(each -> each.values().stream()).toList();
    }

    /** Those of one worker. */
    List<TcpProxy> proxies(int worker) {
        return List.copyOf(proxies.get(worker).values());
    }

    RedisSentinels sentinels() {
        return Objects.requireNonNull(sentinels);
    }

    RedisCluster cluster() {
        return Objects.requireNonNull(cluster);
    }

    /** Those that have keys of their own: a master each. */
    List<RedisServer> masters() {
        if (cluster != null) {
            return cluster.masters();
        }
        return sentinels != null ? List.of(sentinels.master()) : independent;
    }

    /** How many commands they have carried out. */
    long commands() {
        long sum = 0;
        for (RedisServer master : masters()) {
            try {
                sum += master.command("INFO", "stats")
                        .asString()
                        .lines()
                        .filter(line -> line.startsWith("total_commands_processed:"))
                        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                        .sum();
            } catch (DriverException e) {
                // It is away.
            }
        }
        return sum;
    }

    /** Product and version. */
    String version() {
        String info = masters().get(0).command("INFO", "server").asString();
        String valkey = field(info, "valkey_version:");
        return valkey.isEmpty() ? "Redis " + field(info, "redis_version:") : "Valkey " + valkey;
    }

    private static String field(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()))
                .findFirst()
                .orElse("");
    }

    @Override
    public void close() {
        proxies().forEach(TcpProxy::close);
        independent.forEach(RedisServer::close);
        if (sentinels != null) {
            sentinels.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }
}
