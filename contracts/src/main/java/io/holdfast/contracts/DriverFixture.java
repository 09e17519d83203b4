package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.holdfast.contracts.servers.FreePort;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.DriverException.Kind;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Reply;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the tests of drivers stand on: a fresh server, a driver connected to it, and ways to wait. */
abstract class DriverFixture {
    /** For what must happen: nobody waits that long unless the test fails. */
    static final Duration LONG = Duration.ofSeconds(15);

    /** For what must not happen: absence can only be shown by waiting a little. */
    static final Duration SHORT = Duration.ofMillis(100);

    static final ConnectOptions OPTIONS = ConnectOptions.defaults();

    private static final ConnectOptions PATIENT = new ConnectOptions(Duration.ofSeconds(30), "holdfast");
    private static final AtomicBoolean LOADED = new AtomicBoolean();

    RedisServer server;
    RedisDriver driver;
    RecordedEvents events;

    /** Returns the provider of the drivers under test: the one on the class path, unless a suite gives another. */
    protected RedisDriverProvider provider() {
        return LockSuite.theProvider();
    }

    /** With the first connection of a JVM all classes of a client are loaded, and no test is about how long that takes. */
    final void loadTheClient() {
        if (LOADED.compareAndSet(false, true)) {
            try (RedisServer other = RedisServer.start()) {
                provider().connect(other.address(), PATIENT).close();
            }
        }
    }

    @BeforeEach
    void connectToFreshServer() {
        loadTheClient();
        server = RedisServer.start();
        driver = provider().connect(server.address(), OPTIONS);
        events = new RecordedEvents();
        driver.listen(events);
    }

    @AfterEach
    void closeDriverAndServer() {
        driver.close();
        server.close();
    }

    interface Peer {
        void talk(Socket client) throws IOException;
    }

    void assertNoRedis(Peer peer, ConnectOptions options) throws IOException {
        withPeer(
                peer,
                port -> assertCannotConnect(
                        Kind.UNKNOWN, port, new RedisAddress("127.0.0.1", port, false, null, null, 0), options));
    }

    /** Runs a test while a peer talks to each that connects to the port, one after the other. */
    static void withPeer(Peer peer, IntConsumer test) throws IOException {
        try (ServerSocket listening = FreePort.listen(FreePort.find())) {
            TcpProxy.start("no-redis", () -> {
                while (!listening.isClosed()) {
                    try (Socket client = listening.accept()) {
                        peer.talk(client);
                    } catch (IOException e) {
                        // The driver has hung up, or the test is over.
                    }
                }
            });
            test.accept(listening.getLocalPort());
        }
    }

    void assertCannotConnect(Kind kind, int port, RedisAddress address, ConnectOptions options) {
        DriverException e = assertThrows(DriverException.class, () -> provider().connect(address, options));
        assertEquals(kind, e.kind(), e.toString());
        assertTrue(String.valueOf(e.getMessage()).contains("127.0.0.1:" + port), e.toString());
    }

    Reply send(String... words) {
        return get(driver.send(Command.of(words)));
    }

    String clients() {
        return server.command("CLIENT", "LIST").asString();
    }

    static RecordedEvents listen(RedisDriver driver) {
        RecordedEvents events = new RecordedEvents();
        driver.listen(events);
        return events;
    }

    static BlockingQueue<String> subscribe(RedisDriver driver, String channel) {
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        get(driver.subscribe(channel, messages::add));
        return messages;
    }

    /** Subscribes as an engine would while the message connection comes back: until it works. */
    static BlockingQueue<String> eventuallySubscribe(RedisDriver driver, String channel) {
        BlockingQueue<String> messages = new LinkedBlockingQueue<>();
        awaitTrue(() -> outcome(driver.subscribe(channel, messages::add)).failure() == null);
        return messages;
    }

    static String next(BlockingQueue<String> messages) {
        String message;
        try {
            message = messages.poll(LONG.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return message == null ? fail("no message in " + LONG) : message;
    }

    /** What a stage ended with, as {@code whenComplete} on the stage itself shows it. */
    record Outcome<T>(@Nullable T value, @Nullable Throwable failure) {}

    static <T> Outcome<T> outcome(CompletionStage<T> stage) {
        CompletableFuture<Outcome<T>> seen = new CompletableFuture<>();
        stage.whenComplete((value, failure) -> seen.complete(new Outcome<>(value, failure)));
        try {
            return seen.get(LONG.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return fail("not completed in " + LONG, e);
        } catch (ExecutionException e) {
            return fail(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("NullAway") // the value of a CompletionStage<Void> is null
    static <T> T get(CompletionStage<T> stage) {
        Outcome<T> outcome = outcome(stage);
        if (outcome.failure() != null) {
            fail("failed", outcome.failure());
        }
        return outcome.value();
    }

    static DriverException failure(CompletionStage<?> stage) {
        Throwable failure = outcome(stage).failure();
        if (failure instanceof DriverException expected) {
            return expected;
        }
        return fail("expected a DriverException itself, not " + failure, failure);
    }

    static void assertRejected(String code, CompletionStage<?> stage) {
        DriverException e = failure(stage);
        assertEquals(Kind.REJECTED, e.kind(), e.toString());
        assertEquals(code, e.code());
    }

    static void assertUnknown(CompletionStage<?> stage) {
        DriverException e = failure(stage);
        assertEquals(Kind.UNKNOWN, e.kind(), e.toString());
        assertEquals("", e.code());
    }

    static Set<Thread> threads() {
        return new HashSet<>(Thread.getAllStackTraces().keySet());
    }

    /** Whether a thread can belong to a driver: it is neither the JVM's, JUnit's nor that of the contracts. */
    boolean isDriverThread(Thread thread) {
        String name = thread.getName();
        ThreadGroup group = thread.getThreadGroup();
        return group != null
                && thread != Thread.currentThread()
                && !List.of("system", "InnocuousThreadGroup").contains(group.getName())
                && !List.of(
                                "main",
                                "surefire",
                                "junit",
                                "proxy-",
                                "no-redis",
                                "JFR", // where a test of flight recordings ran before
                                "ForkJoinPool.commonPool",
                                "CompletableFutureDelay")
                        .stream()
                        .anyMatch(name::startsWith);
    }

    static void awaitTrue(BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begin > LONG.toNanos()) {
                fail("not in " + LONG + "; threads:\n"
                        + Thread.getAllStackTraces().entrySet().stream()
                                .map(each -> each.getKey().getName() + " " + Arrays.toString(each.getValue()))
                                .collect(Collectors.joining("\n")));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
        }
    }
}
