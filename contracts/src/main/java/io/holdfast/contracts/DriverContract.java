package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.DriverException.Kind;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of {@link RedisDriver} and {@link RedisDriverProvider} as tests against real servers: commands and
 * connections. A driver's module extends this class and names its provider. The server program must have TLS compiled
 * in.
 */
@Timeout(60)
public class DriverContract extends ConnectContract {
    /** For the classes of the drivers. */
    protected DriverContract() {}

    // ---- commands: replies

    @Test
    void send_everyKindOfReply_isRead() {
        assertEquals("OK", send("SET", "k", "v").asString());
        assertEquals("v", send("GET", "k").asString());
        assertTrue(send("GET", "absent").isNull());
        assertTrue(send("BLPOP", "absent", "0.01").isNull());
        assertEquals(-1, send("PTTL", "k").asLong());
        assertEquals(
                Long.MAX_VALUE,
                send("INCRBY", "n", Long.toString(Long.MAX_VALUE)).asLong());
        assertEquals("", send("ECHO", "").asString());
        assertEquals("a\r\nb", send("ECHO", "a\r\nb").asString());
        Reply nested = send("EVAL", "return {1, {'a', false, {}}, 'b'}", "0");
        assertTrue(nested.isList());
        assertEquals(3, nested.asList().size());
        assertEquals("[1, [a, null, []], b]", nested.toString());
        assertTrue(send("KEYS", "absent*").asList().isEmpty());
    }

    @Test
    void send_mapAndDouble_haveTheirRespTwoShape() {
        send("HSET", "h", "field", "value");
        assertEquals("[field, value]", send("HGETALL", "h").toString());
        send("ZADD", "z", "1.5", "member");
        assertEquals("1.5", send("ZSCORE", "z", "member").asString());
    }

    @Test
    void send_textBeyondAscii_survives() {
        String text = "schlüssel – 錠前 – 🔒";
        send("SET", text, text);
        assertEquals(text, send("GET", text).asString());
        assertEquals(text, server.command("GET", text).asString());
    }

    @Test
    void send_megabyteArgumentAndReply_survive() {
        String large = "0123456789abcdef".repeat(65_536);
        send("SET", "k", large);
        assertEquals(large, send("GET", "k").asString());
    }

    @Test
    void send_errorReply_isRejectedWithItsCodeAndTheConnectionWorks() {
        send("SET", "text", "v");
        assertRejected("WRONGTYPE", driver.send(Command.of("LPUSH", "text", "v")));
        assertRejected("NOSCRIPT", driver.send(Command.of("EVALSHA", "0".repeat(40), "0")));
        assertRejected("ERR", driver.send(Command.of("NO-SUCH-COMMAND")));
        assertRejected("MINE", driver.send(Command.of("EVAL", "return redis.error_reply('MINE own text')", "0")));
        assertEquals("PONG", send("PING").asString());
        assertNull(events.commandsSoon());
    }

    @Test
    void send_rejected_keepsTheServersText() {
        DriverException e = failure(driver.send(Command.of("EVAL", "return redis.error_reply('MINE own text')", "0")));
        assertTrue(String.valueOf(e.getMessage()).startsWith("MINE own text"), e.toString());
    }

    // ---- commands: order and threads

