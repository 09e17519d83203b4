package io.holdfast.routing;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A driver for several servers, over one driver for each.
 *
 * <p><b>Routes.</b> {@link Routes} knows which server has each partition: a slot of a cluster, or the one partition of a master
 * that Sentinels watch. It looks this up again every half minute, and if a server answers that it does not have a key or cannot
 * serve it. It also does so if a partition has no server, a connection breaks or is back, or a server answers nothing for a
 * second or is reported as replaced. A command is sent to the server of its partition. If that was the wrong
 * server, the command is redirected, at most five times. A server rejects commands that it cannot serve at present, and the
 * caller may try again.
 *
 * <p><b>Channels.</b> {@link Channels} makes a subscription at the server of its name's partition. On a cluster, it is sharded if
 * the server supports that. If the partition moves, it subscribes again at the new server. Meanwhile the partition's messages
 * are down.
 *
 * <p><b>Threads.</b> Changes of the table and the subscriptions run on one thread, the {@link Lane}. Connecting and looking up,
 * which block, run on other threads. Commands mostly use none of these. They are sent on the caller's thread, and redirected on
 * the thread that brings the answer, or when the connection to the other server has been opened.
 */
public final class RoutedDriver implements RedisDriver {
    private static final int MOST_REDIRECTS = 5;

    private final Topology topology;
    private final Connector connector;
    private final Lane lane = new Lane();
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private final Routes routes;
    private final Channels channels;
    private final AtomicBoolean closed = new AtomicBoolean();

    private RoutedDriver(Topology topology, Connector connector) {
        this.topology = topology;
        this.connector = connector;
        this.routes = new Routes(topology, connector, lane, listeners);
        this.channels = new Channels(topology, routes, lane, listeners);
    }

    /**
     * Opens a driver for a cluster. Blocks until the servers of all slots are connected, or until the limit has passed and some
     * are connected.
     *
     * @param seeds some nodes of the cluster, at least one, which name the others. They must differ in host and port only
     * @param connector opens drivers to the nodes
     * @param limit the time limit
     * @throws DriverException {@code UNKNOWN} if no node answers; {@code REJECTED} if one answers that it is in no cluster,
     *     or refuses the user
     */
    public static RedisDriver cluster(List<RedisAddress> seeds, Connector connector, Duration limit) {
        if (seeds.isEmpty()) {
            throw new IllegalArgumentException("seeds must not be empty");
        }
        return open(new ClusterTopology(List.copyOf(seeds), connector), connector, limit);
    }

    /**
     * Opens a driver for the master that sentinels watch. Blocks until it is connected.
     *
     * @param sentinels addresses of the sentinels, at least one and preferably all
     * @param name the name by which the sentinels know the master
     * @param server the user, password, database and encryption of the servers; its host and port are ignored
     * @param connector opens drivers to the servers
     * @param toSentinels opens drivers to sentinels, with their own user and password
     * @param limit the time limit
     * @throws DriverException {@code UNKNOWN} if no sentinel answers, or the server that they name is not a master;
     *     {@code REJECTED} if they do not know the name, or a server refuses the user
     */
    public static RedisDriver sentinels(
            List<RedisAddress> sentinels,
            String name,
            RedisAddress server,
            Connector connector,
            Connector toSentinels,
            Duration limit) {
        if (sentinels.isEmpty()) {
            throw new IllegalArgumentException("sentinels must not be empty");
        }
        return open(new SentinelTopology(List.copyOf(sentinels), name, server, toSentinels), connector, limit);
    }

    /**
     * Opens a driver for one server that may be replaced by another at another address. Blocks until it is connected.
     *
     * @param whereabouts returns the present address of the server. Called at the start, when a connection breaks, while nothing
     *     is answered, and every half minute; by one thread at a time. Blocks for a bounded time. Throws a
     *     {@link DriverException} if it does not know the address, and is then called again
     * @param connector opens drivers to the server
     * @param limit the time limit
     * @throws DriverException {@code UNKNOWN} if nothing answers there; {@code REJECTED} if the server refuses the user
     */
    public static RedisDriver moving(Supplier<RedisAddress> whereabouts, Connector connector, Duration limit) {
        return open(new MovingTopology(whereabouts), connector, limit);
    }

