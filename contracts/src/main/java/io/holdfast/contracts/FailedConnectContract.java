package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.FreePort;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TlsFiles;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.DriverException.Kind;
import io.holdfast.spi.RedisAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The exact messages of every driver after a failed connect. They stay the same if the driver, or the version of the client
 * below it, changes.
 */
public class FailedConnectContract extends DriverFixture {
    private static final String USE_TLS = "use rediss:// instead of redis://";
    private static final String USE_NO_TLS = "use redis:// instead of rediss://";

    private static final String REFUSED = "Connection refused";
    private static final String UNKNOWN_HOST = "the host name is unknown";
    private static final String SILENT = "no answer within 300 ms; the server or this machine may be busy";
    private static final String CLOSED = "it closed the connection without an answer";
    private static final String CLOSED_TO_PLAIN = CLOSED + "; if it speaks TLS, " + USE_TLS;
    private static final String CLOSED_TO_TLS = CLOSED + "; if it does not speak TLS, " + USE_NO_TLS;
    private static final String NO_REDIS = "no Redis server answers there";
    private static final String SPEAKS_TLS = "the server speaks TLS: " + USE_TLS;
    private static final String SPEAKS_NO_TLS = "the server does not speak TLS: " + USE_NO_TLS;

    private static final ConnectOptions BRIEF = new ConnectOptions(Duration.ofMillis(300), "holdfast");

    /** A TLS record with an alert: fatal, protocol version. */
    private static final byte[] ALERT = {21, 3, 3, 0, 2, 2, 70};

    /** How to wait longer. */
    protected String longer() {
        return ": withConnectTimeout (in Spring holdfast.connect-timeout) allows more";
    }

    /** Whether an alert of TLS, which has no end of a line, is seen before the peer hangs up. */
    protected boolean seesAlerts() {
        return true;
    }

    private String silentToTls() {
        return SILENT + longer() + "; if it does not speak TLS, " + USE_NO_TLS;
    }

    @Test
    final void connect_nothingListens_saysRefused() {
        int port = FreePort.find();
        assertEquals(at(port, REFUSED), unknown(port, false, OPTIONS));
        assertEquals(at(port, REFUSED), unknown(port, true, OPTIONS));
    }

    @Test
    final void connect_hostUnknown_saysSo() {
        RedisAddress address = new RedisAddress("no-such-host.invalid", 6379, false, null, null, 0);
        DriverException e = assertThrows(DriverException.class, () -> provider().connect(address, OPTIONS));
        assertEquals("no connection to no-such-host.invalid:6379: " + UNKNOWN_HOST, e.getMessage());
    }

    @Test
    final void connect_peerSaysNothing_saysHowLongItWaited() throws Exception {
        Peer silent = client -> client.getInputStream().readAllBytes();
        withPeer(silent, port -> assertEquals(at(port, SILENT + longer()), unknown(port, false, BRIEF)));
    }

    @Test
    final void connect_tlsAndPeerSaysNothing_tellsHowToConnectWithoutTls() throws Exception {
        Peer silent = client -> client.getInputStream().readAllBytes();
        withPeer(silent, port -> assertEquals(at(port, silentToTls()), unknown(port, true, BRIEF)));
    }

