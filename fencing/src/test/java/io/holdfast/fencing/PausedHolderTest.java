package io.holdfast.fencing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.FencedValue;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.ServerUnreachableException;
import io.holdfast.StaleTokenException;
import io.holdfast.Wait;
import io.holdfast.contracts.LockSuite;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two holders of one lock on a real server. The first has looked at its lease and then hears and says nothing until its
 * lease is over and the second has done its work; then it goes on where it stood.
 */
@SuppressWarnings("NullAway.Init") // all is made before each test
class PausedHolderTest extends LockSuite {
    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(1));
    private static final Duration LIFE = Duration.ofHours(1);

    private final Database database = Database.h2();
    private final JdbcFence fence = JdbcFence.defaults();
    private Holdfast paused;
    private Holdfast living;
    private TcpProxy network;

    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }

    @BeforeEach
    void start() throws SQLException {
        RedisServer server = startServer();
        network = closeLater(TcpProxy.to(server.port()));
        paused = client(
                network.address(),
                HoldfastOptions.defaults().withLockDefaults(BRIEF).withCloseTimeout(Duration.ZERO));
        living = client(server);
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            fence.createTable(connection);
            statement.executeUpdate(
                    "CREATE TABLE account (id INT PRIMARY KEY, balance INT, fence BIGINT DEFAULT 0 NOT NULL)");
            statement.executeUpdate("INSERT INTO account (id, balance) VALUES (42, 100)");
        }
    }

    /** The first holder's lease, which is over, though the first holder does not look. */
    private record Holders(Lease first, Lease second) {}

    private interface Work {
        void under(Lease lease) throws Exception;
    }

    private Holders pauseTheFirst(Work firstBefore, Work second) throws Exception {
        Lease first = paused.lock("account/42").acquire();
        firstBefore.under(first);
        assertTrue(first.isValid());
        network.stall(TcpProxy.Kind.ANY);
        Lease later = living.lock("account/42").acquire(Wait.upTo(PATIENCE));
        second.under(later);
        assertFalse(first.isValid());
        assertTrue(later.token() > first.token());
        return new Holders(first, later);
    }

    @Test
    void jdbcFence_lateWriteOfAPausedHolder_isRefusedAndTheLaterOneStands() throws Exception {
        Holders holders = pauseTheFirst(lease -> {}, lease -> guarded(lease, 150));
        StaleTokenException stale = assertThrows(StaleTokenException.class, () -> guarded(holders.first(), 90));
        assertEquals("account/42", stale.name());
        assertEquals(holders.first().token(), stale.token());
        assertEquals(holders.second().token(), stale.newest());
        assertEquals(150, balance());
        guarded(holders.second(), 160);
        assertEquals(160, balance());
    }

    @Test
    void noFence_lateWriteOfAPausedHolder_losesTheLaterUpdate() throws Exception {
        Holders holders = pauseTheFirst(lease -> {}, lease -> unguarded(150));
        unguarded(90);
        assertEquals(90, balance(), "the later holder's update is lost");
        assertTrue(holders.second().isValid(), "and it has not even lost its lease");
    }

    /** The pause is inside the transaction: the later holder cannot check before this one has committed. */
    @Test
    void jdbcFence_pausedAfterTheCheck_keepsTheLaterHolderWaitingAndLosesNothing() throws Exception {
        Lease first = paused.lock("account/42").acquire();
        try (Connection connection = database.begin(Connection.TRANSACTION_READ_COMMITTED)) {
            fence.check(connection, first);
            network.stall(TcpProxy.Kind.ANY);
            Lease second = living.lock("account/42").acquire(Wait.upTo(PATIENCE));
            try (Connection other = database.begin(Connection.TRANSACTION_READ_COMMITTED);
                    Statement statement = other.createStatement()) {
                statement.execute("SET LOCK_TIMEOUT 100");
                assertThrows(SQLException.class, () -> fence.check(other, second));
                other.rollback();
            }
            add(connection, 10);
            connection.commit();
            database.transaction(other -> {
                fence.check(other, second);
                return add(other, 20);
            });
        }
        assertEquals(130, balance());
        assertThrows(StaleTokenException.class, () -> guarded(first, 90));
    }

    @Test
    void columnOfTheRow_lateWriteOfAPausedHolder_isRefusedAndTheLaterOneStands() throws Exception {
        Holders holders =
                pauseTheFirst(lease -> assertTrue(byColumn(lease, 110)), lease -> assertTrue(byColumn(lease, 150)));
        assertFalse(byColumn(holders.first(), 90));
        assertEquals(150, balance());
    }

    @Test
    void fencedValue_lateWriteOfAPausedHolder_isRefusedAndTheLaterOneStands() throws Exception {
        Holders holders = pauseTheFirst(
                lease -> paused.fencedValue("x", LIFE)
                        .set(lease.token(), "early")
                        .orElseThrow(),
                lease -> living.fencedValue("x", LIFE)
                        .set(lease.token(), "present")
                        .orElseThrow());
        network.resume();
        FencedValue late = paused.fencedValue("x", LIFE);
        await("the first is connected again", () -> answers(late));
        FencedValue.Answer answer = late.set(holders.first().token(), "late");
        assertFalse(answer.accepted());
        assertEquals(holders.second().token(), answer.newest());
        assertEquals(Optional.of("present"), living.fencedValue("x", LIFE).get());
    }

    private static boolean answers(FencedValue value) {
        try {
            return value.get().isPresent();
        } catch (ServerUnreachableException e) {
            return false;
        }
    }

    private void guarded(Lease lease, int balance) throws SQLException {
        database.transaction(connection -> {
            fence.check(connection, lease);
            return set(connection, balance);
        });
    }

    private void unguarded(int balance) throws SQLException {
        database.transaction(connection -> set(connection, balance));
    }

    private boolean byColumn(Lease lease, int balance) throws SQLException {
        return database.transaction(connection -> {
            try (PreparedStatement update = connection.prepareStatement(
                    "UPDATE account SET balance = ?, fence = ? WHERE id = 42 AND fence <= ?")) {
                update.setInt(1, balance);
                update.setLong(2, lease.token());
                update.setLong(3, lease.token());
                return update.executeUpdate() == 1;
            }
        });
    }

    private static int set(Connection connection, int balance) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE account SET balance = ? WHERE id = 42")) {
            update.setInt(1, balance);
            return update.executeUpdate();
        }
    }

    private static int add(Connection connection, int amount) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = 42")) {
            update.setInt(1, amount);
            return update.executeUpdate();
        }
    }

    private int balance() throws SQLException {
        return database.transaction(connection -> {
            try (Statement select = connection.createStatement();
                    ResultSet rows = select.executeQuery("SELECT balance FROM account")) {
                assertTrue(rows.next());
                return rows.getInt(1);
            }
        });
    }
}
