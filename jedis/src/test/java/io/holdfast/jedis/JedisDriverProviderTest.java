package io.holdfast.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.DriverException.Kind;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is particular to this driver; the rest is in {@link JedisDriverContractTest}. */
@Timeout(60)
final class JedisDriverProviderTest {
    private static final ConnectOptions OPTIONS = ConnectOptions.defaults();

    /** Some of what is no Redis can be told from one that is slow only by waiting. */
    private static final ConnectOptions BRIEF = new ConnectOptions(Duration.ofMillis(500), "holdfast");

    @Test
    void serviceLoader_findsTheProvider() {
        assertEquals(
                1,
                ServiceLoader.load(RedisDriverProvider.class).stream()
                        .filter(found -> found.type() == JedisDriverProvider.class)
                        .count());
    }

    @Test
    void connect_userMayNeitherPingNorTellItsName_works() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            server.command("ACL", "SETUSER", "locker", "on", ">pw", "~*", "&*", "+get", "+subscribe");
            RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, "locker", "pw", 0);
            try (RedisDriver driver = new JedisDriverProvider().connect(address, OPTIONS)) {
                assertTrue(driver.send(Command.of("GET", "absent"))
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS)
                        .isNull());
            }
        }
    }

    @Test
    void connect_peerAnswersSomethingElse_isUnknown() throws Exception {
        for (String answer : new String[] {"+OK POP3 ready\r\n", "220 mail.example ESMTP\r\n", "*1\r\n$zz\r\n\r\n"}) {
            try (ServerSocket peer = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                CompletableFuture<Void> talked = CompletableFuture.runAsync(() -> {
                    try (Socket client = peer.accept()) {
                        client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                        client.getInputStream().readAllBytes();
                    } catch (IOException e) {
                        // The driver has hung up.
                    }
                });
                RedisAddress address = new RedisAddress("127.0.0.1", peer.getLocalPort(), false, null, null, 0);
                DriverException e =
                        assertThrows(DriverException.class, () -> new JedisDriverProvider().connect(address, BRIEF));
                assertEquals(Kind.UNKNOWN, e.kind(), e.toString());
                assertTrue(e.toString().contains("127.0.0.1:" + peer.getLocalPort()), e.toString());
                talked.get(10, TimeUnit.SECONDS);
            }
        }
    }
}
