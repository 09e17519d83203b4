package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.TestServer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * What the contract suites of locks share: the driver under test, a server for each test, clients that are closed at the
 * end, and questions to the server.
 */
public abstract class LockSuite {
    /** In the keys of what clients report of themselves. */
    protected static final String REPORTS = ":{%reports}";

    /** How long an event may take on a slow machine before a test gives up waiting for it. */
    protected static final Duration PATIENCE = Duration.ofSeconds(20);

    /** A wait in vain: long enough for an answer on a slow machine, for only an answer tells the holder. */
    protected static final Wait IN_VAIN = Wait.upTo(Duration.ofMillis(500));

    /** Each request stands in the server's queue itself. */
    protected static final LockOptions STRICT = LockOptions.defaults().withStrictOrder();

    /** What such a client learns sooner than after ten seconds, it learned by a message, or asked for at the right moment. */
    protected static final HoldfastOptions LAZY =
            HoldfastOptions.defaults().withRefreshInterval(Duration.ofSeconds(10));

    private final Deque<AutoCloseable> toClose = new ArrayDeque<>();

    /** The driver under test: the one on the class path, unless a suite gives another. */
    protected RedisDriverProvider provider() {
        return theProvider();
    }

    /**
     * The only provider on the class path.
     *
     * @throws IllegalStateException if there is none, or more than one
     */
    static RedisDriverProvider theProvider() {
        List<RedisDriverProvider> found = ServiceLoader.load(RedisDriverProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        if (found.size() != 1) {
            throw new IllegalStateException(
                    "a contract tests the driver on the class path, of which there must be one, and found "
                            + found.stream().map(RedisDriverProvider::name).toList()
                            + ": a subclass that overrides provider() names another");
        }
        return found.get(0);
    }

    /** Starts a server that is closed after the test. */
    protected final RedisServer startServer(String... config) {
        return closeLater(RedisServer.start(config));
    }

    /** The server of suites that break nothing: a real one, unless another is given. Closed after the test. */
    protected TestServer startLockServer() {
        return startServer();
    }

    /** Closes something after the test, before what was registered earlier. */
    protected final <T extends AutoCloseable> T closeLater(T resource) {
        toClose.push(resource);
        return resource;
    }

    /** A client with the defaults, closed after the test. */
    protected final Holdfast client(TestServer server) {
        return client(server.address(), HoldfastOptions.defaults());
    }

    /** A client, closed after the test. */
    protected final Holdfast client(RedisAddress address, HoldfastOptions options) {
        return closeLater(Holdfast.over(driver(address), options));
    }

    /** A driver under test, connected. */
    protected final RedisDriver driver(RedisAddress address) {
        return provider().connect(address, ConnectOptions.defaults());
    }

    @AfterEach
    final void closeAll() throws Exception {
        Exception first = null;
        while (!toClose.isEmpty()) {
            try {
                toClose.pop().close();
            } catch (Exception e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** A client with {@link #LAZY} has learned something since then, and not by a refresh. */
    protected static void assertBeforeARefresh(long beginNanos) {
        long took = System.nanoTime() - beginNanos;
        assertTrue(took < LAZY.refreshInterval().toNanos() * 9 / 10, () -> "by a refresh: " + took + " ns");
    }

    /** What a stage completes with, which may take as long as anything in a test. */
    protected static <T extends @Nullable Object> T get(CompletionStage<T> stage)
            throws InterruptedException, ExecutionException {
        try {
            return stage.toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("not completed within " + PATIENCE.toSeconds() + " s", e);
        }
    }

    /** What a thread of its own does; it completes with what that returns or throws. */
    protected static <T extends @Nullable Object> CompletableFuture<T> inThread(Callable<T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                done.complete(work.call());
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    /** How many connections to a server listen on a channel. */
    protected static long listeners(TestServer server, String channel) {
        return server.command("PUBSUB", "NUMSUB", channel).asList().get(1).asLong();
    }

    /** Collects garbage, ten times a second at most: a collection that is asked for stops all that runs beside it. */
    protected static void collect() {
        System.gc();
        LockSupport.parkNanos(100_000_000);
    }

    /** Asks the server, which tells of no event, until it is so; fails with what was awaited if it does not become so. */
    protected static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + PATIENCE.toSeconds() + " s: " + what);
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** Waits until no key but fencing tokens is on the server; tells what is there if that does not happen. */
    protected static void awaitNothingLeft(TestServer server) {
        awaitNothingLeft(server, key -> true);
    }

    /** The same for some keys only. */
    protected static void awaitNothingLeft(TestServer server, Predicate<String> which) {
        try {
            await("nothing is left", () -> keysAndReports(server).stream().noneMatch(which));
        } catch (AssertionError e) {
            StringBuilder left = new StringBuilder();
            for (String key : keysAndReports(server).stream().filter(which).toList()) {
                String type = server.command("TYPE", key).asString();
                Reply value = switch (type) {
                    case "hash" -> server.command("HGETALL", key);
                    case "zset" -> server.command("ZRANGE", key, "0", "-1", "WITHSCORES");
                    default -> server.command("GET", key);
                };
                left.append("\n  ")
                        .append(key)
                        .append(" = ")
                        .append(value)
                        .append(", ttl ")
                        .append(server.command("PTTL", key));
            }
            throw new AssertionError(e.getMessage() + left, e);
        }
    }

    /** All keys on the server except fencing tokens, and what clients report of themselves, sorted. */
    protected static List<String> keysButTokens(TestServer server) {
        return keysAndReports(server).stream()
                .filter(key -> !key.contains(REPORTS))
                .toList();
    }

    private static List<String> keysAndReports(TestServer server) {
        TreeSet<String> keys = new TreeSet<>();
        for (Reply key : server.command("KEYS", "*").asList()) {
            if (!key.asString().endsWith(":t")) {
                keys.add(key.asString());
            }
        }
        return List.copyOf(keys);
    }

    /**
     * The same without tombstones, which a request may leave that ends before its answer has come: seen from the server,
     * it may be queued before its client knows.
     */
    protected static List<String> keysOfHoldsAndQueues(TestServer server) {
        return keysButTokens(server).stream()
                .filter(key -> !key.contains("}:x:"))
                .toList();
    }

    /** Checks that every key on the server carries an expiry. */
    protected static void assertEveryKeyExpires(TestServer server) {
        for (Reply key : server.command("KEYS", "*").asList()) {
            long left = server.command("PTTL", key.asString()).asLong();
            assertEquals(false, left == -1, "key without expiry: " + key);
        }
    }
}