    @Test
    final void connect_webServer_saysThatItIsNoRedisServer() throws Exception {
        withPeer(
                answering("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                port -> assertEquals(at(port, NO_REDIS), unknown(port, false, OPTIONS)));
    }

    @Test
    final void connect_serverOfLines_saysThatItIsNoRedisServer() throws Exception {
        withPeer(
                answering("220 mail.example ESMTP\r\n".getBytes(StandardCharsets.US_ASCII)),
                port -> assertEquals(at(port, NO_REDIS), unknown(port, false, OPTIONS)));
    }

    @Test
    final void connect_peerCloses_tellsHowToConnectWithTls() throws Exception {
        withPeer(Socket::close, port -> assertEquals(at(port, CLOSED_TO_PLAIN), unknown(port, false, OPTIONS)));
    }

    @Test
    final void connect_tlsAndPeerCloses_tellsHowToConnectWithoutTls() throws Exception {
        withPeer(Socket::close, port -> assertEquals(at(port, CLOSED_TO_TLS), unknown(port, true, OPTIONS)));
    }

    @Test
    final void connect_peerAnswersWithATlsAlert_saysThatItSpeaksTls() throws Exception {
        withPeer(
                answering(ALERT),
                port -> assertEquals(
                        at(port, seesAlerts() ? SPEAKS_TLS : SILENT + longer()),
                        unknown(port, false, seesAlerts() ? OPTIONS : BRIEF)));
    }

    @Test
    final void connect_tlsAndPeerAnswersWithoutTls_saysThatItDoesNotSpeakTls() throws Exception {
        withPeer(
                answering("-ERR Protocol error: unbalanced quotes in request\r\n".getBytes(StandardCharsets.US_ASCII)),
                port -> assertEquals(at(port, SPEAKS_NO_TLS), unknown(port, true, OPTIONS)));
    }

    /** Whether the server sends an alert before it closes depends on its TLS library. */
    @Test
    final void connect_plainToTlsPort_tellsHowToConnectWithTls(@TempDir Path folder) {
        int port = FreePort.find();
        TlsFiles files = TlsFiles.create(folder, "dns:localhost,ip:127.0.0.1");
        try (RedisServer secure = RedisServer.start(files.serverArgs(port))) {
            String said = unknown(port, false, OPTIONS);
            assertTrue(Set.of(at(port, CLOSED_TO_PLAIN), at(port, SPEAKS_TLS)).contains(said), said);
            assertEquals("PONG", secure.command("PING").asString());
        }
    }

    /** The server answers only if the first bytes of the handshake, which are random, look like a line. */
    @Test
    final void connect_tlsToPlainPort_tellsHowToConnectWithoutTls() {
        int port = server.port();
        String said = unknown(port, true, BRIEF);
        assertTrue(Set.of(at(port, silentToTls()), at(port, SPEAKS_NO_TLS)).contains(said), said);
    }

    @Test
    final void connect_passwordMissing_saysWhatEveryCommandWouldBeAnswered() {
        server.command("CONFIG", "SET", "requirepass", "open-sesame");
        for (int database : List.of(0, 2)) {
            assertEquals("NOAUTH Authentication required.", rejected(null, null, database));
        }
    }

    @Test
    final void connect_passwordWrong_saysSo() {
        server.command("CONFIG", "SET", "requirepass", "open-sesame");
        String wrong = "WRONGPASS invalid username-password pair or user is disabled.";
        assertEquals(wrong, rejected(null, "sim-sala-bim", 0));
        assertEquals(wrong, rejected("nobody", "open-sesame", 0));
    }

    @Test
    final void connect_databaseDoesNotExist_saysSo() {
        assertEquals("ERR DB index is out of range", rejected(null, null, 999));
    }

    @Test
    final void connect_serverIsFull_saysSo() {
        server.command("CONFIG", "SET", "maxclients", "2");
        assertEquals("ERR max number of clients reached", rejected(null, null, 0));
    }

    private String rejected(@Nullable String user, @Nullable String password, int database) {
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, user, password, database);
        DriverException e = assertThrows(DriverException.class, () -> provider().connect(address, OPTIONS));
        assertEquals(Kind.REJECTED, e.kind(), e.toString());
        return String.valueOf(e.getMessage());
    }

    private String unknown(int port, boolean tls, ConnectOptions options) {
        RedisAddress address = new RedisAddress("127.0.0.1", port, tls, null, null, 0);
        DriverException e = assertThrows(DriverException.class, () -> provider().connect(address, options));
        assertEquals(Kind.UNKNOWN, e.kind(), e.toString());
        return String.valueOf(e.getMessage());
    }

    private static String at(int port, String reason) {
        return "no connection to 127.0.0.1:" + port + ": " + reason;
    }

    /** One that answers the first that it hears, and hangs up when the other has. */
    private static Peer answering(byte[] answer) {
        return client -> {
            client.getInputStream().readNBytes(1);
            client.getOutputStream().write(answer);
            client.getInputStream().readAllBytes();
        };
    }
}
