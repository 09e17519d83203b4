package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.FreePort;
import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.contracts.servers.TlsFiles;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.DriverException.Kind;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/**
 * What {@link RedisDriver} promises of sharded channels and of second connections, as tests against a real server that
 * serves all slots of a cluster until a test takes one away. The tests share it, since a cluster needs seconds to form.
 */
@Timeout(60)
@TestInstance(Lifecycle.PER_CLASS)
public abstract class ShardChannelContract extends DriverFixture {
    private static final String[] CLUSTERED = {"--cluster-enabled", "yes", "--cluster-require-full-coverage", "no"};

    private RedisServer shared;
    private List<RedisDriver> opened;
    private List<String> takenAway;

    /** For the classes of the drivers. */
    protected ShardChannelContract() {}

    /** A subscription to a sharded channel, as its receiver sees it. */
    private record Shard(String channel, BlockingQueue<String> messages, BlockingQueue<String> ends) {}

    @BeforeAll
    void startCluster() {
        shared = RedisServer.start(CLUSTERED);
        serveAll(shared);
    }

    @AfterAll
    void closeCluster() {
        shared.close();
    }

    @Override
    @BeforeEach
    void connectToFreshServer() {
        loadTheClient();
        server = shared;
        opened = new ArrayList<>();
        takenAway = new ArrayList<>();
        driver = provider().connect(server.address(), OPTIONS);
        events = listen(driver);
    }

    @Override
    @AfterEach
    void closeDriverAndServer() {
        opened.forEach(RedisDriver::close);
        driver.close();
        takenAway.forEach(slot -> server.command("CLUSTER", "ADDSLOTS", slot));
        awaitTrue(() -> !clients().contains("name=holdfast"));
    }

    // ---- subscribing

    @Test
    void subscribeShard_whenCompleted_isAcknowledgedByTheServer() {
        Shard shard = subscribeShard(driver, "{a}");
        assertEquals(1, publish("{a}", "one"));
        assertEquals("one", next(shard.messages));
    }

