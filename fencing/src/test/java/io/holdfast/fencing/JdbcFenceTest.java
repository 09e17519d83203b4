package io.holdfast.fencing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What a fence remembers, and what it refuses. */
@ParameterizedClass
@MethodSource("databases")
@SuppressWarnings("NullAway.Init") // table and fence are made before each test
class JdbcFenceTest {
    private static final long GREATEST = (1L << 53) - 1;

    private final Database database;
    private String table;
    private JdbcFence fence;

    JdbcFenceTest(Database database) {
        this.database = database;
    }

    static List<Database> databases() {
        return Database.all();
    }

    @BeforeEach
    void createTable() throws SQLException {
        table = Database.freshTable();
        fence = JdbcFence.defaults().withTable(table);
        try (Connection connection = database.connect()) {
            fence.createTable(connection);
        }
    }

    private void check(String name, long token) throws SQLException {
        database.transaction(connection -> {
            fence.check(connection, name, token);
            return token;
        });
    }

    private OptionalLong newest(String name) throws SQLException {
        return database.transaction(connection -> fence.newest(connection, name));
    }

    private void assertStale(String name, long token, long newest) {
        StaleTokenException e = assertThrows(StaleTokenException.class, () -> check(name, token));
        assertEquals(name, e.name());
        assertEquals(token, e.token());
        assertEquals(newest, e.newest());
    }

    // ---- order of tokens

    @Test
    void check_firstToken_passesAndIsRemembered() throws SQLException {
        assertEquals(OptionalLong.empty(), newest("a"));
        check("a", 5);
        assertEquals(OptionalLong.of(5), newest("a"));
    }

    @Test
    void check_equalOrNewerToken_passesAndIsRemembered() throws SQLException {
        check("a", 5);
        check("a", 5);
        assertEquals(OptionalLong.of(5), newest("a"));
        check("a", 6);
        assertEquals(OptionalLong.of(6), newest("a"));
    }

    @Test
    void check_olderToken_isRefusedAndChangesNothing() throws SQLException {
        check("a", 6);
        assertStale("a", 5, 6);
        assertStale("a", 1, 6);
        assertEquals(OptionalLong.of(6), newest("a"));
    }

    @Test
    void check_rowInsertedBeforehandWithTokenZero_passesAndIsRemembered() throws SQLException {
        database.transaction(
                connection -> connection.createStatement().executeUpdate("INSERT INTO " + table + " VALUES ('a', 0)"));
        check("a", 5);
        assertStale("a", 4, 5);
    }

    @Test
    void check_twiceInOneTransaction_passes() throws SQLException {
        database.transaction(connection -> {
            fence.check(connection, "a", 5);
            fence.check(connection, "a", 5);
            fence.check(connection, "b", 5);
            fence.check(connection, "a", 6);
            assertThrows(StaleTokenException.class, () -> fence.check(connection, "a", 5));
            return fence;
        });
        assertEquals(OptionalLong.of(6), newest("a"));
        assertEquals(OptionalLong.of(5), newest("b"));
    }