    @Test
    void send_fromOneThread_isExecutedInOrder() {
        List<CompletionStage<Reply>> replies = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            replies.add(driver.send(Command.of("RPUSH", "list", Integer.toString(i))));
        }
        for (int i = 0; i < 1000; i++) {
            assertEquals(i + 1, get(replies.get(i)).asLong());
        }
        assertEquals(
                IntStream.range(0, 1000).mapToObj(Integer::toString).toList().toString(),
                send("LRANGE", "list", "0", "-1").toString());
    }

    @Test
    void send_tenThousandFromManyThreads_eachGetsItsOwnReply() throws Exception {
        int threads = 16;
        int each = 625;
        ExecutorService senders = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                String list = "list-" + t;
                running.add(senders.submit(() -> {
                    List<CompletionStage<Reply>> replies = new ArrayList<>();
                    for (int i = 0; i < each; i++) {
                        replies.add(driver.send(Command.of("RPUSH", list, "v")));
                        replies.add(driver.send(Command.of("ECHO", list + "/" + i)));
                    }
                    for (int i = 0; i < each; i++) {
                        assertEquals(i + 1, get(replies.get(2 * i)).asLong());
                        assertEquals(list + "/" + i, get(replies.get(2 * i + 1)).asString());
                    }
                }));
            }
            for (Future<?> thread : running) {
                thread.get(LONG.toMillis(), TimeUnit.MILLISECONDS);
            }
        } finally {
            senders.shutdownNow();
        }
    }

    @Test
    void send_fromCallbackOfTheDriver_works() {
        CompletionStage<Reply> chained = driver.send(Command.of("INCR", "n"))
                .thenCompose(first -> driver.send(Command.of("INCR", "n")))
                .thenCompose(second -> driver.send(Command.of("INCR", "n")));
        assertEquals(3, get(chained).asLong());
    }

    // ---- commands: broken connections

    @Test
    void send_connectionKilledWhileUnderWay_failsUnknownAndComesUpAgain() {
        CompletionStage<Reply> blocked = driver.send(Command.of("BLPOP", "absent", "0"));
        awaitTrue(() -> clients().contains("cmd=blpop"));
        server.command("CLIENT", "KILL", "TYPE", "normal");
        assertUnknown(blocked);
        events.awaitCommands("down");
        events.awaitCommands("up");
        assertEquals("PONG", send("PING").asString());
    }

    @Test
    void send_replyLost_failsUnknownAndIsNotRepeated() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS)) {
            RecordedEvents seen = listen(behind);
            CompletableFuture<Caught> trap = proxy.onRequest(text -> text.startsWith("INCR"), Fault.KILL_AFTER);
            CompletionStage<Reply> reply = behind.send(Command.of("INCR", "n"));
            get(trap);
            assertUnknown(reply);
            seen.awaitCommands("down");
            seen.awaitCommands("up");
            assertEquals("1", get(behind.send(Command.of("GET", "n"))).asString());
        }
    }

    @Test
    void send_requestLost_failsUnknownAndIsNotRepeated() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS)) {
            RecordedEvents seen = listen(behind);
            CompletableFuture<Caught> trap = proxy.onRequest(text -> text.startsWith("INCR"), Fault.KILL_BEFORE);
            CompletionStage<Reply> reply = behind.send(Command.of("INCR", "n"));
            get(trap);
            assertUnknown(reply);
            seen.awaitCommands("down");
            seen.awaitCommands("up");
            assertTrue(get(behind.send(Command.of("GET", "n"))).isNull());
        }
    }

    @Test
    void send_whileDown_failsAtOnceAndIsNotKeptForLater() {
        server.kill();
        events.awaitCommands("down");
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Reply> reply =
                    driver.send(Command.of("SET", "k" + i, "v")).toCompletableFuture();
            assertUnknown(reply.orTimeout(1, TimeUnit.SECONDS));
        }
        server.restart();
        events.awaitCommands("up");
        assertEquals(0, send("DBSIZE").asLong());
    }

    @Test
    void send_afterReconnect_isOnTheSameDatabaseWithTheSameNameAndUser() {
        server.command("ACL", "SETUSER", "alice", "on", ">pa ss", "~*", "&*", "+@all");
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, "alice", "pa ss", 3);
        try (RedisDriver other = provider().connect(address, new ConnectOptions(LONG, "renamed"))) {
            RecordedEvents seen = listen(other);
            server.command("CLIENT", "KILL", "USER", "alice");
            seen.awaitCommands("down");
            seen.awaitCommands("up");
            assertEquals("alice", get(other.send(Command.of("ACL", "WHOAMI"))).asString());
            assertEquals(
                    "renamed", get(other.send(Command.of("CLIENT", "GETNAME"))).asString());
            get(other.send(Command.of("SET", "k", "v")));
            assertTrue(server.command("GET", "k").isNull());
            assertTrue(server.command("INFO", "keyspace").asString().contains("db3:"));
        }
    }

    @Test
    void send_serverFrozen_doesNotBlockAndIsAnsweredAfterThaw() {
        server.freeze();
        List<CompletionStage<Reply>> replies = new ArrayList<>();
        assertTimeoutPreemptively(Duration.ofSeconds(2), () -> {
            for (int i = 0; i < 100; i++) {
                replies.add(driver.send(Command.of("INCR", "n")));
            }
        });
        assertFalse(replies.get(0).toCompletableFuture().isDone());
        server.thaw();
        for (int i = 0; i < 100; i++) {
            assertEquals(i + 1, get(replies.get(i)).asLong());
        }
    }

    @Test
    void send_serverFrozenAndBuffersFull_stillDoesNotBlock() {
        server.freeze();
        String tenKilobytes = "x".repeat(10_240);
        List<CompletionStage<Reply>> replies = new ArrayList<>();
        // 30 MB: more than the kernel takes for a process that does not read.
        assertTimeoutPreemptively(Duration.ofSeconds(5), () -> {
            for (int i = 0; i < 3_000; i++) {
                replies.add(driver.send(Command.of("SET", "k", tenKilobytes)));
            }
        });
        server.thaw();
        for (CompletionStage<Reply> reply : replies) {
            // A driver may bound what it holds back, and fail the rest; it may not lose one.
            Outcome<Reply> outcome = outcome(reply);
            if (outcome.failure() == null) {
                assertEquals("OK", String.valueOf(outcome.value()));
            } else {
                assertEquals(Kind.UNKNOWN, failure(reply).kind());
            }
        }
        assertEquals("PONG", send("PING").asString());
    }

    // ---- connections

    @Test
    void listen_connectionUpAlready_isNotReported() {
        subscribe(driver, "news");
        send("PING");
        assertNull(events.commandsSoon());
        assertNull(events.messagesSoon());
    }

    @Test
    void connections_serverKilledAndRestarted_bothComeUpByThemselves() {
        BlockingQueue<String> messages = subscribe(driver, "news");
        for (int i = 0; i < 3; i++) {
            server.kill();
            events.awaitCommands("down");
            events.awaitMessages("down");
            server.restart();
            events.awaitCommands("up");
            events.awaitMessages("up");
            assertEquals("PONG", send("PING").asString());
            server.command("PUBLISH", "news", "x");
            assertEquals("x", next(messages));
        }
    }

    @Test
    void reconnect_connectionsSilent_breaksThemAndBothComeBack() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS)) {
            RecordedEvents seen = listen(behind);
            BlockingQueue<String> messages = subscribe(behind, "news");
            // Each of the two present connections swallows what comes after this.
            proxy.onRequest(text -> text.startsWith("INCR"), Fault.DROP_REPLY);
            CompletionStage<Reply> swallowed = behind.send(Command.of("INCR", "n"));
            awaitTrue(() -> server.command("EXISTS", "n").asLong() == 1);
            assertNull(seen.commandsSoon());
            behind.reconnect();
            assertUnknown(swallowed);
            seen.awaitCommands("down");
            seen.awaitMessages("down");
            seen.awaitCommands("up");
            seen.awaitMessages("up");
            assertEquals("1", get(behind.send(Command.of("GET", "n"))).asString());
            server.command("PUBLISH", "news", "x");
            assertEquals("x", next(messages));
        }
    }

    @Test
    void reconnect_connectionsDownOrDriverClosed_doesNothing() {
        subscribe(driver, "news");
        server.kill();
        events.awaitCommands("down");
        events.awaitMessages("down");
        driver.reconnect();
        server.restart();
        events.awaitCommands("up");
        events.awaitMessages("up");
        driver.close();
        driver.reconnect();
        assertNull(events.commandsSoon());
        assertNull(events.messagesSoon());
    }

    @Test
    void connections_byTheServersList_bearTheName() {
        subscribe(driver, "news");
        long named = clients()
                .lines()
                .filter(line -> line.contains(" name=holdfast "))
                .count();
        assertEquals(2, named, clients());
    }

    @Test
    void describe_anyDriver_namesHostAndPortAndNoPassword() {
        server.command("CONFIG", "SET", "requirepass", "open-sesame");
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, null, "open-sesame", 0);
        try (RedisDriver other = provider().connect(address, OPTIONS)) {
            assertTrue(other.describe().contains("127.0.0.1:" + server.port()), other.describe());
            assertFalse(other.describe().contains("open-sesame"), other.describe());
        }
    }

    @Test
    void partition_singleServer_isZero() {
        assertEquals(0, driver.partition("a"));
        assertEquals(0, driver.partition("{b}c"));
    }

    // ---- close

    @Test
    void close_commandUnderWay_failsUnknown() {
        CompletionStage<Reply> blocked = driver.send(Command.of("BLPOP", "absent", "0"));
        driver.close();
        assertUnknown(blocked);
    }

    @Test
    void close_afterwards_everythingFailsUnknownAndNothingThrows() {
        subscribe(driver, "news");
        driver.close();
        assertUnknown(driver.send(Command.of("PING")));
        assertUnknown(driver.subscribe("news", message -> {}));
        get(driver.unsubscribe("news"));
        assertDoesNotThrow(driver::close);
    }

    @Test
    void close_connections_areGoneFromTheServer() {
        subscribe(driver, "news");
        driver.close();
        awaitTrue(() -> !clients().contains("name=holdfast"));
    }

    @Test
    void close_serverGone_returnsSoonAndStopsReconnecting() {
        subscribe(driver, "news");
        server.kill();
        events.awaitCommands("down");
        assertTimeoutPreemptively(LONG, driver::close);
        server.restart();
        assertNull(events.commandsSoon());
        assertFalse(clients().contains("name=holdfast"));
    }

    @Test
    void close_fromCallbackOfTheDriver_returns() {
        CompletionStage<Void> closed =
                driver.send(Command.of("BLPOP", "list", "0")).thenAccept(reply -> driver.close());
        server.command("RPUSH", "list", "v");
        get(closed);
        assertUnknown(driver.send(Command.of("PING")));
    }

    @Test
    void close_afterUse_leavesNoThreadBehind() {
        // The driver of the set-up has started what the JVM and the client library start once and keep.
        subscribe(driver, "news");
        driver.close();
        awaitTrue(() -> threads().stream().noneMatch(this::isDriverThread));
        Set<Thread> before = threads();
        RedisDriver other = provider().connect(server.address(), OPTIONS);
        subscribe(other, "news");
        get(other.send(Command.of("PING")));
        assertTrue(
                threads().stream().anyMatch(thread -> !before.contains(thread) && isDriverThread(thread)),
                "the driver was expected to have a thread of its own");
        other.close();
        awaitTrue(() -> threads().stream().noneMatch(thread -> !before.contains(thread) && isDriverThread(thread)));
    }
}
