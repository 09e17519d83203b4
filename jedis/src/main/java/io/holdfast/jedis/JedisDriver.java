package io.holdfast.jedis;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.util.Pool;

/**
 * Makes drivers over the connections of a Jedis pool that the application already has. For an address in place of a pool, see
 * {@link JedisDriverProvider}.
 *
 * <p>Such a driver borrows one connection for all commands when it is made, and a second one for messages with the first
 * subscription. It keeps them until it is closed: the pool must have room for two more. A connection that breaks goes
 * back to the pool as broken, and another is borrowed. Closing the driver leaves the pool open. The pool's settings hold
 * (address, user, database, encryption, client name, how long borrowing may wait), but for the time limit for replies,
 * which is lifted on the two connections.
 *
 * <p>{@link RedisDriver#another} borrows one connection more until the driver that it answers is closed, and a further one
 * if something is subscribed to over that driver.
 */
public final class JedisDriver {
    private JedisDriver() {}

    /**
     * A driver over a {@link JedisPool}. Blocks until a connection is borrowed and answers, at most five seconds.
     *
     * @throws DriverException {@code UNKNOWN} if there is none in time, or the pool is exhausted; {@code REJECTED} if the
     *     server answered with an error
     */
    @SuppressWarnings("deprecation") // Jedis 8 prefers RedisClient; applications still have this pool
    public static RedisDriver over(JedisPool pool) {
        return borrowing(new PoolSource<>(pool, Jedis::getConnection, Jedis::close));
    }

    /**
     * A driver over a {@link ConnectionPool}. Blocks until a connection is borrowed and answers, at most five seconds.
     *
     * @throws DriverException as for {@link #over(JedisPool)}
     */
    public static RedisDriver over(ConnectionPool pool) {
        return over((Pool<Connection>) pool);
    }

    /**
     * A driver over the pool of a {@link RedisClient}. Blocks until a connection is borrowed and answers, at most five
     * seconds.
     *
     * @throws DriverException as for {@link #over(JedisPool)}
     */
    public static RedisDriver over(RedisClient client) {
        return over(client.getPool());
    }

    private static RedisDriver over(Pool<Connection> pool) {
        return borrowing(new PoolSource<>(pool, connection -> connection, Connection::close));
    }

    private static RedisDriver borrowing(ConnectionSource source) {
        return MultiplexedDriver.open(source, ConnectOptions.defaults().connectTimeout());
    }
}
