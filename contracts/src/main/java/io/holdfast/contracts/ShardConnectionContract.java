package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.FreePort;
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
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** The contract of {@link RedisDriver} for connections with sharded channels: broken connections, and second ones. */
public class ShardConnectionContract extends ShardChannelFixture {
    /** For the classes of the drivers. */
    protected ShardConnectionContract() {}

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
                assertEquals(1, publish(shard.channel(), shard.channel() + round));
                assertEquals(shard.channel() + round, next(shard.messages()));
                assertTrue(shard.ends().isEmpty());
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
            assertEquals(1, publish(shard.channel(), "x"));
            assertEquals("x", next(shard.messages()));
        }
        takeAway("{a}");
        shards.forEach(shard -> assertEquals("ended", next(shard.ends())));
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
            assertEquals("ended", next(a.ends()));
            seen.awaitMessages("up");
            assertEquals(1, publish("{b}", "x"));
            assertEquals("x", next(b.messages()));
            assertNull(seen.messagesSoon());
            // Also when the slot is back, it stays forgotten.
            giveBack();
            proxy.killConnections(TcpProxy.Kind.MESSAGES);
            seen.awaitMessages("down");
            seen.awaitMessages("up");
            assertEquals(List.of("{b}"), shardChannels());
            assertTrue(a.ends().isEmpty());
            assertTrue(b.ends().isEmpty());
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
            assertEquals("ended", next(a.ends()));
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
            assertEquals("x", next(a.messages()));
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
        assertEquals("x", next(there.messages()));
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
                assertEquals("x", next(a.messages()));
                assertEquals("y", next(b.messages()));
                get(other.unsubscribeShard("{a}"));
                first.close();
                other.close();
            });
        }
    }
}
