package io.holdfast.jedis;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** Borrows connections from a pool of the application. They go back as broken: nobody else can use them afterwards. */
final class PoolSource implements ConnectionSource {
    /** How Jedis writes a connection that it has opened by itself: the only way to the address that all versions have. */
    private static final Pattern ADDRESS = Pattern.compile(".*\\{([^{}]+:\\d+)}+");

    private final Pool<? extends Closeable> pool;
    private final Versions.Cutter cutter;
    private volatile String where = "the server of a Jedis pool";
    private final Set<Borrowed> opening = ConcurrentHashMap.newKeySet();
    private volatile boolean shut;

    PoolSource(Pool<? extends Closeable> pool, Versions.Cutter cutter) {
        this.pool = pool;
        this.cutter = cutter;
    }

    @Override
    public String describe() {
        return where;
    }

    @Override
    public String silence() {
        return ConnectOptions.silence(ConnectOptions.defaults().connectTimeout());
    }

    @Override
    public ConnectionSource another() {
        return new PoolSource(pool, cutter);
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
            Borrowed borrowed = borrow();
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
        Matcher address = ADDRESS.matcher(connection.toString());
        if (address.matches()) {
            where = address.group(1);
        }
    }

    private static void discard(Borrowed borrowed) {
        borrowed.cut();
        borrowed.release();
    }

    private Borrowed borrow() {
        try {
            Closeable resource = pool.getResource();
            return new Borrowed(resource, connectionOf(resource), cutter);
        } catch (JedisDataException e) {
            throw DriverException.rejected(String.valueOf(e.getMessage()));
        } catch (JedisException | IllegalStateException e) {
            throw DriverException.unknown("the pool gives no connection to " + where + ": " + reason(e), e);
        }
    }

    /** What Jedis says, and what lies at the bottom of it. */
    private static String reason(RuntimeException failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        // An exception that was only put aside beside others, as those of the several addresses of a host.
        while (root.getSuppressed().length > 0) {
            root = root.getSuppressed()[0];
        }
        return root == failure
                ? String.valueOf(failure.getMessage())
                : failure.getMessage() + " (" + root.getMessage() + ")";
    }

    private static Connection connectionOf(Closeable resource) {
        return resource instanceof Connection connection ? connection : ((Jedis) resource).getConnection();
    }

    private record Borrowed(Closeable resource, Connection connection, Versions.Cutter cutter) implements Opened {
        @Override
        public void cut() {
            cutter.cut(connection);
        }

        @Override
        public void release() {
            try {
                resource.close();
            } catch (IOException | JedisException | IllegalStateException e) {
                // The application has closed its pool, and with it everything in it.
            }
        }
    }
}
