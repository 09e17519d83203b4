package io.holdfast.spring;

import io.holdfast.HoldfastOptions;
import io.holdfast.lettuce.LettuceDriver;
import io.holdfast.routing.RoutedDriver;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A driver over the Lettuce client of a connection factory, with everything that was set for that client: address, user,
 * database, encryption, client resources. Only loaded where Spring Data Redis and Lettuce are there.
 *
 * <p>A factory that is stopped and started again has another client afterwards, and the driver connects over that one.
 */
final class LettuceConnection {
    private LettuceConnection() {}

    static boolean isOne(RedisConnectionFactory factory) {
        return factory instanceof LettuceConnectionFactory;
    }

    /**
     * Blocks until it is connected.
     *
     * @throws DriverException if the server does not answer, or refuses
     */
    static RedisDriver open(String name, RedisConnectionFactory any, HoldfastOptions options) {
        LettuceConnectionFactory factory = (LettuceConnectionFactory) any;
        if (!factory.isRunning()) {
            factory.start(); // it would be a moment later
        }
        AbstractRedisClient client = factory.getRequiredNativeClient();
        if (!client.getOptions().isAutoReconnect()) {
            throw new SetupException(
                    "The Lettuce client of the bean '" + name
                            + "' does not reconnect (autoReconnect of its ClientOptions is"
                            + " off): locks would not work again after the first broken connection",
                    "Leave autoReconnect on, or give locks a connection of their own with holdfast.url, or name"
                            + " another bean with holdfast.connection-factory");
        }
        if (client instanceof RedisClusterClient cluster) {
            return cluster(cluster, options);
        }
        Whereabouts whereabouts = new Whereabouts(name, factory);
        RedisDriver first;
        try {
            first = LettuceDriver.over((RedisClient) client);
        } catch (IllegalStateException e) {
            throw new SetupException(
                    "The Lettuce client of the bean '" + name + "' cannot be used for locks: " + e.getMessage()
                            + " (as with a fixed master and replicas)",
                    "Set holdfast.url to the address of the master, or to redis-sentinel://…",
                    e);
        }
        AtomicReference<@Nullable RedisDriver> opened = new AtomicReference<>(first);
        return RoutedDriver.moving(
                whereabouts,
                to -> {
                    RedisDriver ready = opened.getAndSet(null);
                    return ready == null ? LettuceDriver.over(whereabouts.client()) : ready;
                },
                options.connectTimeout());
    }

    /**
     * Lettuce's client of a cluster opens no connection to one server that stays with it. So each server has a client of its
     * own here, which costs nothing: threads and all else that is dear belong to the resources, which they share.
     */
    private static RedisDriver cluster(RedisClusterClient cluster, HoldfastOptions options) {
        List<RedisURI> nodes = new ArrayList<>();
        try {
            for (RedisClusterNode node : cluster.getPartitions()) {
                nodes.add(node.getUri());
            }
        } catch (RedisException e) {
            throw DriverException.unknown("no node of the cluster answers: " + e.getMessage(), e);
        }
        RedisURI pattern = nodes.get(0);
        List<RedisAddress> seeds = nodes.stream()
                .map(uri -> new RedisAddress(uri.getHost(), uri.getPort(), uri.isSsl(), null, null, 0))
                .toList();
        RedisClient client = RedisClient.create(cluster.getResources());
        client.setOptions(cluster.getOptions());
        return RoutedDriver.cluster(
                seeds,
                to -> LettuceDriver.over(
                        client,
                        RedisURI.builder(pattern)
                                .withHost(to.host())
                                .withPort(to.port())
                                .build()),
                options.connectTimeout());
    }

    /** Where the server is, for people, and with which client it is reached: another client is as good as another place. */
    private static final class Whereabouts implements Supplier<RedisAddress> {
        private final String name;
        private final LettuceConnectionFactory factory;
        private final RedisAddress place;
        private @Nullable AbstractRedisClient known; // asked by one thread at a time
        private int clients;

        Whereabouts(String name, LettuceConnectionFactory factory) {
            this.name = name;
            this.factory = factory;
            this.place = factory.isRedisSentinelAware() || factory.getSocketConfiguration() != null
                    ? new RedisAddress(name, 1, false, null, null, 0)
                    : new RedisAddress(
                            factory.getHostName(),
                            Math.max(1, factory.getPort()),
                            factory.isUseSsl(),
                            null,
                            null,
                            factory.getDatabase());
        }

        @Override
        public synchronized RedisAddress get() {
            AbstractRedisClient present = client();
            if (present != known) {
                known = present;
                clients++;
            }
            return new RedisAddress(
                    place.host(), place.port(), place.tls(), "client " + clients, null, place.database());
        }

        RedisClient client() {
            AbstractRedisClient client;
            try {
                client = factory.isRunning() ? factory.getNativeClient() : null;
            } catch (IllegalStateException e) {
                throw DriverException.unknown("the connection factory '" + name + "' is not running", e);
            }
            if (client == null) {
                throw DriverException.unknown("the connection factory '" + name + "' is not running", null);
            }
            return (RedisClient) client;
        }
    }
}
