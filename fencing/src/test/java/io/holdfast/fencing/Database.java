package io.holdfast.fencing;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/**
 * A database for tests. H2 and HSQLDB in this process; others with
 * {@code -Dholdfast.test.jdbc=jdbc:postgresql://localhost/test?user=…} and the driver on the class path
 * ({@code -Dmaven.test.additionalClasspath=…}).
 */
record Database(String url) {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final int WAITS_MILLIS = 60_000;

    static List<Database> all() {
        List<Database> all = new ArrayList<>(List.of(h2(), hsqldb("locks"), hsqldb("mvcc")));
        String other = System.getProperty("holdfast.test.jdbc", "");
        if (!other.isEmpty()) {
            all.add(new Database(other));
        }
        return all;
    }

    /** Each an empty one, that lives as long as this process. */
    static Database h2() {
        return new Database(
                "jdbc:h2:mem:" + NUMBERS.incrementAndGet() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=" + WAITS_MILLIS);
    }

    /** @param transactions {@code locks}: of whole tables; {@code mvcc}: of rows */
    static Database hsqldb(String transactions) {
        return new Database("jdbc:hsqldb:mem:" + NUMBERS.incrementAndGet() + ";hsqldb.tx=" + transactions);
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
    }

    /** For H2 only. */
    DataSource asDataSource() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(url);
        return source;
    }

    /** In a transaction of this isolation level. */
    Connection begin(int isolation) throws SQLException {
        Connection connection = connect();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(isolation);
        return connection;
    }

    /** A name for a table that no other test uses, also if the database outlives this process. */
    static String freshTable() {
        return "fence_" + Long.toString(System.nanoTime(), 36) + "_" + NUMBERS.incrementAndGet();
    }

    interface Work<T> {
        T in(Connection connection) throws SQLException;
    }

    /** Runs a transaction as an application does: again if the database says that it conflicted with another one. */
    <T> T transaction(int isolation, Work<T> work) throws SQLException {
        long begin = System.nanoTime();
        SQLException last;
        do {
            try (Connection connection = begin(isolation)) {
                try {
                    T result = work.in(connection);
                    connection.commit();
                    return result;
                } catch (SQLException e) {
                    connection.rollback();
                    if (!String.valueOf(e.getSQLState()).startsWith("40")) {
                        throw e;
                    }
                    last = e;
                } catch (RuntimeException e) {
                    connection.rollback();
                    throw e;
                }
            }
            LockSupport.parkNanos(2_000_000); // some fail at once, as long as the other transaction is open
        } while (System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(WAITS_MILLIS));
        throw new AssertionError("a transaction conflicts again and again", last);
    }

    <T> T transaction(Work<T> work) throws SQLException {
        return transaction(Connection.TRANSACTION_READ_COMMITTED, work);
    }

    @Override
    public String toString() {
        return url.replaceAll("[?;].*", "") + (url.contains("mvcc") ? " mvcc" : "");
    }
}
