package io.holdfast.vertx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerRefusedException;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.redis.client.RedisClientType;
import io.vertx.redis.client.RedisOptions;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is special about a Vert.x of the application. */
@SuppressWarnings("NullAway.Init") // set before each test
final class VertxDriverTest {
    private RedisServer server;

    /** With one event loop: the driver and all verticles share it. */
    private Vertx vertx;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    }

    @AfterEach
    void stop() throws Exception {
        get(vertx.close().toCompletionStage());
        server.close();
    }

    private RedisOptions options() {
        return new RedisOptions().setConnectionString("redis://127.0.0.1:" + server.port());
    }

    private static <T> T get(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(15, TimeUnit.SECONDS);
    }

    /** Runs a task on the event loop. */
    private <T> T onTheLoop(Callable<T> task) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        vertx.runOnContext(nothing -> {
            try {
                result.complete(task.call());
            } catch (Exception | AssertionError e) {
                result.completeExceptionally(e);
            }
        });
        return get(result);
    }

    @Test
    void over_optionsForSeveralServers_areRefusedWithWhatToDo() {
        for (RedisClientType type : RedisClientType.values()) {
            RedisOptions several = options().setType(type);
            if (type == RedisClientType.STANDALONE) {
                several.addConnectionString("redis://127.0.0.1:1");
            }
            IllegalArgumentException e =
                    assertThrows(IllegalArgumentException.class, () -> VertxDriver.over(vertx, several));
            assertTrue(String.valueOf(e.getMessage()).contains("redis-cluster://"), e.toString());
        }
    }

    @Test
    void over_respThree_isRefused() {
        RedisOptions three = new RedisOptions().setConnectionString("redis://127.0.0.1:6379?protocol=3");
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> VertxDriver.over(vertx, three));
        assertTrue(String.valueOf(e.getMessage()).contains("RESP2"), e.toString());
    }

    @Test
    void over_endpointIsNoUri_isRefusedWithoutThePassword() {
        RedisOptions bad = new RedisOptions().setConnectionString("redis://:open sesame@127.0.0.1");
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> VertxDriver.over(vertx, bad));
        assertTrue(!e.toString().contains("sesame") && e.getCause() == null, e.toString());
    }

    @Test
    void over_poolOptionsOfTheApplication_areLeftAlone() throws Exception {
        RedisOptions options = options().setMaxPoolSize(7).setMaxWaitingHandlers(1);
        try (RedisDriver driver = VertxDriver.over(vertx, options)) {
            for (int i = 0; i < 100; i++) {
                var unused = driver.send(Command.of("INCR", "n"));
            }
            assertEquals(101, get(driver.send(Command.of("INCR", "n"))).asLong());
        }
        assertEquals(7, options.getMaxPoolSize());
        assertEquals(1, options.getMaxWaitingHandlers());
    }

    @Test
    void over_passwordOfTheOptions_isUsed() throws Exception {
        server.command("CONFIG", "SET", "requirepass", "open-sesame");
        try (RedisDriver driver = VertxDriver.over(vertx, options().setPassword("open-sesame"))) {
            assertEquals(
                    "default", get(driver.send(Command.of("ACL", "WHOAMI"))).asString());
        }
    }

    @Test
    void connect_onAnEventLoop_isRefused() throws Exception {
        onTheLoop(() -> {
            assertThrows(IllegalStateException.class, () -> VertxDriver.over(vertx, options()));
            return assertThrows(
                    IllegalStateException.class,
                    () -> new VertxDriverProvider(vertx).connect(server.address(), ConnectOptions.defaults()));
        });
    }

    @Test
    void acquire_onTheDriversEventLoop_isRefusedAtOnceAndTheAsynchronousFormsWork() throws Exception {
        try (Holdfast holdfast = Holdfast.over(VertxDriver.over(vertx, options()))) {
            CompletableFuture<Lease> asked = onTheLoop(() -> {
                ServerRefusedException e = assertThrows(
                        ServerRefusedException.class, () -> holdfast.lock("a").acquire());
                assertTrue(String.valueOf(e.getMessage()).contains("EVENTLOOP"), e.toString());
                assertThrows(
                        ServerRefusedException.class, () -> holdfast.inspect().isLocked("a"));
                assertThrows(
                        ServerRefusedException.class, () -> holdfast.admin().release("a"));
                return holdfast.lock("a").acquireAsync();
            });
            Lease lease = get(asked);
            CompletableFuture<ReleaseResult> released = onTheLoop(lease::releaseAsync);
            assertEquals(ReleaseResult.RELEASED, get(released));
        }
    }

    @Test
    void release_blockingOnTheDriversEventLoop_isUnconfirmedAndRepeatedUntilTheLockIsFree() throws Exception {
        try (Holdfast holdfast = Holdfast.over(VertxDriver.over(vertx, options()));
                Holdfast other = Holdfast.over(VertxDriver.over(vertx, options()))) {
            Lease lease = holdfast.lock("a").acquire();
            assertEquals(ReleaseResult.UNCONFIRMED, onTheLoop(lease::release));
            other.lock("a").acquire().release();
        }
    }

    @Test
    void close_driver_leavesVertxOpen() throws Exception {
        VertxDriver.over(vertx, options()).close();
        assertEquals("here", onTheLoop(() -> "here"));
    }

    @Test
    void close_vertxFirst_commandsFailAndTheDriverCloses() throws Exception {
        RedisDriver driver = VertxDriver.over(vertx, options());
        CompletionStage<?> blocked = driver.send(Command.of("BLPOP", "absent", "0"));
        get(vertx.close().toCompletionStage());
        assertUnknown(blocked);
        assertUnknown(driver.send(Command.of("PING")));
        assertUnknown(driver.subscribe("news", message -> {}));
        get(driver.unsubscribe("news"));
        driver.reconnect();
        driver.close();
        assertThrows(DriverException.class, () -> driver.another("k"));
    }

    private static void assertUnknown(CompletionStage<?> stage) {
        ExecutionException e = assertThrows(ExecutionException.class, () -> get(stage));
        DriverException failure = assertInstanceOf(DriverException.class, e.getCause());
        assertEquals(DriverException.Kind.UNKNOWN, failure.kind());
    }

    /** What is made on a context of a verticle ends with the verticle. */
    @Test
    void undeploy_verticleThatHasMadeTheDriver_leavesItsConnections() throws Exception {
        CompletableFuture<RedisDriver> made = new CompletableFuture<>();
        String id = get(vertx.deployVerticle(new Connecting(made, options())).toCompletionStage());
        try (RedisDriver driver = get(made)) {
            BlockingQueue<String> events = new LinkedBlockingQueue<>();
            driver.listen(new Downs(events));
            BlockingQueue<String> messages = new LinkedBlockingQueue<>();
            get(driver.subscribe("news", messages::add));
            get(vertx.undeploy(id).toCompletionStage());
            assertEquals("PONG", get(driver.send(Command.of("PING"))).asString());
            assertEquals(1, server.command("PUBLISH", "news", "x").asLong());
            assertEquals("x", messages.poll(15, TimeUnit.SECONDS));
            assertTrue(events.isEmpty(), events.toString());
        }
    }

    private static final class Connecting extends AbstractVerticle {
        private final CompletableFuture<RedisDriver> made;
        private final RedisOptions options;

        Connecting(CompletableFuture<RedisDriver> made, RedisOptions options) {
            this.made = made;
            this.options = options;
        }

        @Override
        public void start(Promise<Void> started) {
            vertx.executeBlocking(() -> made.complete(VertxDriver.over(vertx, options)))
                    .<Void>mapEmpty()
                    .onComplete(started);
        }
    }

    private record Downs(BlockingQueue<String> events) implements ConnectionListener {
        @Override
        public void commandsUp() {}

        @Override
        public void commandsDown() {
            events.add("commands down");
        }

        @Override
        public void messagesUp() {}

        @Override
        public void messagesDown() {
            events.add("messages down");
        }
    }

    @Test
    void provider_overAVertx_usesItAndLeavesItOpen() throws Exception {
        VertxDriverProvider provider = new VertxDriverProvider(vertx);
        try (RedisDriver driver = provider.connect(server.address(), ConnectOptions.defaults());
                RedisDriver another = driver.another("k")) {
            CompletableFuture<Thread> answered = new CompletableFuture<>();
            get(another.subscribe("news", message -> answered.complete(Thread.currentThread())));
            server.command("PUBLISH", "news", "x");
            assertEquals(onTheLoop(Thread::currentThread), get(answered));
        }
        assertEquals("here", onTheLoop(() -> "here"));
    }
}
