package io.holdfast.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisSentinels;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.DriverException.Kind;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.PooledObjectFactory;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.util.Pool;

/** Drivers over pools that belong to somebody else. */
@Timeout(60)
@SuppressWarnings("deprecation") // JedisPool and Jedis are what applications have
final class BorrowedPoolTest {
    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServer.start();
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void over_jedisPool_worksAndLeavesThePoolUsable() throws Exception {
        try (JedisPool pool = new JedisPool("127.0.0.1", server.port())) {
            try (RedisDriver driver = JedisDriver.over(pool)) {
                assertWorks(driver);
                assertEquals(2, pool.getNumActive());
            }
            assertFalse(pool.isClosed());
            assertEquals(0, pool.getNumActive());
            try (Jedis jedis = pool.getResource()) {
                assertEquals("PONG", jedis.ping());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("io.holdfast.jedis.ClientKind#ofThisVersion")
    void over_client_worksAndLeavesTheClientUsable(ClientKind kind) throws Exception {
        try (UnifiedJedis client = kind.open(server.port())) {
            Pool<Connection> pool = Versions.poolOf(client);
            try (RedisDriver driver = JedisDriver.over(client)) {
                assertWorks(driver);
                assertEquals("127.0.0.1:" + server.port(), driver.describe());
                assertEquals(2, pool.getNumActive());
                assertEquals("v", set(client));
            }
            assertEquals(0, pool.getNumActive());
            assertEquals("v", set(client));
        }
    }

    @Test
    void over_clientWithoutThePoolOfOneServer_isRefusedWithWhatToDo() {
        ConnectionProvider servers = new ConnectionProvider() {
            @Override
            public Connection getConnection() {
                throw new JedisException("not asked for");
            }

            @Override
            public Connection getConnection(CommandArguments arguments) {
                return getConnection();
            }

            @Override
            public void close() {}
        };
        try (UnifiedJedis ofServers = new UnifiedJedis(servers, 1, Duration.ofSeconds(1)) {};
                UnifiedJedis single =
                        new UnifiedJedis(new Connection(server.address().host(), server.port())) {}) {
            for (UnifiedJedis client : List.of(ofServers, single)) {
                IllegalArgumentException e =
                        assertThrows(IllegalArgumentException.class, () -> JedisDriver.over(client));
                assertTrue(String.valueOf(e.getMessage()).contains("redis-cluster://"), e.toString());
            }
        }
    }

    /** Its connections stay with a server that is the master no more, until that hangs up. */
    @Test
    void over_sentinelPool_isRefusedWithWhatToDo() {
        try (RedisSentinels sentinels = RedisSentinels.start();
                JedisSentinelPool pool = new JedisSentinelPool(
                        RedisSentinels.NAME,
                        sentinels.addresses().stream()
                                .map(each -> each.host() + ":" + each.port())
                                .collect(Collectors.toSet()))) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> JedisDriver.over(pool));
            assertTrue(String.valueOf(e.getMessage()).contains("redis-sentinel://"), e.toString());
            assertEquals(0, pool.getNumActive());
            // A listener of this pool whose thread first runs after the pool was closed never ends.
            for (RedisServer each : sentinels.sentinels()) {
                while (!each.command("CLIENT", "LIST").asString().contains("cmd=subscribe")) {
                    LockSupport.parkNanos(1_000_000);
                }
            }
        }
    }

    @Test
    void over_connectionPoolWithRespThree_repliesHaveTheirRespTwoShape() throws Exception {
        DefaultJedisClientConfig config = DefaultJedisClientConfig.builder()
                .protocol(RedisProtocol.RESP3)
                .database(4)
                .build();
        try (ConnectionPool pool = new ConnectionPool(new HostAndPort("127.0.0.1", server.port()), config);
                RedisDriver driver = JedisDriver.over(pool)) {
            assertWorks(driver);
            get(driver.send(Command.of("HSET", "h", "field", "value")));
            assertEquals(
                    "[field, value]",
                    get(driver.send(Command.of("HGETALL", "h"))).toString());
            get(driver.send(Command.of("ZADD", "z", "1.5", "a", "3", "b")));
            assertEquals("1.5", get(driver.send(Command.of("ZSCORE", "z", "a"))).asString());
            assertEquals("3", get(driver.send(Command.of("ZSCORE", "z", "b"))).asString());
            assertTrue(get(driver.send(Command.of("GET", "absent"))).isNull());
            assertTrue(server.command("INFO", "keyspace").asString().contains("db4:"));
        }
    }

    @Test
    void over_poolFullOfDeadConnections_findsALivingOne() throws Exception {
        try (ConnectionPool pool = new ConnectionPool(
                new HostAndPort("127.0.0.1", server.port()),
                DefaultJedisClientConfig.builder().build())) {
            pool.addObjects(5);
            server.restart();
            try (RedisDriver driver = JedisDriver.over(pool)) {
                assertWorks(driver);
            }
        }
    }

    @Test
    void over_serverRestarted_borrowsAnewAndSubscribesAgain() throws Exception {
        try (ConnectionPool pool = new ConnectionPool(
                        new HostAndPort("127.0.0.1", server.port()),
                        DefaultJedisClientConfig.builder().build());
                RedisDriver driver = JedisDriver.over(pool)) {
            BlockingQueue<String> events = new LinkedBlockingQueue<>();
            driver.listen(recorder(events));
            BlockingQueue<String> messages = new LinkedBlockingQueue<>();
            get(driver.subscribe("news", messages::add));
            server.kill();
            assertTrue(next(events).endsWith("Down"));
            assertTrue(next(events).endsWith("Down"));
            server.restart();
            assertTrue(next(events).endsWith("Up"));
            assertTrue(next(events).endsWith("Up"));
            assertEquals("PONG", get(driver.send(Command.of("PING"))).asString());
            assertEquals(1, server.command("PUBLISH", "news", "x").asLong());
            assertEquals("x", next(messages));
            assertEquals(2, pool.getNumActive());
        }
    }

    @Test
    void send_errorsOfThePoolWhileDown_saysWhyAndComesUpOnceTheyAreOver() throws Exception {
        AtomicBoolean unfit = new AtomicBoolean();
        PooledObjectFactory<Connection> factory = new BasePooledObjectFactory<>() {
            @Override
            public Connection create() {
                if (unfit.get()) {
                    throw new NoSuchMethodError("on purpose");
                }
                return new Connection("127.0.0.1", server.port());
            }

            @Override
            public PooledObject<Connection> wrap(Connection connection) {
                return new DefaultPooledObject<>(connection);
            }
        };
        try (ConnectionPool pool = new ConnectionPool(factory);
                RedisDriver driver = JedisDriver.over(pool)) {
            BlockingQueue<String> events = new LinkedBlockingQueue<>();
            driver.listen(recorder(events));
            get(driver.subscribe("news", message -> {}));
            unfit.set(true);
            server.command("CLIENT", "KILL", "TYPE", "normal");
            server.command("CLIENT", "KILL", "TYPE", "pubsub");
            assertTrue(next(events).endsWith("Down"));
            assertTrue(next(events).endsWith("Down"));
            awaitFailure(() -> driver.send(Command.of("PING")), "on purpose");
            awaitFailure(() -> driver.subscribe("other", message -> {}), "on purpose");
            unfit.set(false);
            assertTrue(next(events).endsWith("Up"));
            assertTrue(next(events).endsWith("Up"));
        }
    }

    @Test
    void over_nothingListens_saysWhereAndWhy() {
        int port = server.port();
        server.close();
        try (JedisPool pool = new JedisPool("127.0.0.1", port)) {
            DriverException e = assertThrows(DriverException.class, () -> JedisDriver.over(pool));
            assertEquals(Kind.UNKNOWN, e.kind());
            assertTrue(String.valueOf(e.getMessage()).contains("127.0.0.1:" + port), e.toString());
            assertTrue(String.valueOf(e.getMessage()).contains("Connection refused"), e.toString());
        }
    }

    @Test
    void over_poolExhausted_isUnknown() {
        ConnectionPoolConfig one = new ConnectionPoolConfig();
        one.setMaxTotal(1);
        one.setMaxWait(Duration.ofMillis(50));
        try (ConnectionPool pool = new ConnectionPool(
                new HostAndPort("127.0.0.1", server.port()),
                DefaultJedisClientConfig.builder().build(),
                one)) {
            try (RedisDriver driver = JedisDriver.over(pool)) {
                DriverException e = assertThrows(DriverException.class, () -> JedisDriver.over(pool));
                assertEquals(Kind.UNKNOWN, e.kind());
                assertTrue(String.valueOf(e.getMessage()).contains("pool"), e.toString());
                assertEquals("127.0.0.1:" + server.port(), driver.describe());
            }
        }
    }

    @Test
    void over_poolWaitsForEver_closeDoesNot() throws Exception {
        ConnectionPoolConfig one = new ConnectionPoolConfig();
        one.setMaxTotal(1);
        try (ConnectionPool pool = new ConnectionPool(
                new HostAndPort("127.0.0.1", server.port()),
                DefaultJedisClientConfig.builder().build(),
                one)) {
            RedisDriver driver = JedisDriver.over(pool);
            CompletionStage<Void> subscribed = driver.subscribe("news", message -> {});
            driver.close();
            assertThrows(Exception.class, () -> get(subscribed));
            assertEquals(0, pool.getNumActive());
        }
    }

    @Test
    void another_overPool_borrowsOneMoreAndGivesItBack() throws Exception {
        try (ConnectionPool pool = new ConnectionPool(
                        new HostAndPort("127.0.0.1", server.port()),
                        DefaultJedisClientConfig.builder().database(4).build());
                RedisDriver driver = JedisDriver.over(pool)) {
            try (RedisDriver other = driver.another("k")) {
                assertEquals(2, pool.getNumActive());
                get(other.send(Command.of("SET", "k", "v")));
                assertTrue(server.command("INFO", "keyspace").asString().contains("db4:"));
            }
            assertEquals(1, pool.getNumActive());
            assertEquals("v", get(driver.send(Command.of("GET", "k"))).asString());
        }
    }

    @Test
    void over_passwordMissing_isRejected() {
        server.command("CONFIG", "SET", "requirepass", "open-sesame");
        try (JedisPool pool = new JedisPool("127.0.0.1", server.port())) {
            DriverException e = assertThrows(DriverException.class, () -> JedisDriver.over(pool));
            assertEquals("NOAUTH", e.code());
            assertEquals(0, pool.getNumActive());
        }
    }

    private static String set(UnifiedJedis client) {
        client.set("k", "v");
        return client.get("k");
    }

    private void assertWorks(RedisDriver driver) throws Exception {
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        get(driver.subscribe("news", messages::add));
        for (int i = 0; i < 1000; i++) {
            assertEquals(i + 1, get(driver.send(Command.of("INCR", "n"))).asLong());
        }
        assertEquals(1, server.command("PUBLISH", "news", "x").asLong());
        assertEquals("x", next(messages));
        DriverException e = assertThrows(DriverException.class, () -> {
            CompletionStage<Reply> reply = driver.send(Command.of("EVALSHA", "0".repeat(40), "0"));
            try {
                get(reply);
            } catch (ExecutionException wrapped) {
                throw wrapped.getCause();
            }
        });
        assertEquals("NOSCRIPT", e.code());
    }

    private static ConnectionListener recorder(BlockingQueue<String> events) {
        return new ConnectionListener() {
            @Override
            public void commandsUp() {
                events.add("commandsUp");
            }

            @Override
            public void commandsDown() {
                events.add("commandsDown");
            }

            @Override
            public void messagesUp() {
                events.add("messagesUp");
            }

            @Override
            public void messagesDown() {
                events.add("messagesDown");
            }
        };
    }

    private static String next(BlockingQueue<String> queue) throws InterruptedException {
        return String.valueOf(queue.poll(15, TimeUnit.SECONDS));
    }

    /** Asks until the answer is a failure that speaks of something: at first it is that the connection has broken. */
    private static void awaitFailure(Supplier<CompletionStage<?>> request, String text) {
        for (String told = ""; !told.contains(text); LockSupport.parkNanos(1_000_000)) {
            CompletionStage<?> stage = request.get();
            told = assertThrows(ExecutionException.class, () -> get(stage)).toString();
        }
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(15, TimeUnit.SECONDS);
    }
}
