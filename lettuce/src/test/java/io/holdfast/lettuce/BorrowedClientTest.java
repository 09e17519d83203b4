package io.holdfast.lettuce;

import static io.holdfast.lettuce.Seen.assertUnknown;
import static io.holdfast.lettuce.Seen.get;
import static io.holdfast.lettuce.Seen.take;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.event.command.CommandListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client of the application's own, with Lettuce's default options: it reconnects, keeps commands and repeats them. */
final class BorrowedClientTest {
    private RedisServer server;
    private TcpProxy proxy;
    private RedisClient client;

    @BeforeEach
    void createClient() {
        server = RedisServer.start();
        proxy = TcpProxy.to(server.port());
        client = RedisClient.create(RedisURI.create("127.0.0.1", proxy.port()));
    }

    @AfterEach
    void close() {
        client.shutdown();
        proxy.close();
        server.close();
    }

    @Test
    void close_clientAndItsOtherConnections_stayUsable() throws Exception {
        StatefulRedisConnection<String, String> before = client.connect();
        RedisDriver driver = LettuceDriver.over(client);
        get(driver.subscribe("news", message -> {}));
        assertEquals("PONG", get(driver.send(Command.of("PING"))).asString());
        driver.close();
        assertEquals("PONG", before.sync().ping());
        assertEquals("PONG", client.connect().sync().ping());
        try (RedisDriver second = LettuceDriver.over(client)) {
            assertEquals("PONG", get(second.send(Command.of("PING"))).asString());
        }
    }

    @Test
    void send_replyLost_failsUnknownAndIsNotRepeated() throws Exception {
        try (RedisDriver driver = LettuceDriver.over(client)) {
            Seen seen = Seen.of(driver);
            CompletableFuture<Caught> trap = proxy.onRequest(text -> text.startsWith("INCR"), Fault.KILL_AFTER);
            CompletionStage<Reply> reply = driver.send(Command.of("INCR", "n"));
            get(trap);
            assertUnknown(reply);
            seen.next("commands down");
            seen.next("commands up");
            assertEquals("1", get(driver.send(Command.of("GET", "n"))).asString());
        }
    }