    private static RedisDriver open(Topology topology, Connector connector, Duration limit) {
        RoutedDriver driver = new RoutedDriver(topology, connector);
        try {
            driver.routes.open(driver.channels, System.nanoTime() + limit.toNanos());
            return driver;
        } catch (RuntimeException e) {
            driver.close();
            throw e;
        }
    }

    // ---- commands

    @Override
    public CompletionStage<Reply> send(Command command) {
        CompletableFuture<Reply> outcome = new CompletableFuture<>();
        String key = command.key();
        int partition = key == null ? routes.anyPartition() : topology.partition(key);
        Node node = routes.at(partition);
        if (node == null) {
            routes.lookSoon();
            outcome.completeExceptionally(routes.unserved(partition));
        } else {
            settle(node.send(command), command, 0, outcome);
        }
        return outcome;
    }

    private void settle(
            CompletableFuture<Reply> sent, Command command, int redirects, CompletableFuture<Reply> outcome) {
        sent.whenComplete((reply, failure) -> {
            if (failure == null) {
                outcome.complete(reply);
            } else {
                failed(Node.failureOf(failure), command, redirects, outcome);
            }
        });
    }

    private void failed(DriverException failure, Command command, int redirects, CompletableFuture<Reply> outcome) {
        String key = command.key();
        switch (failure.code()) {
            case "MOVED", "ASK" -> {
                if (redirects >= MOST_REDIRECTS || key == null) {
                    tryAgain("the servers redirect the command to each other", failure, outcome);
                    return;
                }
                String[] words = String.valueOf(failure.getMessage()).split(" ", -1);
                Node target = words.length < 3 ? null : told(words[2], key);
                if (target == null) {
                    // The server that redirected the command may have been found unreachable since.
                    tryAgain("the server that has the slot is not known at present", failure, outcome);
                } else if (failure.code().equals("MOVED")) {
                    routes.moved(topology.partition(key), target);
                    settle(target.send(command), command, redirects + 1, outcome);
                } else {
                    settle(target.ask(command, key), command, redirects + 1, outcome);
                }
            }
            case "READONLY", "CLUSTERDOWN", "MASTERDOWN", "LOADING", "" -> {
                routes.lookSoon();
                outcome.completeExceptionally(failure);
            }
            default -> outcome.completeExceptionally(failure);
        }
    }

    private void tryAgain(String why, DriverException failure, CompletableFuture<Reply> outcome) {
        routes.lookSoon();
        outcome.completeExceptionally(DriverException.rejected("TRYAGAIN " + why + ": " + failure.getMessage()));
    }

    /** The server that a redirection names; if it names no host, it means the host of the redirecting server. */
    private @Nullable Node told(String hostAndPort, String key) {
        int colon = hostAndPort.lastIndexOf(':');
        Node like = routes.at(topology.partition(key));
        if (colon < 0 || like == null) {
            return null;
        }
        String host = colon == 0 ? like.address.host() : hostAndPort.substring(0, colon);
        try {
            return routes.nodeAt(
                    ClusterTopology.at(like.address, host, Integer.parseInt(hostAndPort.substring(colon + 1))));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    // ---- the rest of the port

    @Override
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        return channels.subscribe(channel, onMessage);
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        return channels.unsubscribe(channel);
    }

    @Override
    public RedisDriver another(String key) {
        if (closed.get()) {
            throw DriverException.unknown("the driver is closed", null);
        }
        Node node = routes.at(topology.partition(key));
        if (node == null) {
            throw routes.unserved(topology.partition(key));
        }
        return connector.connect(node.address);
    }

    @Override
    public @Nullable RedisDriver master(int partition) {
        Node node = routes.at(partition);
        return node == null ? null : node.driver();
    }

    @Override
    public List<RedisDriver> masters() {
        return routes.servers().stream()
                .flatMap(node -> Stream.ofNullable(node.driver()))
                .toList();
    }

    @Override
    public int partitions() {
        return topology.partitions();
    }

    @Override
    public int partition(String key) {
        return topology.partition(key);
    }

    @Override
    public void reconnect() {
        masters().forEach(RedisDriver::reconnect);
        routes.lookSoon();
    }

    @Override
    public void listen(ConnectionListener listener) {
        listeners.add(listener);
    }

    @Override
    public String describe() {
        return topology.describe();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            lane.stop();
            routes.close();
            channels.close();
            lane.close();
        }
    }
}
