package io.holdfast.fencing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Transactions that check one fence at the same time, at each isolation level: what commits is in the order of tokens. */
@ParameterizedClass
@MethodSource("cases")
@SuppressWarnings("NullAway.Init") // the tables are made before each test
class ConcurrentFenceTest {
    private static final long PATIENCE_SECONDS = 60;
    /** For what must not happen: absence can only be shown by waiting a little. */
    private static final long SHORT_MILLIS = 200;

    private final Database database;
    private final int isolation;
    private JdbcFence fence;
    private String data;

    ConcurrentFenceTest(Database database, int isolation) {
        this.database = database;
        this.isolation = isolation;
    }

    static Stream<Arguments> cases() {
        return Database.all().stream()
                .flatMap(database -> Stream.of(
                                Connection.TRANSACTION_READ_COMMITTED,
                                Connection.TRANSACTION_REPEATABLE_READ,
                                Connection.TRANSACTION_SERIALIZABLE)
                        .map(isolation -> Arguments.of(database, isolation)));
    }

    @BeforeEach
    void createTables() throws SQLException {
        fence = JdbcFence.defaults().withTable(Database.freshTable());
        data = Database.freshTable();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            fence.createTable(connection);
            statement.executeUpdate(
                    "CREATE TABLE " + data + " (id INTEGER NOT NULL PRIMARY KEY, token BIGINT NOT NULL, total BIGINT)");
            statement.executeUpdate("INSERT INTO " + data + " VALUES (1, 0, 0)");
        }
    }

    private void checkFirst(long token) throws SQLException {
        database.transaction(connection -> {
            fence.check(connection, "a", token);
            return token;
        });
    }

    // ---- two holders

    @Test
    void check_newerTokenNotCommittedYet_olderWaitsAndIsRefused() throws Exception {
        checkFirst(1);
        assertOlderWaitsAndIsRefused();
    }

    @Test
    void check_newerTokenIsTheFirstAndNotCommittedYet_olderWaitsAndIsRefused() throws Exception {
        assertOlderWaitsAndIsRefused();
    }

    private void assertOlderWaitsAndIsRefused() throws Exception {
        CompletableFuture<Long> older;
        try (Connection newer = database.begin(isolation)) {
            fence.check(newer, "a", 3);
            write(newer, 3);
            older = inBackground(2);
            assertStillWaiting(older);
            newer.commit();
        }
        ExecutionException refused =
                assertThrows(ExecutionException.class, () -> older.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertEquals(
                3,
                assertInstanceOf(StaleTokenException.class, refused.getCause()).newest());
        assertEquals(3, written());
    }

    @Test
    void check_newerTokenRolledBack_olderPasses() throws Exception {
        checkFirst(1);
        CompletableFuture<Long> older;
        try (Connection newer = database.begin(isolation)) {
            fence.check(newer, "a", 3);
            write(newer, 3);
            older = inBackground(2);
            assertStillWaiting(older);
            newer.rollback();
        }
        assertEquals(2, older.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertEquals(2, written());
    }

    @Test
    void check_olderTokenNotCommittedYet_newerWaitsAndOverwritesIt() throws Exception {
        checkFirst(1);
        assertNewerWaitsAndOverwrites();
    }

    @Test
    void check_olderTokenIsTheFirstAndNotCommittedYet_newerWaitsAndOverwritesIt() throws Exception {
        assertNewerWaitsAndOverwrites();
    }

    /** The holder was paused between its check and its commit: the next one cannot come in between. */
    private void assertNewerWaitsAndOverwrites() throws Exception {
        CompletableFuture<Long> newer;
        try (Connection older = database.begin(isolation)) {
            fence.check(older, "a", 2);
            newer = inBackground(3);
            assertStillWaiting(newer);
            write(older, 2);
            older.commit();
        }
        assertEquals(3, newer.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        assertEquals(3, written());
    }

    /** A transaction whose snapshot was taken before the newer token came does not miss it. */
    @Test
    void check_snapshotFromBeforeTheNewerToken_doesNotPass() throws Exception {
        for (long known = 0; known <= 2; known++) {
            long before = known; // 0: the name is new; 2: the older holder has checked already, with success
            String name = "known " + known + ".";
            if (before > 0) {
                database.transaction(connection -> {
                    fence.check(connection, name, before);
                    return name;
                });
            }
            try (Connection older = database.begin(isolation)) {
                read(older);
                CompletableFuture<Long> newer = CompletableFuture.supplyAsync(() -> {
                    try {
                        return database.transaction(isolation, connection -> {
                            fence.check(connection, name, 3);
                            return 3L;
                        });
                    } catch (SQLException e) {
                        throw new IllegalStateException(e);
                    }
                });
                newer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                Exception refused = assertThrows(Exception.class, () -> fence.check(older, name, 2));
                if (refused instanceof SQLException conflict) {
                    // It cannot see the newer one, and is told to run again.
                    assertTrue(String.valueOf(conflict.getSQLState()).startsWith("40"), conflict::toString);
                } else {
                    assertEquals(
                            3,
                            assertInstanceOf(StaleTokenException.class, refused).newest());
                }
                older.rollback();
            }
            assertThrows(
                    StaleTokenException.class,
                    () -> database.transaction(isolation, connection -> {
                        fence.check(connection, name, 2);
                        return name;
                    }));
        }
    }

    // ---- many

    @Test
    void check_manyTokensInAnyOrder_commitInTheOrderOfTokens() throws Exception {
        int threads = 4;
        List<Long> tokens =
                new ArrayList<>(LongStream.rangeClosed(1, 100).boxed().toList());
        Collections.shuffle(tokens, new Random(1));
        AtomicInteger passed = new AtomicInteger();
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            List<Long> part = tokens.subList(t * 25, t * 25 + 25);
            writers.add(CompletableFuture.runAsync(
                    () -> {
                        for (long token : part) {
                            try {
                                transaction(token);
                                passed.incrementAndGet();
                            } catch (StaleTokenException e) {
                                assertTrue(e.newest() > token, e::toString);
                            } catch (SQLException e) {
                                throw new IllegalStateException("token " + token, e);
                            }
                        }
                    },
                    task -> new Thread(task).start()));
        }
        for (CompletableFuture<Void> writer : writers) {
            writer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        assertEquals(100, written());
        // Each that passed has read what the one before had written, and none wrote over another's update.
        long total = database.transaction(connection -> read(connection)[1]);
        assertEquals(passed.get(), total);
        assertEquals(OptionalLong.of(100), database.transaction(connection -> fence.newest(connection, "a")));
    }

    /** What a holder does: checks, reads, writes what it computed from that. */
    private long transaction(long token) throws SQLException {
        return database.transaction(isolation, connection -> {
            fence.check(connection, "a", token);
            write(connection, token);
            return token;
        });
    }

    private void write(Connection connection, long token) throws SQLException {
        long[] before = read(connection);
        assertTrue(before[0] <= token, () -> "token " + token + " writes after " + before[0]);
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE " + data + " SET token = ?, total = ? WHERE id = 1")) {
            update.setLong(1, token);
            update.setLong(2, before[1] + 1);
            update.executeUpdate();
        }
    }

    /** Token and total. */
    private long[] read(Connection connection) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT token, total FROM " + data + " WHERE id = 1")) {
            assertTrue(rows.next());
            return new long[] {rows.getLong(1), rows.getLong(2)};
        }
    }

    private long written() throws SQLException {
        return database.transaction(connection -> read(connection)[0]);
    }

    private CompletableFuture<Long> inBackground(long token) {
        CompletableFuture<Long> result = new CompletableFuture<>();
        new Thread(() -> {
                    try {
                        result.complete(transaction(token));
                    } catch (SQLException | RuntimeException | AssertionError e) {
                        result.completeExceptionally(e);
                    }
                })
                .start();
        return result;
    }

    private static void assertStillWaiting(CompletableFuture<Long> other) {
        assertThrows(TimeoutException.class, () -> other.get(SHORT_MILLIS, TimeUnit.MILLISECONDS));
    }
}
