package io.holdfast.contracts.servers;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.DriverException.Kind;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.Reply;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class RedisServerTest {
    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServer.start();
    }

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void command_everyKindOfReply_isRead() {
        assertEquals("OK", server.command("SET", "k", "wörd").asString());
        assertEquals("wörd", server.command("GET", "k").asString());
        assertTrue(server.command("GET", "absent").isNull());
        assertEquals(-1, server.command("PTTL", "k").asLong());
        Reply list = server.command("EVAL", "return {1, {'a', false}, {}}", "0");
        assertEquals("[1, [a, null], []]", list.toString());
    }

    @Test
    void command_errorReply_isRejectedWithItsCode() {
        DriverException e = assertThrows(DriverException.class, () -> server.command("EVALSHA", "0".repeat(40), "0"));
        assertEquals(Kind.REJECTED, e.kind());
        assertEquals("NOSCRIPT", e.code());
        assertEquals("PONG", server.command("PING").asString());
    }

    @Test
    void isEnded_serverClosesTheConnection_isSeenWithoutACommand() {
        try (RespClient one = RespClient.connect("127.0.0.1", server.port())) {
            assertEquals("PONG", one.command("PING").asString());
            assertFalse(one.isEnded());
            assertEquals("PONG", one.command("PING").asString());
            server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            assertTimeoutPreemptively(RespClient.READ_TIMEOUT, () -> {
                while (!one.isEnded()) {
                    Thread.onSpinWait();
                }
            });
        }
    }

    @Test
    void start_extraArguments_reachTheServerAndItsPasswordIsUsed() {
        try (RedisServer guarded = RedisServer.start("--requirepass", "se cret", "--maxclients", "17")) {
            assertEquals(
                    "17",
                    guarded.command("CONFIG", "GET", "maxclients")
                            .asList()
                            .get(1)
                            .asString());
            try (RespClient stranger = RespClient.connect("127.0.0.1", guarded.port())) {
                DriverException e = assertThrows(DriverException.class, () -> stranger.command("PING"));
                assertEquals("NOAUTH", e.code());
            }
        }
    }

    @Test
    void start_nonsenseArgument_failsWithTheServersLog() {
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> RedisServer.start("--no-such", "1"));
        assertTrue(e.toString().contains("no-such"), e.toString());
    }

    @Test
    void freeze_commandSent_isAnsweredAfterThaw() {
        try (RespClient client = server.connect()) {
            server.freeze();
            client.send("PING");
            client.readTimeout(Duration.ofMillis(50));
            assertEquals(
                    Kind.UNKNOWN,
                    assertThrows(DriverException.class, client::read).kind());
            server.thaw();
            client.readTimeout(RespClient.READ_TIMEOUT);
            assertEquals("PONG", client.read().asString());
        }
    }

    @Test
    void restart_afterKill_listensOnTheSamePortAndIsEmpty() {
        server.command("SET", "k", "v");
        long before = server.pid();
        server.kill();
        assertThrows(DriverException.class, () -> server.command("PING"));
        server.restart();
        assertNotEquals(before, server.pid());
        assertTrue(server.command("GET", "k").isNull());
    }

    @Test
    void kill_frozenServer_ends() {
        server.freeze();
        server.kill();
        assertFalse(ProcessHandle.of(server.pid()).map(ProcessHandle::isAlive).orElse(false));
    }

    @Test
    void close_twice_isHarmless() {
        server.close();
        assertDoesNotThrow(server::close);
    }

    @Test
    void address_ofServer_parsesBack() {
        assertEquals(server.address(), RedisAddress.parse(server.url()));
        assertEquals(server.port(), server.address().port());
    }
}