    @Test
    void check_tokensOfSixteenDigits_areComparedToTheLast() throws SQLException {
        check("a", GREATEST);
        assertStale("a", GREATEST - 1, GREATEST);
        for (long none : new long[] {0, -1, GREATEST + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            String message = String.valueOf(assertThrows(IllegalArgumentException.class, () -> check("a", none))
                    .getMessage());
            assertEquals("token is " + none + ", must be from 1 to 2^53 - 1", message);
        }
    }

    // ---- the transaction is the caller's

    @Test
    void check_rolledBack_isForgotten() throws SQLException {
        try (Connection connection = database.begin(Connection.TRANSACTION_READ_COMMITTED)) {
            fence.check(connection, "a", 5);
            connection.rollback();
        }
        assertEquals(OptionalLong.empty(), newest("a"));
        check("a", 3);
        try (Connection connection = database.begin(Connection.TRANSACTION_READ_COMMITTED)) {
            fence.check(connection, "a", 5);
            connection.rollback();
        }
        assertEquals(OptionalLong.of(3), newest("a"));
    }

    @Test
    void check_refused_leavesTheTransactionUsable() throws SQLException {
        check("a", 5);
        database.transaction(connection -> {
            fence.check(connection, "b", 1);
            assertThrows(StaleTokenException.class, () -> fence.check(connection, "a", 4));
            fence.check(connection, "c", 1);
            return fence;
        });
        assertEquals(OptionalLong.of(1), newest("b"));
        assertEquals(OptionalLong.of(1), newest("c"));
    }

    @Test
    void check_autoCommit_isRefused() throws SQLException {
        try (Connection connection = database.connect()) {
            assertThrows(IllegalStateException.class, () -> fence.check(connection, "a", 5));
        }
        assertEquals(OptionalLong.empty(), newest("a"));
    }

    /** Why the check belongs into the transaction that writes. */
    @Test
    void check_inATransactionOfItsOwn_doesNotKeepALateWriteOut() throws SQLException {
        String data = Database.freshTable();
        database.transaction(connection ->
                connection.createStatement().executeUpdate("CREATE TABLE " + data + " (text VARCHAR(100))"));
        database.transaction(connection ->
                connection.createStatement().executeUpdate("INSERT INTO " + data + " VALUES ('initial')"));
        check("a", 1);
        // The first holder is paused here, and the second takes over.
        database.transaction(connection -> {
            fence.check(connection, "a", 2);
            return write(connection, data, "second");
        });
        database.transaction(connection -> write(connection, data, "first, late"));
        assertEquals("first, late", read(data), "the second holder's update is lost");
        // In one transaction.
        database.transaction(connection -> {
            fence.check(connection, "a", 2);
            return write(connection, data, "second");
        });
        assertThrows(
                StaleTokenException.class,
                () -> database.transaction(connection -> {
                    fence.check(connection, "a", 1);
                    return write(connection, data, "first, late");
                }));
        assertEquals("second", read(data));
    }

    private static int write(Connection connection, String table, String text) throws SQLException {
        return connection.createStatement().executeUpdate("UPDATE " + table + " SET text = '" + text + "'");
    }

    private String read(String table) throws SQLException {
        return database.transaction(connection -> {
            var rows = connection.createStatement().executeQuery("SELECT text FROM " + table);
            assertTrue(rows.next());
            return rows.getString(1);
        });
    }

    // ---- names

    @Test
    void name_anyText_isAFenceOfItsOwn() throws SQLException {
        List<String> names = List.of(
                "a",
                "A",
                " a",
                "ä",
                "Ä",
                "漢",
                "😀",
                "'",
                "\"",
                "\\",
                "'); DROP TABLE x; --",
                "%",
                "_",
                "?",
                "x".repeat(512));
        long token = 10;
        for (String name : names) {
            check(name, ++token);
        }
        token = 10;
        for (String name : names) {
            assertEquals(OptionalLong.of(++token), newest(name), name);
            assertStale(name, token - 1, token);
        }
    }

    @Test
    void name_emptyTooLongOrWithASpaceAtItsEnd_isRefusedInWords() {
        for (String none : List.of("", "x".repeat(513), "a ")) {
            String message = String.valueOf(assertThrows(IllegalArgumentException.class, () -> check(none, 1))
                    .getMessage());
            assertTrue(message.startsWith("name has " + none.length() + " characters"), message);
        }
    }

    // ---- tables

    @Test
    void table_andColumns_areTheCallers() throws SQLException {
        String own = Database.freshTable();
        JdbcFence mine = JdbcFence.defaults().withTable(own).withColumns("lock_name", "newest_token");
        database.transaction(connection -> {
            mine.createTable(connection);
            return mine;
        });
        database.transaction(connection -> {
            mine.check(connection, "a", 5);
            assertThrows(StaleTokenException.class, () -> mine.check(connection, "a", 4));
            return mine;
        });
        database.transaction(connection -> {
            var rows = connection.createStatement().executeQuery("SELECT lock_name, newest_token FROM " + own);
            assertTrue(rows.next());
            assertEquals("a", rows.getString(1));
            assertEquals(5, rows.getLong(2));
            return rows;
        });
    }

    @Test
    void createTableIfMissing_thereOrNot_isThereAfterwards() throws SQLException {
        JdbcFence other = JdbcFence.defaults().withTable(Database.freshTable());
        try (Connection connection = database.connect()) {
            assertFalse(fence.createTableIfMissing(connection));
            assertTrue(other.createTableIfMissing(connection));
            assertFalse(other.createTableIfMissing(connection));
        }
        database.transaction(connection -> {
            assertFalse(other.createTableIfMissing(connection));
            other.check(connection, "a", 5);
            return other;
        });
    }

    @Test
    void createTable_thereAlready_fails() {
        assertThrows(
                SQLException.class,
                () -> database.transaction(connection -> {
                    fence.createTable(connection);
                    return fence;
                }));
    }

    @Test
    void removeGrantedBefore_someTime_removesOlderFencesOnly() throws SQLException {
        Instant day = Instant.parse("2026-11-20T00:00:00Z");
        long midnight = day.getEpochSecond() * 1_000_000;
        check("before", midnight - 1);
        check("then", midnight);
        int removed = database.transaction(connection -> fence.removeGrantedBefore(connection, day));
        assertEquals(1, removed);
        assertEquals(OptionalLong.empty(), newest("before"));
        assertEquals(OptionalLong.of(midnight), newest("then"));
        check("before", 1); // any token passes as the first: why the instant must lie far enough back
    }
}
