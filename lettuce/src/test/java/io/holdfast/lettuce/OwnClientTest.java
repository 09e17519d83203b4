package io.holdfast.lettuce;

import static io.holdfast.lettuce.Seen.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import java.util.HashSet;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class OwnClientTest {
    private final LettuceDriverProvider provider = new LettuceDriverProvider();

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
    void connect_hasTwoDaemonThreads() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (RedisDriver driver = connect()) {
            get(driver.subscribe("news", message -> {}));
            Set<Thread> own = own(newThreads(before));
            assertEquals(2, own.size(), own.toString());
            assertTrue(own.stream().allMatch(Thread::isDaemon));
        }
    }

    @Test
    void close_returned_noThreadIsLeft() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        RedisDriver driver = connect();
        get(driver.subscribe("news", message -> {}));
        driver.close();
        assertEquals(Set.of(), newThreads(before));
    }

    @Test
    void close_whileReconnecting_noThreadIsLeft() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        RedisDriver driver = connect();
        Seen seen = Seen.of(driver);
        server.kill();
        seen.next("commands down");
        driver.close();
        assertEquals(Set.of(), own(newThreads(before)));
        assertTrue(seen.isEmpty(), "no event after close");
    }

    @Test
    void connect_refused_noThreadIsLeft() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        int port;
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            port = proxy.port();
        }
        RedisAddress address = RedisAddress.parse("redis://127.0.0.1:" + port);
        assertThrows(DriverException.class, () -> provider.connect(address, ConnectOptions.defaults()));
        assertEquals(Set.of(), own(newThreads(before)));
    }

    @Test
    void connect_interrupted_isUnknownAndTheThreadStaysInterrupted() {
        // Nobody notices an interrupt who has no need to wait.
        server.freeze();
        Thread.currentThread().interrupt();
        DriverException e = assertThrows(DriverException.class, this::connect);
        assertEquals(DriverException.Kind.UNKNOWN, e.kind());
        assertTrue(Thread.interrupted());
    }

    @Test
    void send_reply_isDeliveredOnTheEventLoop() throws Exception {
        try (RedisDriver driver = connect()) {
            CompletableFuture<String> thread = new CompletableFuture<>();
            // Blocks until the second command, so that the callback is there before the reply.
            var unused = driver.send(Command.of("BLPOP", "list", "0"))
                    .whenComplete((reply, failure) ->
                            thread.complete(Thread.currentThread().getName()));
            server.command("RPUSH", "list", "v");
            assertEquals("holdfast-lettuce-io-127.0.0.1:" + server.port(), get(thread));
        }
    }

    @Test
    void provider_isFoundByServiceLoader() {
        assertTrue(ServiceLoader.load(RedisDriverProvider.class).stream()
                .anyMatch(found -> found.type() == LettuceDriverProvider.class));
    }

    private RedisDriver connect() {
        return provider.connect(server.address(), ConnectOptions.defaults());
    }

    private static Set<Thread> own(Set<Thread> threads) {
        return threads.stream()
                .filter(thread -> thread.getName().startsWith("holdfast-lettuce-"))
                .collect(Collectors.toSet());
    }

    private static Set<Thread> newThreads(Set<Thread> before) {
        Set<Thread> now = new HashSet<>(Thread.getAllStackTraces().keySet());
        now.removeAll(before);
        return now;
    }
}
