package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;

/**
 * What the suites about faults share: a server that tests may break, a proxy in front of it for the clients whose network
 * fails, and questions about one lock, {@code a}, that are put to the server directly.
 */
@SuppressWarnings("NullAway.Init") // the server is started before each test
abstract class FaultSuite extends LockSuite {
    /** For what must not happen: absence can only be shown by waiting a little. */
    static final Duration SHORT = Duration.ofMillis(200);

    /** Each of its requests stands in the server's queue itself. */
    static final HoldfastOptions EACH_QUEUED = HoldfastOptions.defaults().withLockDefaults(STRICT);

    /** Finds out soon that it is not answered, and asks again soon. */
    static final HoldfastOptions EAGER = HoldfastOptions.defaults()
            .withCommandTimeout(Duration.ofMillis(500))
            .withRefreshInterval(Duration.ofMillis(300));

    /** Ends in the time of a test if nobody renews it. */
    static final LockOptions BRIEF = LockOptions.defaults().withLeaseDuration(Duration.ofMillis(1_500));

    RedisServer server;
    TcpProxy proxy;

    @BeforeEach
    final void start() {
        server = startServer();
        ScriptCalls.load(server);
        proxy = closeLater(TcpProxy.to(server.port()));
    }

    /** A client whose network the test can break. */
    final Holdfast remote(HoldfastOptions options) {
        return client(proxy.address(), options);
    }

    /** A client with a good network. */
    final Holdfast local(HoldfastOptions options) {
        return client(server.address(), options);
    }

    /** Whether a stage completes in the short time in which that would show. */
    static boolean completesSoon(CompletionStage<?> stage) throws InterruptedException, ExecutionException {
        try {
            stage.toCompletableFuture().get(SHORT.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** Waits until so many waiters of the lock are known to the server, those that are parked included. */
    final void awaitQueued(int count) {
        await(
                count + " are queued",
                () -> server.command("ZCARD", "hf:{a}:q").asLong()
                                + server.command("ZCARD", "hf:{a}:p").asLong()
                        == count);
    }

    /** Waits until nothing but the hold is left of the lock, and tombstones perhaps. */
    final void awaitNobodyQueued() {
        awaitNothingLeft(
                server,
                key -> !key.equals("hf:{a}") && !key.contains(":x:") && !key.contains(REPORTS)); // of who holds it
        assertEveryKeyExpires(server);
    }

    /** Waits until a client has heard all that it was answered so far: answers come in order. */
    static void awaitHeard(Holdfast holdfast) {
        holdfast.inspect().lock("a");
    }

    final void awaitParked(int count) {
        await(count + " are parked", () -> server.command("ZCARD", "hf:{a}:p").asLong() == count);
    }

    /** Waits until so many clients listen to messages, as the server sees it. */
    final void awaitListening(int count) {
        await(
                count + " clients listen",
                () -> server.command("PUBSUB", "CHANNELS", "hf:to:*").asList().size() == count);
    }

    /** Whether the server suspects a client not to hear its messages. */
    final boolean anyoneSuspect() {
        return server.command("HKEYS", "hf:{a}:d").asList().stream()
                .anyMatch(field -> field.asString().startsWith("@s:"));
    }

    /** The owner that the server knows as the holder; empty for none. */
    final String holder() {
        Reply hold = server.command("GET", "hf:{a}");
        return hold.isNull() ? "" : hold.asString().substring(0, hold.asString().indexOf('~'));
    }

    final void assertHeldBy(Lease lease) {
        assertTrue(lease.isValid(), () -> lease + " is not valid");
        await("the server agrees who holds", () -> holder().equals(lease.owner()));
    }

    final List<String> tombstones() {
        return keysButTokens(server).stream().filter(key -> key.contains(":x:")).toList();
    }

    /**
     * Waits until nothing but fencing tokens and tombstones is on the server. A tombstone stands for a request that ended
     * before all copies of its acquire were answered, as may happen to any that had to ask again.
     */
    final void awaitNothingButTombstones() {
        awaitNothingLeft(server, key -> !key.contains(":x:"));
        assertEveryKeyExpires(server);
    }

    /** Everything on the server that locks depend on, for comparisons. Times to live are not part of it. */
    final Map<String, String> contents() {
        Map<String, String> contents = new TreeMap<>();
        for (Reply key : server.command("KEYS", "*").asList()) {
            String name = key.asString();
            if (name.contains(REPORTS)) {
                continue;
            }
            Reply value = switch (server.command("TYPE", name).asString()) {
                case "hash" -> server.command("HGETALL", name);
                case "zset" -> server.command("ZRANGE", name, "0", "-1", "WITHSCORES");
                case "set" -> server.command("SMEMBERS", name);
                default -> server.command("GET", name);
            };
            contents.put(name, value.toString());
        }
        return contents;
    }
}
