package io.holdfast.jedis;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import java.io.Closeable;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.util.Pool;

/**
 * Creates drivers over the connections of a Jedis pool that the application already has. For an address instead of a pool, see
 * {@link JedisDriverProvider}.
 *
 * <p>Such a driver borrows one connection for all commands when it is created, and a second one for messages with the first
 * subscription. It keeps them until it is closed, so the pool must have room for two more. A connection that breaks goes
 * back to the pool as broken, and another is borrowed. Closing the driver leaves the pool open. The pool's settings apply
 * (address, user, database, encryption, client name, how long borrowing may wait). The exception is the time limit for
 * replies, which is lifted on the two connections.
 *
 * <p>{@link RedisDriver#another} borrows one more connection until the returned driver is closed, and a further one if that
 * driver subscribes to a channel.
 *
 * <p>Jedis 6.0 is the oldest version that works. The two methods name only classes that all versions since then have, so a
 * program compiles against any of them.
 */
public final class JedisDriver {
    private JedisDriver() {}

    /**
     * Returns a driver over the pool of one server: a {@code JedisPool}, a {@code ConnectionPool}, or the result of a client's
     * {@code getPool()}. Blocks until a connection is borrowed and answers, for at most five seconds.
     *
     * @param pool a pool of {@link redis.clients.jedis.Jedis} or {@link redis.clients.jedis.Connection}
     * @throws DriverException {@code UNKNOWN} if there is no connection in time, or the pool is exhausted; {@code REJECTED} if
     *     the server answered with an error
     * @throws IllegalArgumentException if it is a {@code JedisSentinelPool}: connections that it has lent stay with a master
     *     that was replaced. Connect to a {@code redis-sentinel://} address instead
     * @throws IllegalStateException if the Jedis on the class path is older than 6.0
     */
    public static RedisDriver over(Pool<? extends Closeable> pool) {
        Versions.check();
        Versions.checkOneServer(pool);
        return MultiplexedDriver.open(
                new PoolSource(pool, Versions.cutter()),
                ConnectOptions.defaults().connectTimeout());
    }

    /**
     * Returns a driver over the pool of a client: a {@code JedisPooled} (up to Jedis 7), a {@code RedisClient} (from Jedis 7.2
     * on), or a {@code UnifiedJedis} that was created for one server. Blocks as {@link #over(Pool)} does.
     *
     * @throws DriverException as for {@link #over(Pool)}
     * @throws IllegalArgumentException if the client has a single connection, or is one of a cluster or of Sentinels: for
     *     these, connect to a {@code redis-cluster://} or {@code redis-sentinel://} address
     * @throws IllegalStateException as for {@link #over(Pool)}
     */
    public static RedisDriver over(UnifiedJedis client) {
        Versions.check();
        return over(Versions.poolOf(client));
    }
}