    @Test
    void send_manyUnderWayWhenTheConnectionBreaks_eachIsExecutedAtMostOnce() throws Exception {
        try (RedisDriver driver = LettuceDriver.over(client)) {
            Seen seen = Seen.of(driver);
            CompletableFuture<Caught> trap =
                    proxy.onRequest(text -> text.startsWith("APPEND k500 "), Fault.KILL_BEFORE);
            List<CompletionStage<Reply>> replies = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                replies.add(driver.send(Command.of("APPEND", "k" + i, "x")));
            }
            get(trap);
            seen.next("commands down");
            seen.next("commands up");
            for (int i = 0; i < 1000; i++) {
                CompletionStage<Reply> reply = replies.get(i);
                if (i >= 500) {
                    assertUnknown(reply);
                }
                get(reply.handle((value, failure) -> "ended"));
                long length = get(driver.send(Command.of("STRLEN", "k" + i))).asLong();
                assertTrue(length <= 1, "k" + i + " has " + length);
            }
        }
    }

    @Test
    void send_whileDown_failsAtOnceAndIsNotKept() throws Exception {
        try (RedisDriver driver = LettuceDriver.over(client)) {
            Seen seen = Seen.of(driver);
            server.kill();
            seen.next("commands down");
            for (int i = 0; i < 100; i++) {
                CompletionStage<Reply> reply = driver.send(Command.of("SET", "k" + i, "v"));
                assertTrue(reply.toCompletableFuture().isDone());
                assertUnknown(reply);
            }
            server.restart();
            seen.next("commands up");
            assertEquals(0, get(driver.send(Command.of("DBSIZE"))).asLong());
        }
    }

    @Test
    void send_connectionKilledByTheServer_failsUnknownAndComesUpAgain() throws Exception {
        try (RedisDriver driver = LettuceDriver.over(client)) {
            Seen seen = Seen.of(driver);
            CompletableFuture<Caught> passed = proxy.onRequest(text -> text.startsWith("BLPOP"), Fault.NONE);
            CompletionStage<Reply> blocked = driver.send(Command.of("BLPOP", "absent", "0"));
            get(passed);
            server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            assertUnknown(blocked);
            seen.next("commands down");
            seen.next("commands up");
            assertEquals("PONG", get(driver.send(Command.of("PING"))).asString());
        }
    }

    @Test
    void send_takesLongerThanTheConnectionsTimeout_isNotCutOff() throws Exception {
        RedisURI impatient = RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(proxy.port())
                .withTimeout(Duration.ofMillis(500))
                .build();
        try (RedisDriver driver = LettuceDriver.over(client, impatient)) {
            assertTrue(get(driver.send(Command.of("BLPOP", "absent", "0.8"))).isNull());
        }
    }

    @Test
    void messages_connectionKilled_areSubscribedAgain() throws Exception {
        try (RedisDriver driver = LettuceDriver.over(client)) {
            Seen seen = Seen.of(driver);
            BlockingQueue<String> messages = new LinkedBlockingQueue<>();
            get(driver.subscribe("news", messages::add));
            server.command("CLIENT", "KILL", "TYPE", "pubsub");
            seen.next("messages down");
            seen.next("messages up");
            assertEquals(1, server.command("PUBLISH", "news", "x").asLong());
            assertEquals("x", take(messages));
            assertTrue(seen.isEmpty());
        }
    }

    /** Lettuce wraps what writes to the server, as often as the client's options and listeners demand. */
    @Test
    void reconnect_clientWithTimeoutsAndListeners_breaksBothConnections() throws Exception {
        client.setOptions(ClientOptions.builder()
                .timeoutOptions(TimeoutOptions.enabled(Duration.ofSeconds(30)))
                .build());
        client.addListener(new CommandListener() {});
        try (RedisDriver driver = LettuceDriver.over(client)) {
            get(driver.subscribe("news", message -> {}));
            BlockingQueue<String> commands = new LinkedBlockingQueue<>();
            BlockingQueue<String> messages = new LinkedBlockingQueue<>();
            driver.listen(new ConnectionListener() {
                @Override
                public void commandsDown() {
                    commands.add("down");
                }

                @Override
                public void commandsUp() {
                    commands.add("up");
                }

                @Override
                public void messagesDown() {
                    messages.add("down");
                }

                @Override
                public void messagesUp() {
                    messages.add("up");
                }
            });
            driver.reconnect();
            for (String event : List.of("down", "up")) {
                assertEquals(event, take(commands));
                assertEquals(event, take(messages));
            }
            assertEquals("PONG", get(driver.send(Command.of("PING"))).asString());
        }
    }

    @Test
    void over_nobodyListens_isUnknown() {
        proxy.refuse();
        DriverException e = assertThrows(DriverException.class, () -> LettuceDriver.over(client));
        assertEquals(DriverException.Kind.UNKNOWN, e.kind());
        assertEquals("no connection to 127.0.0.1:" + proxy.port() + ": Connection refused", e.getMessage());
    }

    @Test
    void over_passwordMissing_isRejected() {
        server.command("CONFIG", "SET", "requirepass", "secret");
        DriverException e = assertThrows(DriverException.class, () -> LettuceDriver.over(client));
        assertEquals("NOAUTH", e.code());
    }

    @Test
    void over_autoReconnectOff_isRefused() {
        client.setOptions(ClientOptions.builder().autoReconnect(false).build());
        assertThrows(IllegalArgumentException.class, () -> LettuceDriver.over(client));
    }

    @Test
    void over_clientWithoutServer_needsOne() throws Exception {
        try (RedisClient homeless = RedisClient.create()) {
            assertThrows(IllegalStateException.class, () -> LettuceDriver.over(homeless));
            try (RedisDriver driver =
                    LettuceDriver.over(homeless, RedisURI.create("redis://127.0.0.1:" + proxy.port()))) {
                get(driver.subscribe("news", message -> {}));
                assertEquals("PONG", get(driver.send(Command.of("PING"))).asString());
            }
        }
    }

    @Test
    void describe_clientsOwnServer_isTheAddressReached() {
        try (RedisDriver driver = LettuceDriver.over(client)) {
            assertEquals("127.0.0.1:" + proxy.port(), driver.describe());
        }
    }

    @Test
    void describe_uriWithPassword_namesHostAndPortOnly() {
        server.command("CONFIG", "SET", "requirepass", "secret");
        RedisURI uri = RedisURI.create("redis://:secret@localhost:" + proxy.port() + "/2");
        try (RedisDriver driver = LettuceDriver.over(client, uri)) {
            assertEquals("localhost:" + proxy.port(), driver.describe());
        }
    }

    @Test
    void clientShutDownFirst_everythingFailsUnknownAndCloseIsQuiet() throws Exception {
        RedisDriver driver = LettuceDriver.over(client);
        get(driver.subscribe("news", message -> {}));
        CompletionStage<Reply> blocked = driver.send(Command.of("BLPOP", "absent", "0"));
        client.shutdown();
        assertUnknown(blocked);
        assertUnknown(driver.send(Command.of("PING")));
        assertUnknown(driver.subscribe("other", message -> {}));
        get(driver.unsubscribe("news"));
        driver.close();
        assertFalse(server.command("CLIENT", "LIST").asString().contains("flags=P"));
    }
}
