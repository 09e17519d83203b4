package io.holdfast.vertx;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisDriver;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.List;

/**
 * Creates drivers over the application's Vert.x. For an address instead of {@link RedisOptions}, see
 * {@link VertxDriverProvider}.
 *
 * <p>A driver opens two connections of its own, one for all commands and, with the first subscription, one for messages. It
 * opens them again when they break. They take nothing from a pool of the application. Closing the driver closes them,
 * and leaves Vert.x open.
 *
 * <p><b>Threads.</b> The driver runs on one event loop. Stages of locks complete on the client's executor
 * ({@link io.holdfast.HoldfastOptions#executor()}), a few others on that event loop. A blocking call is refused on that event
 * loop, because the answer could not be read there. On another event loop it blocks everything that runs there. Verticles
 * must use the methods that end in {@code Async}.
 *
 * <p>It runs with Vert.x 4.5 and 5.
 */
public final class VertxDriver {
    /** More than a client has under way, and 256 kB. */
    private static final int MOST_UNDER_WAY = 65_536;

    private VertxDriver() {}

    /**
     * Returns a driver for one server, with the options of the application's own client: address, user, password, database,
     * client name and encryption. Blocks until the command connection is usable, for at most five seconds, or for the connect
     * timeout of the options if that is shorter.
     *
     * <p>The options of the pool have no effect, nor has the preferred protocol version: the driver speaks RESP2.
     *
     * @param options the options, which are copied
     * @throws io.holdfast.spi.DriverException {@code UNKNOWN} if nothing answers there, or Vert.x is closed; {@code REJECTED} if the
     *     server answered with an error, for example about the password
     * @throws IllegalArgumentException if the options name a cluster, Sentinels, replicas or several endpoints, or if the
     *     endpoint is not a URI or asks for RESP3. For a cluster or Sentinels, use a {@link VertxDriverProvider}
     * @throws IllegalStateException if the calling thread is an event loop
     */
    public static RedisDriver over(Vertx vertx, RedisOptions options) {
        ServerDriver.checkMayBlock();
        String endpoint = endpoint(options);
        URI address = parsed(endpoint);
        String where = address.getHost() == null
                ? address.getPath()
                : address.getHost() + ":" + (address.getPort() < 0 ? 6379 : address.getPort());
        boolean tls = endpoint.startsWith("rediss") || endpoint.startsWith("valkeys");
        Duration limit = limit(options);
        RedisOptions own = own(options, limit);
        return ServerDriver.open(
                Lane.on(vertx),
                lane -> new Opener(
                        lane,
                        where,
                        tls,
                        limit,
                        ConnectOptions.silence(limit),
                        () -> new Target(List.of(new RedisOptions(own)), List.of(Target.PING))),
                () -> over(vertx, own),
                Future::succeededFuture);
    }

    private static String endpoint(RedisOptions options) {
        if (options.getType() != RedisClientType.STANDALONE
                || options.getEndpoints().size() != 1) {
            throw new IllegalArgumentException(
                    "the options are of type " + options.getType() + " with "
                            + options.getEndpoints().size()
                            + " endpoints, and this driver is for one server: for a cluster or"
                            + " Sentinels, connect to a redis-cluster:// or redis-sentinel:// address with VertxDriverProvider");
        }
        String endpoint = options.getEndpoints().get(0);
        if (endpoint.contains("protocol=3")) {
            throw new IllegalArgumentException(
                    "the endpoint asks for RESP3, but the driver speaks RESP2: leave out the protocol setting");
        }
        return endpoint;
    }

    private static URI parsed(String endpoint) {
        try {
            return new URI(endpoint);
        } catch (URISyntaxException e) {
            // Its message repeats the endpoint, and with it the password.
            throw new IllegalArgumentException("the endpoint is no URI: percent-encode user and password");
        }
    }

    private static Duration limit(RedisOptions options) {
        Duration most = ConnectOptions.defaults().connectTimeout();
        NetClientOptions net = options.getNetClientOptions();
        Duration given = net == null ? most : Duration.ofMillis(net.getConnectTimeout());
        return given.isZero() || given.compareTo(most) > 0 ? most : given;
    }

    /** The options of a client that has one connection and is never used up. */
    static RedisOptions own(RedisOptions options, Duration limit) {
        NetClientOptions net = options.getNetClientOptions() == null
                ? new NetClientOptions().setTcpKeepAlive(true).setTcpNoDelay(true)
                : new NetClientOptions(options.getNetClientOptions());
        return new RedisOptions(options)
                // Another limit comes first, which includes the greeting.
                .setNetClientOptions(net.setReconnectAttempts(0).setConnectTimeout((int) limit.toMillis() + 1_000))
                .setPreferredProtocolVersion(io.vertx.redis.client.ProtocolVersion.RESP2)
                .setMaxWaitingHandlers(MOST_UNDER_WAY)
                .setMaxPoolSize(1)
                .setPoolRecycleTimeout(-1)
                .setPoolCleanerInterval(-1);
    }
}
