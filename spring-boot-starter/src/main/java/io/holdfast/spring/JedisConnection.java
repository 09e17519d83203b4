package io.holdfast.spring;

import io.holdfast.HoldfastOptions;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.routing.RoutedDriver;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Tls;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * A driver with the settings of a connection factory that uses Jedis, whose pool nobody else can reach. Only loaded where
 * Spring Data Redis and Jedis are there.
 */
final class JedisConnection {
    private final JedisDriverProvider provider = new JedisDriverProvider();
    private final boolean tls;
    private final ConnectOptions connecting;
    private final ConnectOptions toSentinels;
    private final HoldfastOptions options;

    private JedisConnection(boolean tls, @Nullable Tls encryption, HoldfastOptions options) {
        this.tls = tls;
        ConnectOptions plain = new ConnectOptions(options.connectTimeout(), "holdfast")
                .withTls(tls && encryption != null ? encryption : options.tls());
        this.connecting = plain.withCredentials(options.credentials());
        this.toSentinels = plain.withCredentials(options.sentinelCredentials());
        this.options = options;
    }

    static boolean isOne(RedisConnectionFactory factory) {
        return factory instanceof JedisConnectionFactory;
    }

    /**
     * Blocks until it is connected.
     *
     * @param encryption of the connections; null if nothing was set for them
     * @throws DriverException if the server does not answer, or refuses
     */
    static RedisDriver open(
            String name, RedisConnectionFactory any, HoldfastOptions options, @Nullable Tls encryption) {
        JedisConnectionFactory factory = (JedisConnectionFactory) any;
        boolean tls = factory.isUseSsl();
        if (tls
                && encryption == null
                && factory.getClientConfiguration().getSslSocketFactory().isPresent()) {
            throw new SetupException(
                    "The bean '" + name
                            + "' connects with certificates of its own, which Holdfast's connections cannot use",
                    "Describe the certificates in an SSL bundle, and set holdfast.ssl-bundle to its name");
        }
        return new JedisConnection(tls, encryption, options).open(factory);
    }

    private RedisDriver open(JedisConnectionFactory factory) {
        RedisClusterConfiguration cluster = factory.getClusterConfiguration();
        if (cluster != null) {
            List<RedisAddress> seeds =
                    addresses(cluster.getClusterNodes(), cluster.getUsername(), cluster.getPassword());
            return RoutedDriver.cluster(seeds, to -> provider.connect(to, connecting), options.connectTimeout());
        }
        RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
        if (sentinel != null && sentinel.getMaster() != null) {
            List<RedisAddress> sentinels =
                    addresses(sentinel.getSentinels(), sentinel.getSentinelUsername(), sentinel.getSentinelPassword());
            RedisAddress server =
                    address("server", 6379, sentinel.getUsername(), sentinel.getPassword(), sentinel.getDatabase());
            return RoutedDriver.sentinels(
                    sentinels,
                    String.valueOf(sentinel.getMaster().getName()),
                    server,
                    to -> provider.connect(to, connecting),
                    to -> provider.connect(to, toSentinels),
                    options.connectTimeout());
        }
        RedisStandaloneConfiguration one = factory.getStandaloneConfiguration();
        if (one == null) {
            throw new IllegalStateException("a connection factory without a configuration");
        }
        return provider.connect(
                address(one.getHostName(), one.getPort(), one.getUsername(), one.getPassword(), one.getDatabase()),
                connecting);
    }

    private List<RedisAddress> addresses(Iterable<RedisNode> nodes, @Nullable String user, RedisPassword password) {
        List<RedisAddress> addresses = new java.util.ArrayList<>();
        for (RedisNode node : nodes) {
            Integer port = node.getPort();
            addresses.add(address(String.valueOf(node.getHost()), port == null ? 6379 : port, user, password, 0));
        }
        return addresses;
    }

    private RedisAddress address(String host, int port, @Nullable String user, RedisPassword password, int database) {
        String secret = password.map(String::new).orElse(null);
        return new RedisAddress(host, port, tls, secret == null ? null : user, secret, database);
    }
}
