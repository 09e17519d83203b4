package io.holdfast.lettuce;

import static io.holdfast.lettuce.Seen.assertUnknown;
import static io.holdfast.lettuce.Seen.failure;
import static io.holdfast.lettuce.Seen.get;
import static io.holdfast.lettuce.Seen.take;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

final class MessagesTest {
    private RedisServer server;
    private TcpProxy proxy;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        proxy = TcpProxy.to(server.port());
    }

    @AfterEach
    void close() {
        proxy.close();
        server.close();
    }

    @Test
    void subscribe_whileSubscribingAgain_failsAtOnce() throws Exception {
        try (RedisDriver driver = connect()) {
            Seen seen = Seen.of(driver);
            get(driver.subscribe("news", message -> {}));
            CompletableFuture<Caught> held = proxy.onRequest(MessagesTest::isSubscribe, Fault.STALL_REPLY);
            proxy.killConnections(TcpProxy.Kind.MESSAGES);
            seen.next("messages down");
            get(held);
            assertUnknown(driver.subscribe("other", message -> {}));
            proxy.resume();
            seen.next("messages up");
            get(driver.subscribe("other", message -> {}));
        }
    }

    @Test
    void unsubscribe_whileSubscribingAgain_isGoneWhenUp() throws Exception {
        try (RedisDriver driver = connect()) {
            Seen seen = Seen.of(driver);
            get(driver.subscribe("news", message -> {}));
            get(driver.subscribe("other", message -> {}));
            CompletableFuture<Caught> held = proxy.onRequest(MessagesTest::isSubscribe, Fault.STALL_REPLY);
            proxy.killConnections(TcpProxy.Kind.MESSAGES);
            seen.next("messages down");
            get(held);
            get(driver.unsubscribe("news"));
            proxy.resume();
            seen.next("messages up");
            assertEquals(0, server.command("PUBLISH", "news", "x").asLong());
            assertEquals(1, server.command("PUBLISH", "other", "x").asLong());
        }
    }

    @Test
    void subscribe_again_replacesTheReceiver() throws Exception {
        try (RedisDriver driver = connect()) {
            BlockingQueue<String> first = new LinkedBlockingQueue<>();
            BlockingQueue<String> second = new LinkedBlockingQueue<>();
            get(driver.subscribe("news", first::add));
            get(driver.subscribe("news", second::add));
            assertEquals(1, server.command("PUBLISH", "news", "x").asLong());
            assertEquals("x", take(second));
            assertTrue(first.isEmpty());
        }
    }

    @Test
    void subscribeAndUnsubscribe_inTurnsWithoutWaiting_theLastOneCounts() throws Exception {
        try (RedisDriver driver = connect()) {
            List<CompletionStage<Void>> stages = new ArrayList<>();
            BlockingQueue<String> messages = new LinkedBlockingQueue<>();
            for (int i = 0; i < 50; i++) {
                stages.add(driver.subscribe("stays", messages::add));
                stages.add(driver.subscribe("goes", message -> {}));
                stages.add(driver.unsubscribe("stays"));
                stages.add(driver.unsubscribe("goes"));
            }
            stages.add(driver.subscribe("stays", messages::add));
            for (CompletionStage<Void> stage : stages) {
                get(stage);
            }
            assertEquals(0, server.command("PUBLISH", "goes", "x").asLong());
            assertEquals(1, server.command("PUBLISH", "stays", "x").asLong());
            assertEquals("x", take(messages));
        }
    }

    @Test
    void messages_permissionTakenAway_upIsReportedWhenItIsBack() throws Exception {
        server.command("ACL", "SETUSER", "bob", "on", ">pw", "~*", "resetchannels", "&news", "+@all");
        RedisAddress asBob = new RedisAddress("127.0.0.1", proxy.port(), false, "bob", "pw", 0);
        try (RedisDriver driver = new LettuceDriverProvider().connect(asBob, ConnectOptions.defaults())) {
            Seen seen = Seen.of(driver);
            BlockingQueue<String> messages = new LinkedBlockingQueue<>();
            get(driver.subscribe("news", messages::add));
            CompletableFuture<Caught> tried = proxy.onRequest(MessagesTest::isSubscribe, Fault.NONE);
            // The server itself breaks the connection of a subscriber who loses the permission.
            server.command("ACL", "SETUSER", "bob", "resetchannels");
            seen.next("messages down");
            get(tried);
            server.command("ACL", "SETUSER", "bob", "&news");
            seen.next("messages up");
            server.command("PUBLISH", "news", "x");
            assertEquals("x", take(messages));
            assertEquals(
                    "NOPERM", failure(driver.subscribe("shut", message -> {})).code());
        }
    }

    @Test
    void respTwo_killedWithManyChannels_allAreBackWhenUp() throws Exception {
        try (RedisClient client = RedisClient.create(proxy.address().toString())) {
            client.setOptions(ClientOptions.builder()
                    .protocolVersion(ProtocolVersion.RESP2)
                    .build());
            try (RedisDriver driver = LettuceDriver.over(client)) {
                Seen seen = Seen.of(driver);
                BlockingQueue<String> messages = new LinkedBlockingQueue<>();
                for (int i = 0; i < 20; i++) {
                    get(driver.subscribe("news-" + i, messages::add));
                }
                for (int round = 0; round < 3; round++) {
                    server.command("CLIENT", "KILL", "TYPE", "pubsub");
                    seen.next("messages down");
                    seen.next("messages up");
                    for (int i = 0; i < 20; i++) {
                        assertEquals(
                                1,
                                server.command("PUBLISH", "news-" + i, "x" + i).asLong());
                        assertEquals("x" + i, take(messages));
                    }
                    get(driver.unsubscribe("news-19"));
                    get(driver.subscribe("news-19", messages::add));
                }
            }
        }
    }

    @Test
    @ResourceLock("default uncaught exception handler")
    void message_receiverThrows_othersStillGetTheirs() throws Exception {
        Thread.UncaughtExceptionHandler usual = Thread.getDefaultUncaughtExceptionHandler();
        BlockingQueue<Throwable> reported = new LinkedBlockingQueue<>();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> reported.add(failure));
        try (RedisDriver driver = connect()) {
            BlockingQueue<String> messages = new LinkedBlockingQueue<>();
            IllegalStateException thrown = new IllegalStateException("from a receiver");
            get(driver.subscribe("bad", message -> {
                throw thrown;
            }));
            get(driver.subscribe("good", messages::add));
            server.command("PUBLISH", "bad", "x");
            server.command("PUBLISH", "good", "y");
            assertEquals("y", take(messages));
            assertEquals(thrown, take(reported));
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(usual);
        }
    }

    private RedisDriver connect() {
        return new LettuceDriverProvider().connect(proxy.address(), ConnectOptions.defaults());
    }

    private static boolean isSubscribe(String request) {
        return request.toUpperCase(Locale.ROOT).startsWith("SUBSCRIBE");
    }
}
