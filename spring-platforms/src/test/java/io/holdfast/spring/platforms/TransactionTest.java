package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.StaleTokenException;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.fencing.JdbcFence;
import io.holdfast.spring.CurrentLease;
import io.holdfast.spring.Locked;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Locks and transactions, on a real server and a real database. */
@Timeout(60)
final class TransactionTest {
    private static RedisServer server;
    private static Holdfast other;

    /** What happened, in its order; a commit tells whether the lock was held on the server. */
    private static final List<String> STEPS = new CopyOnWriteArrayList<>();

    static class Work {
        @Autowired
        JdbcTemplate jdbc;

        @Locked("order/{#id}")
        @Transactional
        public void book(String id) {
            STEPS.add("work");
            jdbc.update("INSERT INTO bookings VALUES (?)", id);
        }

        @Locked("order/{#id}")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void bookApart(String id) {
            jdbc.update("INSERT INTO bookings VALUES (?)", id);
        }

        @Locked("lost/{#id}")
        @Transactional
        public void lose(String id) {
            jdbc.update("INSERT INTO bookings VALUES (?)", id);
            loseIt("lost/" + id);
        }

        @Locked("lost/{#id}")
        public void loseBefore(String id, Runnable insideOfATransaction) {
            insideOfATransaction.run();
        }

        @Locked("after/{#id}")
        public void after(String id) {
            STEPS.add("after, held " + other.inspect().isLocked("after/" + id));
        }

        @Locked(value = "fenced/{#id}", fenced = true)
        @Transactional
        public long fenced(String id) {
            jdbc.update("INSERT INTO bookings VALUES (?)", id);
            return CurrentLease.get().token();
        }
    }

    /** Whoever works learns of it at once, as with a message of the server. */
    private static void loseIt(String name) {
        other.admin().release(name, Admin.Waiters.HAND_OFF);
        assertThrows(LeaseLostException.class, () -> CurrentLease.get().extend(Duration.ofSeconds(1)));
    }

    static class Listener implements TransactionExecutionListener {
        @Override
        public void afterBegin(TransactionExecution transaction, Throwable failure) {
            STEPS.add("begin, held " + other.inspect().isLocked("order/1"));
        }

        @Override
        public void afterCommit(TransactionExecution transaction, Throwable failure) {
            STEPS.add("committed, held " + other.inspect().isLocked("order/1"));
        }
    }

    /** With Spring's own annotation, before anything of the starter. */
    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Explicit {}

    /** A manager that Boot does not make, and so does not customize. */
    @Configuration(proxyBeanMethods = false)
    static class OwnManager {
        @Bean
        PlatformTransactionManager mine(DataSource database) {
            return new DataSourceTransactionManager(database);
        }
    }

