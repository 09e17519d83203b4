package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.FreePort;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TlsFiles;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.DriverException.Kind;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** The contract of {@link RedisDriverProvider}: the outcome of a connect to every sort of peer. */
abstract class ConnectContract extends DriverFixture {
    @Test
    void connect_nobodyListens_isUnknownAndNamesTheAddress() {
        int port = FreePort.find();
        assertCannotConnect(Kind.UNKNOWN, port, new RedisAddress("127.0.0.1", port, false, null, null, 0), OPTIONS);
    }

    @Test
    void connect_hostUnknown_isUnknownAndNamesTheAddress() {
        RedisAddress address = new RedisAddress("no-such-host.invalid", 6379, false, null, null, 0);
        DriverException e = assertThrows(DriverException.class, () -> provider().connect(address, OPTIONS));
        assertEquals(Kind.UNKNOWN, e.kind());
        assertTrue(String.valueOf(e.getMessage()).contains("no-such-host.invalid:6379"), e.toString());
    }

    @Test
    void connect_passwordMissing_isRejected() {
        server.command("CONFIG", "SET", "requirepass", "open-sesame");
        DriverException e = assertThrows(DriverException.class, () -> provider().connect(server.address(), OPTIONS));
        assertEquals(Kind.REJECTED, e.kind());
        assertEquals("NOAUTH", e.code(), e.toString());
    }

    @Test
    void connect_passwordMissingAndDatabaseNamed_isRejected() {
        server.command("CONFIG", "SET", "requirepass", "open-sesame");
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, null, null, 2);
        DriverException e = assertThrows(DriverException.class, () -> provider().connect(address, OPTIONS));
        assertEquals("NOAUTH", e.code(), e.toString());
    }

    @Test
    void connect_passwordWrong_isRejectedAndNotRepeated() {
        server.command("CONFIG", "SET", "requirepass", "open-sesame");
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, null, "sim-sala-bim", 0);
        DriverException e = assertThrows(DriverException.class, () -> provider().connect(address, OPTIONS));
        assertEquals(Kind.REJECTED, e.kind());
        assertEquals("WRONGPASS", e.code());
        assertFalse(e.toString().contains("sim-sala-bim"));
    }

    @Test
    void connect_userAndPassword_actsAsThatUserOnThatDatabase() {
        server.command("ACL", "SETUSER", "älice", "on", ">pa ss:w/örd", "~*", "&*", "+@all");
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, "älice", "pa ss:w/örd", 5);
        try (RedisDriver other = provider().connect(address, OPTIONS)) {
            assertEquals("älice", get(other.send(Command.of("ACL", "WHOAMI"))).asString());
            get(other.send(Command.of("SET", "k", "v")));
            assertTrue(server.command("INFO", "keyspace").asString().contains("db5:"));
        }
    }

    @Test
    void connect_databaseDoesNotExist_isRejected() {
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, null, null, 999);
        DriverException e = assertThrows(DriverException.class, () -> provider().connect(address, OPTIONS));
        assertEquals(Kind.REJECTED, e.kind());
        assertEquals("ERR", e.code());
    }

    @Test
    void connect_serverIsFull_isRejected() {
        server.command("CONFIG", "SET", "maxclients", "2");
        DriverException e = assertThrows(DriverException.class, () -> provider().connect(server.address(), OPTIONS));
        assertEquals(Kind.REJECTED, e.kind());
        assertTrue(String.valueOf(e.getMessage()).contains("max number of clients"), e.toString());
    }

    @Test
    void connect_webServer_isUnknownAndNamesTheAddress() throws Exception {
        assertNoRedis(
                client -> {
                    client.getInputStream().readNBytes(1);
                    client.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
                    client.getInputStream().readAllBytes();
                },
                OPTIONS);
    }

    @Test
    void connect_peerClosesAtOnce_isUnknownAndNamesTheAddress() throws Exception {
        assertNoRedis(Socket::close, OPTIONS);
    }

    @Test
    void connect_peerSaysNothing_endsAfterTheTimeout() throws Exception {
        long begin = System.nanoTime();
        assertNoRedis(
                client -> client.getInputStream().readAllBytes(),
                new ConnectOptions(Duration.ofMillis(300), "holdfast"));
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        assertTrue(millis >= 290 && millis < 3000, millis + " ms");
    }

    @Test
    void connect_serverFrozen_endsAfterTheTimeout() {
        server.freeze();
        assertCannotConnect(
                Kind.UNKNOWN, server.port(), server.address(), new ConnectOptions(Duration.ofMillis(300), "holdfast"));
    }

    @Test
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void connect_tlsAndTrustedCertificate_works(@TempDir Path folder) {
        int port = FreePort.find();
        TlsFiles files = TlsFiles.create(folder, "dns:localhost,ip:127.0.0.1");
        try (RedisServer secure = RedisServer.start(files.serverArgs(port))) {
            files.trusted(() -> {
                RedisAddress address = new RedisAddress("127.0.0.1", port, true, null, null, 0);
                try (RedisDriver other = provider().connect(address, OPTIONS)) {
                    BlockingQueue<String> messages = subscribe(other, "news");
                    get(other.send(Command.of("SET", "k", "x".repeat(1_000_000))));
                    secure.command("PUBLISH", "news", "x");
                    assertEquals("x", next(messages));
                    assertEquals(1_000_000, secure.command("STRLEN", "k").asLong());
                }
            });
        }
    }

    @Test
    void connect_tlsAndUntrustedCertificate_isUnknown(@TempDir Path folder) {
        int port = FreePort.find();
        TlsFiles files = TlsFiles.create(folder, "dns:localhost,ip:127.0.0.1");
        try (RedisServer secure = RedisServer.start(files.serverArgs(port))) {
            assertCannotConnect(Kind.UNKNOWN, port, new RedisAddress("127.0.0.1", port, true, null, null, 0), OPTIONS);
            assertEquals("PONG", secure.command("PING").asString());
        }
    }

    @Test
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void connect_tlsAndCertificateForAnotherHost_isUnknown(@TempDir Path folder) {
        int port = FreePort.find();
        TlsFiles files = TlsFiles.create(folder, "dns:elsewhere.example");
        try (RedisServer secure = RedisServer.start(files.serverArgs(port))) {
            files.trusted(() -> assertCannotConnect(
                    Kind.UNKNOWN, port, new RedisAddress("127.0.0.1", port, true, null, null, 0), OPTIONS));
            assertEquals("PONG", secure.command("PING").asString());
        }
    }

    @Test
    void connect_tlsToPlainPort_isUnknown() {
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), true, null, null, 0);
        assertCannotConnect(
                Kind.UNKNOWN, server.port(), address, new ConnectOptions(Duration.ofSeconds(2), "holdfast"));
    }

    @Test
    void provider_name_isOneLowerCaseWord() {
        assertTrue(provider().name().matches("[a-z]+"), provider().name());
    }
}