    @Test
    void subscribeShard_manyMessages_arriveInOrder() {
        Shard shard = subscribeShard(driver, "{a}");
        List<CompletionStage<Reply>> published = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            published.add(driver.send(Command.of("SPUBLISH", "{a}", Integer.toString(i))));
        }
        published.forEach(reply -> assertEquals(1, get(reply).asLong()));
        for (int i = 0; i < 5_000; i++) {
            assertEquals(Integer.toString(i), next(shard.messages));
        }
    }

    @Test
    void subscribeShard_channelsOfSeveralSlots_eachGetsItsOwnMessages() {
        assertFalse(slot("{a}").equals(slot("{b}")));
        Shard a = subscribeShard(driver, "{a}");
        Shard b = subscribeShard(driver, "{b}");
        publish("{a}", "for a");
        publish("{b}", "schlüssel – 🔒");
        assertEquals("for a", next(a.messages));
        assertEquals("schlüssel – 🔒", next(b.messages));
        assertTrue(a.messages.isEmpty());
    }

    @Test
    void subscribeShard_normalChannelOfTheSameName_isAnotherChannel() {
        BlockingQueue<String> normal = subscribe(driver, "{a}");
        Shard shard = subscribeShard(driver, "{a}");
        server.command("PUBLISH", "{a}", "normal");
        publish("{a}", "sharded");
        assertEquals("normal", next(normal));
        assertEquals("sharded", next(shard.messages));
        get(driver.unsubscribeShard("{a}"));
        assertEquals(0, publish("{a}", "late"));
        assertEquals(1, server.command("PUBLISH", "{a}", "still").asLong());
        assertEquals("still", next(normal));
        subscribeShard(driver, "{a}");
        get(driver.unsubscribe("{a}"));
        assertEquals(0, server.command("PUBLISH", "{a}", "late").asLong());
        assertEquals(1, publish("{a}", "still"));
        assertTrue(normal.isEmpty());
        assertTrue(shard.messages.isEmpty());
    }

    @Test
    void subscribeShard_again_replacesTheReceiver() {
        Shard first = subscribeShard(driver, "{a}");
        Shard second = subscribeShard(driver, "{a}");
        assertEquals(1, publish("{a}", "x"));
        assertEquals("x", next(second.messages));
        takeAway("{a}");
        assertEquals("ended", next(second.ends));
        assertTrue(first.messages.isEmpty());
        assertTrue(first.ends.isEmpty());
    }

    @Test
    void subscribeShard_slotNotServed_isRejectedAndNothingIsSubscribed() {
        Shard b = subscribeShard(driver, "{b}");
        takeAway("{a}");
        Shard a = shard("{a}");
        assertRejected("CLUSTERDOWN", subscribe(driver, a));
        giveBack();
        assertEquals(0, publish("{a}", "x"));
        publish("{b}", "y");
        assertEquals("y", next(b.messages));
        assertTrue(a.ends.isEmpty());
        assertNull(events.messagesSoon());
    }

    @Test
    void subscribeShard_notPermitted_isRejected() {
        RedisDriver bob = connectAs("bob", "&open", server.address());
        assertRejected("NOPERM", subscribe(bob, shard("shut")));
        Shard open = subscribeShard(bob, "open");
        publish("open", "x");
        assertEquals("x", next(open.messages));
        assertEquals(0, publish("shut", "x"));
    }

    @Test
    void subscribeShard_connectionLostBeforeTheAcknowledgement_failsUnknownAndIsNotRestored() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            RecordedEvents seen = listen(behind);
            Shard b = subscribeShard(behind, "{b}");
            CompletableFuture<Caught> trap = proxy.onRequest(is("SSUBSCRIBE {a}"), Fault.KILL_AFTER);
            Shard a = shard("{a}");
            CompletionStage<Void> subscribed = subscribe(behind, a);
            get(trap);
            assertUnknown(subscribed);
            seen.awaitMessages("down");
            seen.awaitMessages("up");
            assertEquals(0, publish("{a}", "x"));
            assertEquals(1, publish("{b}", "x"));
            assertEquals("x", next(b.messages));
            assertTrue(a.ends.isEmpty());
        }
    }

    @Test
    void subscribeShard_whileOthersAreSent_errorsAndAcknowledgementsFindTheirRequests() {
        subscribe(driver, "normal");
        Shard busy = subscribeShard(driver, "{busy}");
        takeAway("{a}");
        List<CompletionStage<Reply>> published = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            for (int j = 0; j < 5; j++) {
                published.add(driver.send(Command.of("SPUBLISH", "{busy}", "x")));
            }
            CompletionStage<Void> rejected = subscribe(driver, shard("{a}" + i));
            CompletionStage<Void> accepted = subscribe(driver, shard("{b}" + i));
            CompletionStage<Void> left = driver.unsubscribeShard("{b}" + i);
            CompletionStage<Void> normal = driver.subscribe("n" + i, message -> {});
            assertRejected("CLUSTERDOWN", rejected);
            get(accepted);
            get(left);
            get(normal);
        }
        published.forEach(reply -> assertEquals(1, get(reply).asLong()));
        assertEquals(List.of("{busy}"), shardChannels());
        for (int i = 0; i < 1_000; i++) {
            assertEquals("x", next(busy.messages));
        }
    }

    @Test
    void subscribeShard_messagesComeBeforeTheRejection_isRejected() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            Shard b = subscribeShard(behind, "{b}");
            takeAway("{a}");
            CompletableFuture<Caught> trap = proxy.onRequest(is("SSUBSCRIBE {a}"), Fault.STALL_REQUEST);
            CompletionStage<Void> rejected = subscribe(behind, shard("{a}"));
            get(trap);
            for (int i = 0; i < 3; i++) {
                publish("{b}", "x");
                assertEquals("x", next(b.messages));
            }
            assertFalse(rejected.toCompletableFuture().isDone());
            proxy.resume();
            assertRejected("CLUSTERDOWN", rejected);
            subscribeShard(behind, "{b}2");
        }
    }

    // ---- unsubscribing

    @Test
    void unsubscribeShard_whenCompleted_nothingArrivesAndNoEndIsTold() {
        subscribe(driver, "normal");
        Shard a = subscribeShard(driver, "{a}");
        Shard b = subscribeShard(driver, "{b}");
        get(driver.unsubscribeShard("{a}"));
        assertEquals(0, publish("{a}", "late"));
        assertEquals(1, publish("{b}", "still"));
        assertEquals("still", next(b.messages));
        assertTrue(a.messages.isEmpty());
        Shard again = subscribeShard(driver, "{a}");
        publish("{a}", "again");
        assertEquals("again", next(again.messages));
        assertTrue(a.ends.isEmpty());
        assertNull(events.messagesSoon());
    }

    @Test
    void unsubscribeShard_noSubscription_isANoOp() {
        get(driver.unsubscribeShard("{a}"));
        subscribeShard(driver, "{b}");
        get(driver.unsubscribeShard("{a}"));
        assertEquals(1, publish("{b}", "x"));
    }

    @Test
    void unsubscribeShard_inTurnsWithSubscribeWithoutWaiting_theLastOneCounts() {
        List<CompletionStage<Void>> stages = new ArrayList<>();
        Shard stays = shard("{a}");
        Shard goes = shard("{b}");
        for (int i = 0; i < 50; i++) {
            stages.add(subscribe(driver, stays));
            stages.add(subscribe(driver, goes));
            stages.add(driver.unsubscribeShard("{a}"));
            stages.add(driver.unsubscribeShard("{b}"));
        }
        stages.add(subscribe(driver, stays));
        stages.forEach(DriverFixture::get);
        assertEquals(0, publish("{b}", "x"));
        assertEquals(1, publish("{a}", "x"));
        assertEquals("x", next(stays.messages));
        assertTrue(stays.ends.isEmpty());
        assertTrue(goes.ends.isEmpty());
    }

    @Test
    void unsubscribeShard_whileDown_completesAndIsNotRestored() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            RecordedEvents seen = listen(behind);
            Shard a = subscribeShard(behind, "{a}");
            subscribeShard(behind, "{a}stays");
            proxy.refuse();
            proxy.killConnections(TcpProxy.Kind.MESSAGES);
            seen.awaitMessages("down");
            get(behind.unsubscribeShard("{a}"));
            assertUnknown(subscribe(behind, shard("{b}")));
            proxy.accept();
            seen.awaitMessages("up");
            assertEquals(0, publish("{a}", "x"));
            assertEquals(1, publish("{a}stays", "x"));
            assertTrue(a.ends.isEmpty());
        }
    }

    @Test
    void unsubscribeShard_whileSubscribingAgain_isGoneWhenUp() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            RecordedEvents seen = listen(behind);
            Shard a = subscribeShard(behind, "{a}");
            subscribeShard(behind, "{b}");
            CompletableFuture<Caught> trap = proxy.onRequest(is("SSUBSCRIBE"), Fault.STALL_REPLY);
            proxy.killConnections(TcpProxy.Kind.MESSAGES);
            seen.awaitMessages("down");
            get(trap);
            CompletionStage<Void> left = behind.unsubscribeShard("{a}");
            assertNull(seen.messagesSoon());
            proxy.resume();
            get(left);
            seen.awaitMessages("up");
            // Who gives up while nothing can be sent does not wait for what is sent later.
            awaitTrue(() -> shardChannels().equals(List.of("{b}")));
            assertTrue(a.ends.isEmpty());
        }
    }

    @Test
    void unsubscribeShard_slotLeavesBeforeItIsRead_completesAndNoEndIsTold() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            RecordedEvents seen = listen(behind);
            subscribe(behind, "normal");
            Shard a = subscribeShard(behind, "{a}");
            CompletableFuture<Caught> trap = proxy.onRequest(is("SUNSUBSCRIBE {a}"), Fault.STALL_REQUEST);
            CompletionStage<Void> left = behind.unsubscribeShard("{a}");
            Shard b = shard("{b}");
            Shard again = shard("{a}");
            CompletionStage<Void> next = subscribe(behind, b);
            CompletionStage<Void> rejected = subscribe(behind, again);
            CompletionStage<Void> last = behind.subscribe("last", message -> {});
            get(trap);
            // The server ends the subscription with the words that would be the answer, and then rejects the request.
            takeAway("{a}");
            proxy.resume();
            get(left);
            get(next);
            assertRejected("CLUSTERDOWN", rejected);
            get(last);
            assertEquals(1, publish("{b}", "x"));
            assertEquals("x", next(b.messages));
            assertTrue(a.ends.isEmpty());
            assertTrue(again.ends.isEmpty());
            assertNull(seen.messagesSoon());
        }
    }

    // ---- ends that nobody asked for

    @Test
    void onEnded_slotLeaves_isToldOnceAndTheOthersStay() {
        Shard a = subscribeShard(driver, "{a}");
        Shard b = subscribeShard(driver, "{b}");
        takeAway("{a}");
        assertEquals("ended", next(a.ends));
        publish("{b}", "x");
        assertEquals("x", next(b.messages));
        get(driver.unsubscribeShard("{a}"));
        giveBack();
        assertEquals(0, publish("{a}", "x"));
        Shard again = subscribeShard(driver, "{a}");
        publish("{a}", "again");
        assertEquals("again", next(again.messages));
        assertTrue(a.ends.isEmpty());
        assertTrue(again.ends.isEmpty());
        assertNull(events.messagesSoon());
    }

    @Test
    void onEnded_callbackSubscribesElsewhere_works() {
        Shard b = shard("{b}");
        CompletableFuture<Void> subscribed = new CompletableFuture<>();
        get(driver.subscribeShard(
                "{a}", message -> {}, () -> subscribe(driver, b).thenAccept(subscribed::complete)));
        takeAway("{a}");
        get(subscribed);
        publish("{b}", "x");
        assertEquals("x", next(b.messages));
    }

    @Test
    void onEnded_whileAnotherRequestWaits_isNotTakenForItsAnswer() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            subscribeShard(behind, "{b}");
            for (String request : List.of("SSUBSCRIBE {a}new", "SUNSUBSCRIBE {b}")) {
                Shard ending = subscribeShard(behind, "{c}");
                CompletableFuture<Caught> trap = proxy.onRequest(is(request), Fault.STALL_REQUEST);
                CompletionStage<Void> waiting = request.startsWith("SSUB")
                        ? subscribe(behind, shard("{a}new"))
                        : behind.unsubscribeShard("{b}");
                CompletionStage<Void> behindIt = subscribe(behind, shard("{e}"));
                get(trap);
                takeAway("{c}");
                takeAway("{e}");
                assertEquals("ended", next(ending.ends));
                assertFalse(waiting.toCompletableFuture().isDone(), request);
                proxy.resume();
                get(waiting);
                assertRejected("CLUSTERDOWN", behindIt);
                giveBack();
            }
            assertEquals(List.of("{a}new"), shardChannels());
        }
    }

    @Test
    void onEnded_driverClosed_isNotTold() {
        Shard a = subscribeShard(driver, "{a}");
        driver.close();
        takeAway("{a}");
        assertUnknown(subscribe(driver, shard("{b}")));
        get(driver.unsubscribeShard("{a}"));
        assertTrue(a.ends.isEmpty());
    }

    @Test
    void onEnded_slotMovesToAnotherServer_isToldAndMovedIsTheAnswerFromThenOn() {
        try (RedisCluster cluster = RedisCluster.start(3, 0)) {
            int slot = cluster.slotOf("{a}");
            RedisServer source = cluster.masterOf(slot);
            RedisServer target = cluster.otherThan(source);
            RedisDriver first = keep(provider().connect(source.address(), OPTIONS));
            RedisDriver second = keep(provider().connect(target.address(), OPTIONS));
            Shard a = subscribeShard(first, "{a}");
            assertRejected("MOVED", subscribe(second, shard("{a}")));
            cluster.beginMove(slot, source, target);
            cluster.endMove(slot, source, target);
            assertEquals("ended", next(a.ends));
            assertRejected("MOVED", subscribe(first, shard("{a}")));
            Shard there = subscribeShard(second, "{a}");
            assertEquals(1, target.command("SPUBLISH", "{a}", "x").asLong());
            assertEquals("x", next(there.messages));
        }
    }

    // ---- broken connections

    @Test
    void messages_connectionKilled_shardsOfManySlotsAreSubscribedAgainBeforeUpIsReported() {
        BlockingQueue<String> normal = subscribe(driver, "normal");
        List<Shard> shards = Stream.of("{a}", "{a}2", "{b}", "{c}", "{d}", "{e}", "normal")
                .map(channel -> subscribeShard(driver, channel))
                .toList();
        for (int round = 0; round < 3; round++) {
            server.command("CLIENT", "KILL", "TYPE", "pubsub");
            events.awaitMessages("down");
            events.awaitMessages("up");
            assertEquals(1, server.command("PUBLISH", "normal", "n").asLong());
            assertEquals("n", next(normal));
            for (Shard shard : shards) {
                assertEquals(1, publish(shard.channel, shard.channel + round));
                assertEquals(shard.channel + round, next(shard.messages));
                assertTrue(shard.ends.isEmpty());
            }
        }
    }

    @Test
    void messages_connectionKilledWithOneSlotOnly_areSubscribedAgain() {
        List<Shard> shards = Stream.of("{a}1", "{a}2", "{a}3")
                .map(channel -> subscribeShard(driver, channel))
                .toList();
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
        events.awaitMessages("down");
        events.awaitMessages("up");
        for (Shard shard : shards) {
            assertEquals(1, publish(shard.channel, "x"));
            assertEquals("x", next(shard.messages));
        }
        takeAway("{a}");
        shards.forEach(shard -> assertEquals("ended", next(shard.ends)));
    }

    @Test
    void messages_oneRejectedAfterReconnect_isToldAndForgottenAndTheOthersAreUp() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            RecordedEvents seen = listen(behind);
            Shard a = subscribeShard(behind, "{a}");
            Shard b = subscribeShard(behind, "{b}");
            proxy.refuse();
            proxy.killConnections(TcpProxy.Kind.MESSAGES);
            seen.awaitMessages("down");
            takeAway("{a}");
            proxy.accept();
            assertEquals("ended", next(a.ends));
            seen.awaitMessages("up");
            assertEquals(1, publish("{b}", "x"));
            assertEquals("x", next(b.messages));
            assertNull(seen.messagesSoon());
            // Also when the slot is back, it stays forgotten.
            giveBack();
            proxy.killConnections(TcpProxy.Kind.MESSAGES);
            seen.awaitMessages("down");
            seen.awaitMessages("up");
            assertEquals(List.of("{b}"), shardChannels());
            assertTrue(a.ends.isEmpty());
            assertTrue(b.ends.isEmpty());
        }
    }

    @Test
    void messages_onlyOneAndItIsRejectedAfterReconnect_upIsReported() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            RecordedEvents seen = listen(behind);
            Shard a = subscribeShard(behind, "{a}");
            proxy.refuse();
            proxy.killConnections(TcpProxy.Kind.MESSAGES);
            seen.awaitMessages("down");
            takeAway("{a}");
            proxy.accept();
            seen.awaitMessages("up");
            assertEquals("ended", next(a.ends));
            subscribeShard(behind, "{b}");
            assertNull(seen.messagesSoon());
        }
    }

    @Test
    void messages_acknowledgementHeldBack_upIsNotReportedBeforeIt() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            RecordedEvents seen = listen(behind);
            Shard a = subscribeShard(behind, "{a}");
            CompletableFuture<Caught> trap = proxy.onRequest(is("SSUBSCRIBE"), Fault.STALL_REPLY);
            proxy.killConnections(TcpProxy.Kind.MESSAGES);
            seen.awaitMessages("down");
            get(trap);
            assertNull(seen.messagesSoon());
            proxy.resume();
            seen.awaitMessages("up");
            assertEquals(1, publish("{a}", "x"));
            assertEquals("x", next(a.messages));
        }
    }

    // ---- another

    @Test
    void another_sameServer_isIndependent() {
        subscribeShard(driver, "{a}");
        RedisDriver other = keep(driver.another("{a}"));
        CompletionStage<Reply> blocked = other.send(Command.of("BLPOP", "{a}absent", "0"));
        assertEquals("PONG", send("PING").asString());
        Shard there = subscribeShard(other, "{a}");
        assertEquals(2, publish("{a}", "x"));
        assertEquals("x", next(there.messages));
        assertEquals(driver.describe(), other.describe());
        other.close();
        assertUnknown(blocked);
        assertEquals("PONG", send("PING").asString());
        RedisDriver third = keep(driver.another("{a}"));
        driver.close();
        assertEquals("PONG", get(third.send(Command.of("PING"))).asString());
        RedisDriver fourth = keep(third.another("{a}"));
        assertEquals("PONG", get(fourth.send(Command.of("PING"))).asString());
    }

    @Test
    void another_driverClosed_isUnknown() {
        driver.close();
        DriverException e = assertThrows(DriverException.class, () -> driver.another("{a}"));
        assertEquals(Kind.UNKNOWN, e.kind());
    }

    @Test
    void another_serverGone_isUnknown() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            proxy.refuse();
            DriverException e = assertThrows(DriverException.class, () -> behind.another("{a}"));
            assertEquals(Kind.UNKNOWN, e.kind());
            proxy.accept();
            assertEquals(
                    "PONG",
                    get(keep(behind.another("{a}")).send(Command.of("PING"))).asString());
        }
    }

    @Test
    void another_userDatabaseAndName_areTheSame() {
        try (RedisServer plain = RedisServer.start()) {
            plain.command("ACL", "SETUSER", "alice", "on", ">pa ss", "~*", "&*", "+@all");
            RedisAddress address = new RedisAddress("127.0.0.1", plain.port(), false, "alice", "pa ss", 3);
            RedisDriver first = keep(provider().connect(address, new ConnectOptions(LONG, "renamed")));
            RedisDriver other = keep(first.another("k"));
            assertEquals("alice", get(other.send(Command.of("ACL", "WHOAMI"))).asString());
            assertEquals(
                    "renamed", get(other.send(Command.of("CLIENT", "GETNAME"))).asString());
            get(other.send(Command.of("SET", "k", "v")));
            assertTrue(plain.command("INFO", "keyspace").asString().contains("db3:"));
            plain.command("ACL", "SETUSER", "alice", ">new", "<pa ss");
            DriverException e = assertThrows(DriverException.class, () -> first.another("k"));
            assertEquals("WRONGPASS", e.code());
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void shardsAndAnother_tlsAndUser_work(@TempDir Path folder) {
        int port = FreePort.find();
        TlsFiles files = TlsFiles.create(folder, "dns:localhost,ip:127.0.0.1");
        String[] config =
                Stream.of(files.serverArgs(port), CLUSTERED).flatMap(Stream::of).toArray(String[]::new);
        try (RedisServer secure = RedisServer.start(config)) {
            serveAll(secure);
            secure.command("ACL", "SETUSER", "alice", "on", ">pw", "~*", "&*", "+@all");
            files.trusted(() -> {
                RedisAddress address = new RedisAddress("127.0.0.1", port, true, "alice", "pw", 0);
                RedisDriver first = keep(provider().connect(address, OPTIONS));
                RedisDriver other = keep(first.another("k"));
                assertEquals(
                        "alice", get(other.send(Command.of("ACL", "WHOAMI"))).asString());
                RecordedEvents seen = listen(other);
                Shard a = subscribeShard(other, "{a}");
                Shard b = subscribeShard(other, "{b}");
                secure.command("CLIENT", "KILL", "TYPE", "pubsub");
                seen.awaitMessages("down");
                seen.awaitMessages("up");
                secure.command("SPUBLISH", "{a}", "x");
                secure.command("SPUBLISH", "{b}", "y");
                assertEquals("x", next(a.messages));
                assertEquals("y", next(b.messages));
                get(other.unsubscribeShard("{a}"));
                first.close();
                other.close();
            });
        }
    }

    // ---- the server

    private static void serveAll(RedisServer server) {
        server.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
        awaitTrue(() -> server.command("CLUSTER", "INFO").asString().contains("cluster_state:ok"));
    }

    private String slot(String channel) {
        return server.command("CLUSTER", "KEYSLOT", channel).toString();
    }

    /** Lets the server end what is subscribed in the channel's slot, and reject what comes. */
    private void takeAway(String channel) {
        server.command("CLUSTER", "DELSLOTS", slot(channel));
        takenAway.add(slot(channel));
    }

    private void giveBack() {
        takenAway.forEach(slot -> server.command("CLUSTER", "ADDSLOTS", slot));
        takenAway.clear();
    }

    private long publish(String channel, String message) {
        return server.command("SPUBLISH", channel, message).asLong();
    }

    private List<String> shardChannels() {
        return server.command("PUBSUB", "SHARDCHANNELS").asList().stream()
                .map(Reply::asString)
                .sorted()
                .toList();
    }

    // ---- the driver

    private RedisDriver keep(RedisDriver another) {
        opened.add(another);
        return another;
    }

    private RedisDriver connect(TcpProxy proxy) {
        return keep(provider().connect(proxy.address(), OPTIONS));
    }

    private RedisDriver connectAs(String user, String channels, RedisAddress to) {
        server.command("ACL", "SETUSER", user, "on", ">pw", "~*", "resetchannels", channels, "+@all");
        return keep(provider().connect(new RedisAddress(to.host(), to.port(), false, user, "pw", 0), OPTIONS));
    }

    private static Shard shard(String channel) {
        return new Shard(channel, new LinkedBlockingQueue<>(), new LinkedBlockingQueue<>());
    }

    private static CompletionStage<Void> subscribe(RedisDriver driver, Shard shard) {
        return driver.subscribeShard(shard.channel, shard.messages::add, () -> shard.ends.add("ended"));
    }

    private static Shard subscribeShard(RedisDriver driver, String channel) {
        Shard shard = shard(channel);
        get(subscribe(driver, shard));
        return shard;
    }

    /** A request that begins with these words. */
    private static Predicate<String> is(String words) {
        return text -> text.toUpperCase(Locale.ROOT).startsWith(words.toUpperCase(Locale.ROOT));
    }
}
