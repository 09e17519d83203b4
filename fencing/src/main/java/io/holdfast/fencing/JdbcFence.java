package io.holdfast.fencing;

import io.holdfast.Lease;
import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A table in the application's own database that remembers the newest fencing token of each lock, so that a transaction with
 * an older token is refused.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * fence.check(connection, lease);      // throws StaleTokenException if a newer holder has already checked
 * // … read and write
 * connection.commit();
 * }</pre>
 *
 * <p><b>Check first, and in the transaction that writes.</b> A check that passes leaves the fence's row locked until the
 * transaction ends. A newer holder's check waits for that, so no other holder comes between this check and this commit. Data
 * that is read after the check cannot be changed by an older holder any more. A check in a separate transaction proves only
 * that the token was the newest at that time: the holder can be paused right after it, as it can be right after
 * {@link Lease#isValid()}.
 *
 * <p>The table has a column for the name, which is its primary key, and one for the token. The statements are standard SQL, at
 * any isolation level. A transaction may fail with SQL state class 40 (a conflict or deadlock), as any other that writes: roll
 * it back and run it again. It may also wait for another transaction that has checked the same name, for as long as the
 * database allows.
 *
 * <p>Instances are immutable and may be used by many threads. A connection may be used by one thread at a time, as JDBC
 * requires.
 */
public final class JdbcFence {
    /** The maximum length of a fence's name, in characters. Every common database can index that many. */
    public static final int LONGEST_NAME = 512;

    private static final Pattern COLUMN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");
    private static final Pattern TABLE = Pattern.compile("(?:" + COLUMN + "\\.){0,2}" + COLUMN);
    /** One for the common case; one after another transaction made the row; one after another client removed it again. */
    private static final int ROUNDS = 3;

    private static final JdbcFence DEFAULTS = new JdbcFence("holdfast_fence", "name", "token");

    private final String table;
    private final String nameColumn;
    private final String tokenColumn;

    private JdbcFence(String table, String nameColumn, String tokenColumn) {
        this.table = identifier("table", table, TABLE);
        this.nameColumn = identifier("nameColumn", nameColumn, COLUMN);
        this.tokenColumn = identifier("tokenColumn", tokenColumn, COLUMN);
    }

    /** Returns a fence in the table {@code holdfast_fence}, with the columns {@code name} and {@code token}. */
    public static JdbcFence defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a copy with the given table.
     *
     * @param name the table, after a schema, or a catalogue and a schema, with dots between them if they are given. Each part
     *     has 1 to 63 letters, digits and underscores, does not begin with a digit, and is used without quotes
     */
    public JdbcFence withTable(String name) {
        return new JdbcFence(name, nameColumn, tokenColumn);
    }

    /**
     * Returns a copy with the given columns. The name of a column has 1 to 63 letters, digits and underscores, does not begin
     * with a digit, and is used without quotes.
     *
     * @param name the column of the fence's name
     * @param token the column of the token
     */
    public JdbcFence withColumns(String name, String token) {
        return new JdbcFence(table, name, token);
    }

    /**
     * Creates the table; fails if it already exists (see {@link #createTableIfMissing}). It is meant for tests and first steps. In
     * production, put the statement into a schema migration; the guide shows it for several databases. Some databases commit
     * an open transaction when a table is created.
     *
     * @throws SQLException if the database reports an error
     */
    public void createTable(Connection connection) throws SQLException {
        // Names that differ in case only are different locks: elsewhere that is the default.
        String collation = switch (connection.getMetaData().getDatabaseProductName()) {
            case "MySQL", "MariaDB" -> " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
            default -> "";
        };
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE " + table + " (" + nameColumn + " VARCHAR(" + LONGEST_NAME + ")"
                    + collation + " NOT NULL PRIMARY KEY, " + tokenColumn + " BIGINT NOT NULL)");
        }
    }

    /**
     * Creates the table if it does not exist; an application may call this at every start. It looks the table up in the
     * database's metadata, in the connection's schema unless the table's name has one. Several instances may call it at the same
     * time. If their connections are in a transaction, all but one may fail then, depending on the database.
     *
     * @return whether this call has created the table
     * @throws SQLException if the database reports an error
     */
    public boolean createTableIfMissing(Connection connection) throws SQLException {
        if (exists(connection)) {
            return false;
        }
        try {
            createTable(connection);
            return true;
        } catch (SQLException e) {
            // Another may have been quicker. Within a transaction that failed nothing can be asked on some databases.
            if (connection.getAutoCommit() && exists(connection)) {
                return false;
            }
            throw e;
        }
    }

    private boolean exists(Connection connection) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String[] parts = table.split("\\.", -1);
        for (int i = 0; i < parts.length; i++) {
            parts[i] = database.storesUpperCaseIdentifiers()
                    ? parts[i].toUpperCase(Locale.ROOT)
                    : database.storesLowerCaseIdentifiers() ? parts[i].toLowerCase(Locale.ROOT) : parts[i];
        }
        String catalog = parts.length > 2 ? parts[0] : connection.getCatalog();
        String schema = parts.length > 1 ? parts[parts.length - 2] : connection.getSchema();
        if (parts.length == 2 && !database.supportsSchemasInDataManipulation()) {
            catalog = parts[0]; // as MySQL has it
            schema = null;
        }
        String escape = database.getSearchStringEscape();
        String pattern = parts[parts.length - 1].replace("_", escape + "_");
        try (ResultSet tables = database.getTables(catalog, schema, pattern, null)) {
            return tables.next();
        }
    }

    /**
     * Checks the token of a lease under the name of its lock; see {@link #check(Connection, String, long)}. Does not check whether
     * the lease is valid.
     */
    public void check(Connection connection, Lease lease) throws SQLException {
        check(connection, lease.name(), lease.token());
    }

    /**
     * Checks a token: passes if the fence has seen no newer one, and remembers this one when the transaction commits. Usually
     * executes one or two statements for a known name, and a few more for a new one.
     *
     * @param connection a connection in a transaction; this method neither commits it nor rolls it back
     * @param name the name of the fence, usually that of the lock: 1 to {@link #LONGEST_NAME} characters. It must not end with a
     *     space, because some databases do not compare trailing spaces
     * @param token 1 to 2^53 - 1
     * @throws StaleTokenException if the fence has seen a newer token. Nothing was changed; the transaction is still open, and
     *     should be rolled back
     * @throws IllegalStateException if the connection is in auto-commit mode
     * @throws IllegalArgumentException if the name or the token is not as required
     * @throws SQLException if the database reports an error: roll back. If its SQL state begins with 40, the transaction may be
     *     run again
     */
    public void check(Connection connection, String name, long token) throws SQLException {
        requireName(name);
        if (token < 1 || token >= 1L << 53) {
            throw new IllegalArgumentException("token is " + token + ", must be from 1 to 2^53 - 1");
        }
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("the connection is in auto-commit mode: the fence must be checked in the"
                    + " transaction that writes");
        }
        SQLException duplicate = null;
        for (int round = 0; round < ROUNDS; round++) {
            if (raise(connection, name, token)) {
                return;
            }
            // No row, or a newer one, or one that came between the two statements.
            boolean locked = connection.getMetaData().supportsSelectForUpdate();
            OptionalLong newest = newest(connection, name, locked);
            if (newest.isEmpty()) {
                duplicate = insert(connection, name, token);
                if (duplicate == null) {
                    return;
                }
            } else if (newest.getAsLong() > token) {
                throw new StaleTokenException(name, token, newest.getAsLong());
            } else if (locked && newest.getAsLong() == token) {
                // Some MySQL connections count rows that changed, and not those that were found. What was read with a
                // lock is the present row; without, it could be that of a snapshot, and an older holder would pass.
                return;
            }
        }
        // The row is there, but not for this transaction: its snapshot is older.
        throw new SQLTransactionRollbackException(
                "fence '" + name
                        + "' was made by another transaction that this one cannot see: run this transaction again",
                "40001",
                duplicate);
    }

    private boolean raise(Connection connection, String name, long token) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE " + table + " SET " + tokenColumn
                + " = ? WHERE " + nameColumn + " = ? AND " + tokenColumn + " <= ?")) {
            update.setLong(1, token);
            update.setString(2, name);
            update.setLong(3, token);
            return update.executeUpdate() > 0;
        }
    }

    /** Returns null if it worked, and the database's exception if another transaction has inserted the name before. */
    private @Nullable SQLException insert(Connection connection, String name, long token) throws SQLException {
        // On PostgreSQL a failed statement would spoil the whole transaction.
        Savepoint before = connection.getMetaData().supportsSavepoints() ? connection.setSavepoint() : null;
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO " + table + " (" + nameColumn + ", " + tokenColumn + ") VALUES (?, ?)")) {
            insert.setString(1, name);
            insert.setLong(2, token);
            insert.executeUpdate();
        } catch (SQLException e) {
            if (!isDuplicate(e)) {
                throw e;
            }
            if (before != null) {
                connection.rollback(before);
            }
            return e;
        }
        if (before != null) {
            release(connection, before);
        }
        return null;
    }

    private static boolean isDuplicate(SQLException e) {
        return e instanceof SQLIntegrityConstraintViolationException || "23505".equals(e.getSQLState());
    }

    private static void release(Connection connection, Savepoint savepoint) throws SQLException {
        try {
            connection.releaseSavepoint(savepoint);
        } catch (SQLFeatureNotSupportedException e) {
            // Oracle has none to release: it goes with the transaction.
        }
    }

    /**
     * Returns the newest token that was committed, or that this transaction has checked; empty if there is none. Locks nothing
     * and decides nothing: use it for display and in tests.
     *
     * @throws SQLException if the database reports an error
     */
    public OptionalLong newest(Connection connection, String name) throws SQLException {
        requireName(name);
        return newest(connection, name, false);
    }

    private OptionalLong newest(Connection connection, String name, boolean lock) throws SQLException {
        // On MySQL this reads the present row, and not that of the transaction's snapshot, which may be older.
        String suffix = lock ? " FOR UPDATE" : "";
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT " + tokenColumn + " FROM " + table + " WHERE " + nameColumn + " = ?" + suffix)) {
            select.setString(1, name);
            try (ResultSet rows = select.executeQuery()) {
                return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
            }
        }
    }

    /**
     * Removes the fences whose newest token was granted before an instant; tokens contain the time of their grant. Remove a fence
     * only when no client can still check with its token or an older one. So choose an instant that lies further back than the
     * longest hold and the longest pause of a holder together. Afterwards a removed fence accepts any token, as a new one does.
     *
     * @return the number of fences that were removed
     * @throws SQLException if the database reports an error
     */
    public int removeGrantedBefore(Connection connection, Instant instant) throws SQLException {
        try (PreparedStatement delete =
                connection.prepareStatement("DELETE FROM " + table + " WHERE " + tokenColumn + " < ?")) {
            delete.setLong(1, ChronoUnit.MICROS.between(Instant.EPOCH, instant));
            return delete.executeUpdate();
        }
    }

    private static void requireName(String name) {
        if (name.isEmpty() || name.length() > LONGEST_NAME || name.endsWith(" ")) {
            throw new IllegalArgumentException("name has " + name.length() + " characters"
                    + (name.endsWith(" ") ? " and ends with a space" : "") + ", must have 1 to " + LONGEST_NAME
                    + " and not end with a space");
        }
    }

    private static String identifier(String parameter, String value, Pattern rule) {
        if (!rule.matcher(value).matches()) {
            throw new IllegalArgumentException(parameter + " is '" + value.substring(0, Math.min(80, value.length()))
                    + "', must be of 1 to 63 letters, digits and underscores, not beginning with a digit"
                    + (rule == TABLE ? ", after a schema and a dot perhaps" : ""));
        }
        return value;
    }

    @Override
    public String toString() {
        return "JdbcFence[" + table + "]";
    }
}
