package io.holdfast.jedis;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.Socket;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.util.Pool;

/**
 * The one place that knows how versions of Jedis differ. This module is compiled against the newest version and runs on
 * all of them from {@link #OLDEST} on: what some of them lack is called here alone, in a class that is loaded only where
 * it exists.
 */
final class Versions {
    private static final String OLDEST = "6.0.0";

    private Versions() {}

    /**
     * Comes before anything else of Jedis is used.
     *
     * @throws IllegalStateException if the Jedis on the class path is too old
     */
    static void check() {
        check(found());
    }

    /** @param version null if it cannot be told, as where Jedis has been packed into another jar: that may well work */
    static void check(@Nullable String version) {
        if (version != null && version.matches("[0-5]\\..*")) {
            throw new IllegalStateException(
                    "Jedis " + version + " is too old for Holdfast: the oldest that works is " + OLDEST);
        }
    }

    private static @Nullable String found() {
        try (InputStream file =
                Connection.class.getResourceAsStream("/META-INF/maven/redis.clients/jedis/pom.properties")) {
            if (file == null) {
                return null;
            }
            Properties properties = new Properties();
            properties.load(file);
            return properties.getProperty("version");
        } catch (IOException e) {
            return null;
        }
    }

    /** Closes the socket under a connection of somebody else's pool. */
    interface Cutter {
        /** Makes whoever reads or writes there fail, and the pool drop the connection. Does not block. */
        void cut(Connection connection);
    }

    static Cutter cutter() {
        try {
            Connection.class.getMethod("forceDisconnect");
        } catch (NoSuchMethodException e) {
            return new Cutter6();
        }
        return new Cutter7();
    }

    private static final class Cutter7 implements Cutter {
        @Override
        public void cut(Connection connection) {
            try {
                connection.forceDisconnect();
            } catch (IOException e) {
                // It is of no further use either way.
            }
        }
    }

    /**
     * In Jedis 6, {@code disconnect()} writes what is left in the buffer before it closes the socket. That blocks while the
     * server reads nothing, and writes a second time what another thread is writing. Nothing public only closes the socket.
     */
    private static final class Cutter6 implements Cutter {
        private final Field socket = field(Connection.class, "socket");

        @Override
        public void cut(Connection connection) {
            // First, or whoever gives it back at this moment would give it back as a sound one.
            connection.setBroken();
            try {
                if (value(socket, connection) instanceof Socket open) {
                    open.close();
                }
            } catch (IOException e) {
                // It is of no further use either way.
            }
        }
    }

    /**
     * The pool from which a client takes its connections.
     *
     * @throws IllegalArgumentException if it has none, or one for each of several servers
     */
    static Pool<Connection> poolOf(UnifiedJedis client) {
        Pool<Connection> pool = hasRedisClient() ? Client7.poolOf(client) : null;
        return pool != null ? pool : Client6.poolOf(client);
    }

    private static boolean hasRedisClient() {
        try {
            Class.forName("redis.clients.jedis.RedisClient", false, UnifiedJedis.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** {@code RedisClient} came with Jedis 7.2. */
    private static final class Client7 {
        static @Nullable Pool<Connection> poolOf(UnifiedJedis client) {
            return client instanceof RedisClient pooled ? pooled.getPool() : null;
        }
    }

    /** {@code JedisPooled} went with Jedis 8; and until then a plain {@code UnifiedJedis} may have a pool, and hides it. */
    private static final class Client6 {
        static Pool<Connection> poolOf(UnifiedJedis client) {
            if (value(field(UnifiedJedis.class, "provider"), client) instanceof PooledConnectionProvider pooled) {
                return pooled.getPool();
            }
            throw unfit(client);
        }
    }

    /**
     * Refuses a pool of Sentinels: it lends connections to the present master, but leaves those that it has lent with the
     * one before, and that grants locks until the Sentinels make a replica of it.
     */
    static void checkOneServer(Pool<?> pool) {
        // By name, so that the class may be missing.
        if (pool.getClass().getName().equals("redis.clients.jedis.JedisSentinelPool")) {
            throw unfit(pool);
        }
    }

    private static IllegalArgumentException unfit(Object refused) {
        return new IllegalArgumentException("a " + refused.getClass().getSimpleName()
                + " cannot be used: Holdfast borrows connections to one server, from a pool or from a client that has"
                + " such a pool; for Sentinels or a cluster, connect to an address, redis-sentinel:// or"
                + " redis-cluster://");
    }

    private static @Nullable Object value(Field field, Object owner) {
        try {
            return field.get(owner);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field field(Class<?> owner, String name) {
        try {
            Field field = owner.getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException | RuntimeException e) {
            throw new IllegalStateException(
                    "this version of Jedis has no '" + name + "' in " + owner.getSimpleName()
                            + " that Holdfast could use",
                    e);
        }
    }
}
