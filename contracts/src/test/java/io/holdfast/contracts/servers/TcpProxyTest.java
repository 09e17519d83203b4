package io.holdfast.contracts.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class TcpProxyTest {
    private static final Duration SHORT = Duration.ofMillis(50);

    private static RedisServer server;
    private TcpProxy proxy;
    private RespClient client;

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void closeServer() {
        server.close();
    }

    @BeforeEach
    void connect() {
        server.command("FLUSHALL");
        proxy = TcpProxy.to(server.port());
        client = RespClient.connect("127.0.0.1", proxy.port());
    }

    @AfterEach
    void close() {
        client.close();
        proxy.close();
    }

    @Test
    void pass_pipelinedCommandsAndLargeReply_arriveInOrder() {
        String large = "ü".repeat(500_000);
        client.send("SET", "k", large);
        client.send("GET", "k");
        client.send("EVAL", "return {1, {'a', false}}", "0");
        client.send("PING");
        assertEquals("OK", client.read().asString());
        assertEquals(large, client.read().asString());
        assertEquals("[1, [a, null]]", client.read().toString());
        assertEquals("PONG", client.read().asString());
    }

    @Test
    void stall_thenResume_deliversWhatWasHeld() {
        proxy.stall(Kind.ANY);
        client.send("SET", "k", "v");
        assertNoReply();
        assertTrue(server.command("GET", "k").isNull());
        proxy.resume();
        assertEquals("OK", client.read().asString());
    }

    @Test
    void stall_messagesOnly_leavesCommandsAlone() {
        try (RespClient subscriber = subscriber("news")) {
            proxy.stall(Kind.MESSAGES);
            assertEquals(1, client.command("PUBLISH", "news", "one").asLong());
            proxy.resume();
            assertEquals("[message, news, one]", subscriber.read().toString());
        }
    }

    @Test
    void dropReplies_thenResume_hasExecutedAndResetsTheConnection() throws Exception {
        proxy.dropReplies(Kind.ANY);
        CompletableFuture<Caught> seen = proxy.onRequest(text -> text.startsWith("SET"), Fault.NONE);
        client.send("SET", "k", "v");
        assertEquals("SET k v", get(seen).text());
        assertNoReply();
        assertEquals("v", server.command("GET", "k").asString());
        proxy.resume();
        assertThrows(DriverException.class, client::read);
        assertEquals(0, proxy.connections(Kind.ANY));
    }

    @Test
    void dropRequests_commandSent_neverReachesTheServer() {
        proxy.dropRequests(Kind.ANY);
        client.send("SET", "k", "v");
        assertNoReply();
        assertTrue(server.command("GET", "k").isNull());
    }

    @Test
    void killConnections_messagesOnly_leavesCommandsAlone() {
        try (RespClient subscriber = subscriber("news")) {
            assertEquals(1, proxy.connections(Kind.MESSAGES));
            assertEquals(1, proxy.killConnections(Kind.MESSAGES));
            assertThrows(DriverException.class, subscriber::read);
            assertEquals("PONG", client.command("PING").asString());
        }
    }

    @Test
    void silence_openConnections_carryNothingMoreAndStayOpen_andNewOnesAreWell() {
        client.command("SUBSCRIBE", "news");
        assertEquals(1, proxy.silence(Kind.MESSAGES));
        assertEquals(0, proxy.silence(Kind.COMMANDS));
        assertEquals(1, server.command("PUBLISH", "news", "x").asLong());
        assertNoReply();
        assertEquals(1, proxy.connections(Kind.MESSAGES));
        try (RespClient fresh = RespClient.connect("127.0.0.1", proxy.port())) {
            assertEquals(
                    "news", fresh.command("SUBSCRIBE", "news").asList().get(1).asString());
        }
    }

    @Test
    void refuse_newConnection_isRefusedUntilAccept() {
        assertEquals("PONG", client.command("PING").asString());
        proxy.refuse();
        assertThrows(DriverException.class, () -> RespClient.connect("127.0.0.1", proxy.port()));
        assertEquals("PONG", client.command("PING").asString());
        proxy.accept();
        try (RespClient again = RespClient.connect("127.0.0.1", proxy.port())) {
            assertEquals("PONG", again.command("PING").asString());
        }
    }

    @Test
    void delay_command_takesTheDelayTwice() {
        client.command("PING");
        proxy.delay(Kind.ANY, Duration.ofMillis(40));
        long begin = System.nanoTime();
        client.command("PING");
        assertTrue(System.nanoTime() - begin >= TimeUnit.MILLISECONDS.toNanos(80));
    }

    @Test
    void onRequest_dropReply_swallowsThatReplyAndNoEarlierOne() throws Exception {
        CompletableFuture<Caught> trap = proxy.onRequest(text -> text.contains("marked"), Fault.DROP_REPLY);
        client.send("PING");
        client.send("SET", "marked", "v");
        assertEquals("PONG", client.read().asString());
        get(trap);
        assertNoReply();
        assertEquals("v", server.command("GET", "marked").asString());
    }

    @Test
    void onRequest_killAfter_hasExecuted() throws Exception {
        CompletableFuture<Caught> trap = proxy.onRequest(text -> text.startsWith("INCR"), Fault.KILL_AFTER);
        client.send("INCR", "n");
        get(trap);
        assertThrows(DriverException.class, client::read);
        assertEquals("1", server.command("GET", "n").asString());
    }

    @Test
    void onRequest_killBefore_hasNotExecutedUntilDelivered() throws Exception {
        CompletableFuture<Caught> trap = proxy.onRequest(text -> text.startsWith("INCR"), Fault.KILL_BEFORE);
        client.send("INCR", "n");
        Caught caught = get(trap);
        assertThrows(DriverException.class, client::read);
        assertTrue(server.command("GET", "n").isNull());
        assertEquals(1, caught.deliver().asLong());
    }

    @Test
    void onRequest_noneThenDeliver_executesTwice() throws Exception {
        CompletableFuture<Caught> trap = proxy.onRequest(text -> text.startsWith("INCR"), Fault.NONE);
        assertEquals(1, client.command("INCR", "n").asLong());
        assertEquals(2, get(trap).deliver().asLong());
    }

    @Test
    void onRequest_stallReply_holdsItUntilResume() throws Exception {
        CompletableFuture<Caught> trap = proxy.onRequest(text -> text.startsWith("INCR"), Fault.STALL_REPLY);
        client.send("INCR", "n");
        get(trap);
        assertEquals("1", server.command("GET", "n").asString());
        assertNoReply();
        proxy.resume();
        assertEquals(1, client.read().asLong());
    }

    @Test
    void onRequest_stallRequest_holdsItUntilResume() throws Exception {
        CompletableFuture<Caught> trap = proxy.onRequest(text -> text.startsWith("INCR"), Fault.STALL_REQUEST);
        client.send("INCR", "n");
        get(trap);
        assertTrue(server.command("GET", "n").isNull());
        proxy.resume();
        assertEquals(1, client.read().asLong());
    }

    @Test
    void onRequest_twoTraps_springOnceEachInTheirOrder() throws Exception {
        CompletableFuture<Caught> first = proxy.onRequest(text -> text.startsWith("PING"), Fault.NONE);
        CompletableFuture<Caught> second = proxy.onRequest(text -> text.startsWith("PING"), Fault.NONE);
        client.command("PING", "1");
        assertEquals("PING 1", get(first).text());
        assertFalse(second.isDone());
        client.command("PING", "2");
        assertEquals("PING 2", get(second).text());
    }

    @Test
    void watch_requests_areShownInOrder() throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        proxy.watch(seen::add);
        client.command("PING");
        client.command("ECHO", "a b");
        assertEquals(List.of("PING", "ECHO a b"), List.copyOf(seen));
    }

    @Test
    void serverGone_openConnection_isClosed() {
        try (RedisServer other = RedisServer.start();
                TcpProxy front = TcpProxy.to(other.port());
                RespClient open = RespClient.connect("127.0.0.1", front.port())) {
            open.command("PING");
            other.kill();
            assertThrows(DriverException.class, open::read);
        }
    }

    private RespClient subscriber(String channel) {
        RespClient subscriber = RespClient.connect("127.0.0.1", proxy.port());
        assertEquals(
                "[subscribe, " + channel + ", 1]",
                subscriber.command("SUBSCRIBE", channel).toString());
        return subscriber;
    }

    /** Absence can only be shown by waiting a little. */
    private void assertNoReply() {
        client.readTimeout(SHORT);
        assertThrows(DriverException.class, client::read);
        client.readTimeout(RespClient.READ_TIMEOUT);
    }

    private static Caught get(CompletableFuture<Caught> trap) throws Exception {
        return trap.get(10, TimeUnit.SECONDS);
    }
}
