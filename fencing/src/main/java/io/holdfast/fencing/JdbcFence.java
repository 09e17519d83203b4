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
 * A table in the user's own database that remembers the newest fencing token of each lock, so that a transaction under an
 * older one is refused.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * fence.check(connection, lease);      // throws StaleTokenException if a newer holder was here
 * // … read and write
 * connection.commit();
 * }</pre>
 *
 * <p><b>Check first, and in the transaction that writes.</b> A check that passes leaves the fence's row locked until the
 * transaction ends. A newer holder's check waits for that, so that no other comes between this check and this commit; and
 * what is read after the check is what no older holder can change any more. A check in a transaction of its own says only
 * that the token was the newest then: the holder can be paused right after it, like a lease right after
 * {@link Lease#isValid()}.
 *
 * <p>The table has a column for the name, which is its primary key, and one for the token. Standard SQL, at any isolation
 * level. A transaction may fail with SQL state class 40 (a conflict or deadlock), as any other that writes: roll back and
 * run it again. It may also wait for another transaction that has checked the same name, as long as the database lets it.
 *
 * <p>Instances are immutable and may be used by many threads; a connection by one at a time, as JDBC has it.
 */
public final class JdbcFence {
    /** The longest name of a fence, in characters: every common database can index that many. */
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

    /** In the table {@code holdfast_fence}, columns {@code name} and {@code token}. */
    public static JdbcFence defaults() {
        return DEFAULTS;
    }

    /**
     * Returns a fence in another table.
     *
     * @param name a table, or catalogue or schema and table with dots between them. Each is of 1 to 63 letters, digits and
     *     underscores, does not begin with a digit, and is used without quotes
     */
    public JdbcFence withTable(String name) {
        return new JdbcFence(name, nameColumn, tokenColumn);
    }

    /**
     * Returns a fence with other columns.
     *
     * @param name of 1 to 63 letters, digits and underscores, not beginning with a digit; used without quotes
     * @param token the same
     */
    public JdbcFence withColumns(String name, String token) {
        return new JdbcFence(table, name, token);
    }

    /**
     * Creates the table; fails if it is there already, see {@link #createTableIfMissing}. For tests and beginnings: a migration is a better place for the
     * statement, which the guide shows for several databases. Some databases commit an open transaction when a table is
     * created.
     *
     * @throws SQLException of the database
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
     * Creates the table unless it is there: for every start of an application. Whether it is there is asked of the
     * database's own lists, for the connection's schema unless the table's name has one. Several that start at once may do
     * this; of connections in a transaction, all but one may fail then, as the database has it.
     *
     * @return whether this call has created it
     * @throws SQLException of the database
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

    /** Checks the token of a lease under the name of its lock: see the other method. Does not look whether it is valid. */
    public void check(Connection connection, Lease lease) throws SQLException {
        check(connection, lease.name(), lease.token());
    }

    /**
     * Passes if no newer token was here before, and remembers this one when the transaction commits. Two round trips at
     * most for a name that was here before, a few more for a new one.
     *
     * @param connection in a transaction; it is neither committed nor rolled back here
     * @param name of the fence, usually the lock's: 1 to {@link #LONGEST_NAME} characters, the last of them no space, which
     *     some databases do not compare
     * @param token 1 to 2^53 - 1
     * @throws StaleTokenException if a newer token was here before. Nothing was changed; the transaction goes on, and should
     *     be rolled back
     * @throws IllegalStateException if the connection commits each statement by itself
     * @throws SQLException of the database; roll back. If its SQL state begins with 40, the transaction may be run again
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
                "fence '" + name + "' was made by another transaction that this one cannot see: run it again",
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

    /** Null if it worked; what the database said if another transaction has inserted the name before. */
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
     * The newest token that was committed, or that this transaction has checked; empty if there is none. Locks nothing and
     * decides nothing: for people and tests.
     *
     * @throws SQLException of the database
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
     * Removes the fences whose newest token was granted before an instant; tokens contain the time of their grant. A fence may
     * go when no client can come any more with a token as old as its own or older: choose an instant that lies further back
     * than the longest hold and the longest pause of a holder together. Afterwards any token passes there, as the first.
     *
     * @return how many were removed
     * @throws SQLException of the database
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
