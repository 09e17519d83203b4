package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

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
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of {@link RedisDriver} and {@link RedisDriverProvider} as tests against real servers. A driver's module
 * extends this class and names its provider. The server program must have TLS compiled in.
 */
@Timeout(60)
public abstract class DriverContract extends ConnectContract {
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

    // ---- messages

    @Test
    void subscribe_whenCompleted_isAcknowledgedByTheServer() {
        BlockingQueue<String> messages = subscribe(driver, "news");
        // Were the stage completed too early, nobody would receive this.
        assertEquals(1, server.command("PUBLISH", "news", "one").asLong());
        assertEquals("one", next(messages));
    }

    @Test
    void subscribe_manyMessages_arriveInOrder() {
        BlockingQueue<String> messages = subscribe(driver, "news");
        List<CompletionStage<Reply>> published = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            published.add(driver.send(Command.of("PUBLISH", "news", Integer.toString(i))));
        }
        published.forEach(reply -> assertEquals(1, get(reply).asLong()));
        for (int i = 0; i < 10_000; i++) {
            assertEquals(Integer.toString(i), next(messages));
        }
    }

    @Test
    void subscribe_payloadBeyondAsciiAndEmpty_survive() {
        BlockingQueue<String> messages = subscribe(driver, "néws-🔒");
        server.command("PUBLISH", "néws-🔒", "schlüssel – 錠前 – 🔒");
        server.command("PUBLISH", "néws-🔒", "");
        assertEquals("schlüssel – 錠前 – 🔒", next(messages));
        assertEquals("", next(messages));
    }

    @Test
    void subscribe_severalChannels_eachGetsItsOwnMessages() {
        BlockingQueue<String> a = subscribe(driver, "a");
        BlockingQueue<String> b = subscribe(driver, "b");
        server.command("PUBLISH", "a", "for a");
        server.command("PUBLISH", "b", "for b");
        assertEquals("for a", next(a));
        assertEquals("for b", next(b));
        assertTrue(a.isEmpty());
    }

    @Test
    void subscribe_nameThatLooksLikeAPattern_isTakenLiterally() {
        BlockingQueue<String> messages = subscribe(driver, "ne*[w]?");
        assertEquals(0, server.command("PUBLISH", "news", "not for us").asLong());
        assertEquals(1, server.command("PUBLISH", "ne*[w]?", "for us").asLong());
        assertEquals("for us", next(messages));
    }

    @Test
    void subscribe_notPermitted_isRejectedAndNothingIsSubscribed() {
        server.command("ACL", "SETUSER", "bob", "on", ">pw", "~*", "resetchannels", "&open", "+@all");
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, "bob", "pw", 0);
        try (RedisDriver bob = provider().connect(address, OPTIONS)) {
            assertRejected("NOPERM", bob.subscribe("shut", message -> fail("nothing may arrive")));
            assertEquals(0, server.command("PUBLISH", "shut", "x").asLong());
            BlockingQueue<String> messages = subscribe(bob, "open");
            server.command("PUBLISH", "open", "x");
            assertEquals("x", next(messages));
        }
    }

    @Test
    void subscribe_messageConnectionCannotBeOpened_failsUnknownAndNothingIsSubscribed() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS)) {
            proxy.refuse();
            assertUnknown(behind.subscribe("news", message -> fail("nothing may arrive")));
            proxy.accept();
            BlockingQueue<String> other = subscribe(behind, "other");
            assertEquals(0, server.command("PUBLISH", "news", "x").asLong());
            server.command("PUBLISH", "other", "y");
            assertEquals("y", next(other));
        }
    }

    @Test
    void subscribe_connectionLostBeforeTheAcknowledgement_failsUnknownAndNothingIsSubscribed() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS)) {
            CompletableFuture<Caught> trap =
                    proxy.onRequest(text -> text.equalsIgnoreCase("SUBSCRIBE news"), Fault.KILL_AFTER);
            CompletionStage<Void> subscribed = behind.subscribe("news", message -> fail("nothing may arrive"));
            get(trap);
            assertUnknown(subscribed);
            BlockingQueue<String> other = eventuallySubscribe(behind, "other");
            assertEquals(0, server.command("PUBLISH", "news", "x").asLong());
            server.command("PUBLISH", "other", "y");
            assertEquals("y", next(other));
        }
    }

    @Test
    void subscribe_callbackSendsCommand_works() {
        BlockingQueue<String> replies = new LinkedBlockingQueue<>();
        get(driver.subscribe(
                "news",
                message -> driver.send(Command.of("ECHO", "seen " + message))
                        .thenAccept(reply -> replies.add(reply.asString()))));
        server.command("PUBLISH", "news", "one");
        assertEquals("seen one", next(replies));
    }

    @Test
    void unsubscribe_whenCompleted_nothingArrivesAnyMore() {
        BlockingQueue<String> messages = subscribe(driver, "news");
        BlockingQueue<String> others = subscribe(driver, "other");
        get(driver.unsubscribe("news"));
        assertEquals(0, server.command("PUBLISH", "news", "late").asLong());
        assertEquals(1, server.command("PUBLISH", "other", "still").asLong());
        assertEquals("still", next(others));
        assertTrue(messages.isEmpty());
        BlockingQueue<String> again = subscribe(driver, "news");
        server.command("PUBLISH", "news", "again");
        assertEquals("again", next(again));
    }

    @Test
    void unsubscribe_noSubscription_isANoOp() {
        get(driver.unsubscribe("never"));
        subscribe(driver, "news");
        get(driver.unsubscribe("never"));
        assertEquals(1, server.command("PUBLISH", "news", "x").asLong());
    }

    @Test
    void unsubscribe_whileDown_completesAndIsNotRestored() {
        BlockingQueue<String> messages = subscribe(driver, "news");
        BlockingQueue<String> others = subscribe(driver, "other");
        server.kill();
        events.awaitMessages("down");
        get(driver.unsubscribe("news"));
        server.restart();
        events.awaitMessages("up");
        assertEquals(0, server.command("PUBLISH", "news", "x").asLong());
        server.command("PUBLISH", "other", "y");
        assertEquals("y", next(others));
        assertTrue(messages.isEmpty());
    }

    @Test
    void messages_connectionKilled_areSubscribedAgainBeforeUpIsReported() {
        List<BlockingQueue<String>> channels = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            channels.add(subscribe(driver, "news-" + i));
        }
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
        events.awaitMessages("down");
        events.awaitMessages("up");
        for (int i = 0; i < 20; i++) {
            assertEquals(1, server.command("PUBLISH", "news-" + i, "n" + i).asLong());
        }
        for (int i = 0; i < 20; i++) {
            assertEquals("n" + i, next(channels.get(i)));
        }
        assertNull(events.commandsSoon(), "the command connection was left alone");
    }

    @Test
    void messages_acknowledgementHeldBack_upIsNotReportedBeforeIt() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS)) {
            RecordedEvents seen = listen(behind);
            BlockingQueue<String> messages = subscribe(behind, "news");
            CompletableFuture<Caught> trap =
                    proxy.onRequest(text -> text.toUpperCase(Locale.ROOT).startsWith("SUBSCRIBE"), Fault.STALL_REPLY);
            assertEquals(1, proxy.killConnections(TcpProxy.Kind.MESSAGES));
            seen.awaitMessages("down");
            get(trap);
            assertNull(seen.messagesSoon());
            proxy.resume();
            seen.awaitMessages("up");
            server.command("PUBLISH", "news", "x");
            assertEquals("x", next(messages));
        }
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