    /** The order that users may set, and then have the commit outside of everything. */
    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 0)
    static class Outermost {}

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        other = Apps.connect(server.url());
    }

    @AfterAll
    static void stop() {
        other.close();
        server.close();
    }

    private static ConfigurableApplicationContext app(Class<?> source, String... properties) {
        ConfigurableApplicationContext context =
                Apps.with(source, server.port(), Map.of("work", Work.class, "listener", Listener.class), properties);
        context.getBean(JdbcTemplate.class).execute("CREATE TABLE bookings (id VARCHAR(20))");
        STEPS.clear();
        return context;
    }

    private static List<String> bookings(ConfigurableApplicationContext context) {
        return context.getBean(JdbcTemplate.class).queryForList("SELECT id FROM bookings ORDER BY id", String.class);
    }

    @Test
    void order_whateverEnabledTransactions_isReleasedAfterTheCommit() {
        for (Class<?> source : new Class<?>[] {Apps.Plain.class, Explicit.class}) {
            try (ConfigurableApplicationContext context = app(source)) {
                context.getBean(Work.class).book("1");
                assertEquals(List.of("begin, held true", "work", "committed, held true"), STEPS, source.toString());
                assertFalse(other.inspect().isLocked("order/1"));
                assertEquals(List.of("1"), bookings(context));
            }
        }
    }

    @Test
    void order_transactionsOutermost_failsTheStart() {
        Throwable thrown =
                assertThrows(Exception.class, () -> app(Outermost.class).close());
        while (thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        assertTrue(String.valueOf(thrown.getMessage()).contains("holdfast.annotations.order"), thrown.getMessage());
    }

    @Test
    void lost_beforeTheCommit_isRolledBack() {
        for (Class<?> source : new Class<?>[] {Apps.Plain.class, OwnManager.class}) {
            try (ConfigurableApplicationContext context = app(source)) {
                LeaseLostException e = assertThrows(
                        LeaseLostException.class,
                        () -> context.getBean(Work.class).lose("1"));
                assertEquals("lost/1", e.lockName());
                assertEquals(List.of(), bookings(context), source.toString());
            }
        }
    }

    @Test
    void lost_beforeACommitWithinTheMethod_isRolledBack() {
        try (ConfigurableApplicationContext context = app(Apps.Plain.class)) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            Work work = context.getBean(Work.class);
            assertThrows(
                    LeaseLostException.class,
                    () -> work.loseBefore(
                            "2",
                            () -> transaction.executeWithoutResult(status -> {
                                jdbc.update("INSERT INTO bookings VALUES ('2')");
                                loseIt("lost/2");
                            })));
            assertEquals(List.of(), bookings(context));
        }
    }

    @Test
    void active_byDefault_isRefusedUnlessTheMethodHasItsOwn() {
        try (ConfigurableApplicationContext context = app(Apps.Plain.class)) {
            TransactionTemplate outer = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            Work work = context.getBean(Work.class);
            IllegalStateException e = assertThrows(
                    IllegalStateException.class, () -> outer.executeWithoutResult(status -> work.book("1")));
            assertTrue(String.valueOf(e.getMessage()).contains("in-transaction"), e.getMessage());
            outer.executeWithoutResult(status -> work.bookApart("2"));
            assertEquals(List.of("2"), bookings(context));
            assertFalse(other.inspect().isLocked("order/2"));
        }
    }

    /** As a listener of events does that is told after the commit; what is thrown there, Spring only logs. */
    @Test
    void active_noMore_afterItsEnd_isNotRefused() {
        try (ConfigurableApplicationContext context = app(Apps.Plain.class)) {
            TransactionTemplate outer = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            Work work = context.getBean(Work.class);
            outer.executeWithoutResult(status ->
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCompletion(int how) {
                            work.after("1");
                        }
                    }));
            assertTrue(STEPS.contains("after, held true"), STEPS.toString());
        }
    }

    @Test
    void active_releaseAfter_isHeldUntilItHasEnded() {
        try (ConfigurableApplicationContext context =
                app(Apps.Plain.class, "holdfast.annotations.in-transaction=release-after")) {
            TransactionTemplate outer = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            Work work = context.getBean(Work.class);
            outer.executeWithoutResult(status -> {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        STEPS.add("done, held " + other.inspect().isLocked("order/1"));
                    }
                });
                work.book("1");
                assertTrue(other.inspect().isLocked("order/1"));
            });
            assertEquals(List.of("begin, held false", "work", "done, held true", "committed, held false"), STEPS);
            assertFalse(other.inspect().isLocked("order/1"));
            assertThrows(
                    LeaseLostException.class,
                    () -> outer.executeWithoutResult(status -> {
                        work.loseBefore("3", () -> {
                            context.getBean(JdbcTemplate.class).update("INSERT INTO bookings VALUES ('3')");
                            loseIt("lost/3");
                        });
                    }));
            assertEquals(List.of("1"), bookings(context));
            outer.executeWithoutResult(status -> {
                work.book("4");
                status.setRollbackOnly();
            });
            assertFalse(other.inspect().isLocked("order/4"));
            assertEquals(List.of("1"), bookings(context));
        }
    }

    @Test
    void active_warn_runsAndReleasesAtOnce() {
        try (ConfigurableApplicationContext context =
                app(Apps.Plain.class, "holdfast.annotations.in-transaction=warn")) {
            TransactionTemplate outer = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            outer.executeWithoutResult(status -> context.getBean(Work.class).book("1"));
            assertEquals("committed, held false", STEPS.get(STEPS.size() - 1));
        }
    }

    @Test
    void fenced_newerHolderWasThere_isRefusedInTheTransaction() throws Exception {
        try (ConfigurableApplicationContext context = app(Apps.Plain.class)) {
            DataSource database = context.getBean(DataSource.class);
            try (Connection connection = database.getConnection()) {
                JdbcFence.defaults().createTable(connection);
            }
            Work work = context.getBean(Work.class);
            long token = work.fenced("1");
            try (Connection connection = database.getConnection()) {
                assertEquals(
                        token,
                        JdbcFence.defaults().newest(connection, "fenced/1").orElseThrow());
                connection.setAutoCommit(false);
                JdbcFence.defaults().check(connection, "fenced/1", (1L << 53) - 1);
                connection.commit();
            }
            assertThrows(StaleTokenException.class, () -> work.fenced("1"));
            assertEquals(List.of("1"), bookings(context));
        }
    }
}
