package io.holdfast.jedis;

import io.holdfast.spi.DriverException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** Borrows connections from a pool of the application. They go back as broken: nobody else can use them afterwards. */
final class PoolSource<T> implements ConnectionSource {
    private final Pool<T> pool;
    private final Function<T, Connection> connectionOf;
    private final Consumer<T> giveBack;
    private volatile String where = "the server of a Jedis pool";
    private final Set<Borrowed<T>> opening = ConcurrentHashMap.newKeySet();
    private volatile boolean shut;

    PoolSource(Pool<T> pool, Function<T, Connection> connectionOf, Consumer<T> giveBack) {
        this.pool = pool;
        this.connectionOf = connectionOf;
        this.giveBack = giveBack;
    }

    @Override
    public String describe() {
        return where;
    }

    @Override
    public ConnectionSource another() {
        return new PoolSource<>(pool, connectionOf, giveBack);
    }

    /** The thread that waits for the pool is interrupted besides. */
    @Override
    public void shut() {
        shut = true;
        opening.forEach(Borrowed::cut);
    }

    @Override
    public Opened open() {
        // What has lain idle may be dead without the pool knowing it. A fresh connection is believed.
        for (int idle = pool.getNumIdle(); ; idle--) {
            Borrowed<T> borrowed = borrow();
            try {
                opening.add(borrowed);
                if (shut) {
                    throw DriverException.unknown("the driver is closed", null);
                }
                check(borrowed.connection());
                return borrowed;
            } catch (JedisDataException e) {
                discard(borrowed);
                throw DriverException.rejected(String.valueOf(e.getMessage()));
            } catch (JedisException e) {
                discard(borrowed);
                if (idle <= 0 || shut) {
                    throw DriverException.unknown("no connection to " + where + ": " + e.getMessage(), e);
                }
            } catch (RuntimeException | Error e) {
                discard(borrowed);
                throw e;
            } finally {
                opening.remove(borrowed);
            }
        }
    }

    private void check(Connection connection) {
        try {
            connection.ping();
        } catch (JedisAccessControlException e) {
            // Who may not ping may well be allowed to lock.
            if (!String.valueOf(e.getMessage()).startsWith("NOPERM")) {
                throw e;
            }
        }
        connection.setSoTimeout(0);
        try {
            where = String.valueOf(connection.getHostAndPort());
        } catch (ClassCastException e) {
            // Jedis knows the address only if the connection comes from its own socket factory.
        }
    }

    private static void discard(Borrowed<?> borrowed) {
        borrowed.cut();
        borrowed.release();
    }

    private Borrowed<T> borrow() {
        try {
            T resource = pool.getResource();
            return new Borrowed<>(resource, connectionOf.apply(resource), giveBack);
        } catch (JedisDataException e) {
            throw DriverException.rejected(String.valueOf(e.getMessage()));
        } catch (JedisException | IllegalStateException e) {
            throw DriverException.unknown("the pool gives no connection to " + where + ": " + e.getMessage(), e);
        }
    }

    private record Borrowed<T>(T resource, Connection connection, Consumer<T> giveBack) implements Opened {
        @Override
        public void cut() {
            try {
                connection.forceDisconnect();
            } catch (IOException e) {
                // It is of no further use either way.
            }
        }

        @Override
        public void release() {
            try {
                giveBack.accept(resource);
            } catch (JedisException | IllegalStateException e) {
                // The application has closed its pool, and with it everything in it.
            }
        }
    }
}
