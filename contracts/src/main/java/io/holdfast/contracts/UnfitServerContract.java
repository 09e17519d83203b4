package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Diagnosis;
import io.holdfast.Diagnosis.Ability;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.HoldfastOptions.Eviction;
import io.holdfast.Lease;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Reply;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The errors for an unsuitable server: a connect throws the fitting exception, whose message says what to do. The driver is
 * found as an application finds it, on the class path.
 */
public class UnfitServerContract extends LockSuite {

    @Test
    final void connect_goodServer_works() throws Exception {
        RedisServer server = startServer();
        Holdfast holdfast = closeLater(Holdfast.connect(server.url()));
        try (Lease lease = holdfast.lock("a").acquire()) {
            assertTrue(lease.isValid());
        }
    }

    private static Diagnosis diagnose(RedisServer server) {
        RedisDriver driver = ServiceLoader.load(RedisDriverProvider.class)
                .findFirst()
                .orElseThrow()
                .connect(server.address(), ConnectOptions.defaults());
        return Holdfast.diagnose(driver, HoldfastOptions.defaults());
    }

    private static List<Ability> missing(Diagnosis diagnosis) {
        return diagnosis.probes().stream()
                .filter(probe -> probe.problem().isPresent())
                .map(Diagnosis.Probe::ability)
                .toList();
    }

    @Test
    final void diagnose_goodServer_findsAllThatIsNeeded() {
        Diagnosis diagnosis = diagnose(startServer());
        assertEquals(List.of(), missing(diagnosis));
        assertEquals(
                List.of(Ability.values()),
                diagnosis.probes().stream().map(Diagnosis.Probe::ability).toList());
        assertTrue(diagnosis.facts().orElseThrow().master());
        assertEquals(20, diagnosis.pings().size());
        assertTrue(diagnosis.pings().get(0).compareTo(diagnosis.pings().get(19)) <= 0, "the shortest first");
        assertTrue(diagnosis.clock().orElseThrow().roundTrip().toNanos() > 0);
    }

    @Test
    final void diagnose_replica_isToldAndNotRefused() {
        RedisServer master = startServer();
        RedisServer replica = startServer("--replicaof", "127.0.0.1", Integer.toString(master.port()));
        Diagnosis diagnosis = diagnose(replica);
        assertFalse(diagnosis.facts().orElseThrow().master());
        assertTrue(missing(diagnosis).contains(Ability.LOCKING));
        assertFalse(missing(diagnosis).contains(Ability.LISTENING));
    }

    @Test
    final void connect_nothingListens_isUnreachable() {
        RedisServer server = startServer();
        server.kill();
        assertTold(ServerUnreachableException.class, server.url(), "127.0.0.1:" + server.port());
    }

    @Test
    final void connect_noRedis_isUnreachable() throws Exception {
        try (ServerSocket web = new ServerSocket(0, 5, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            Thread answering = new Thread(() -> {
                while (true) {
                    try (Socket socket = web.accept();
                            OutputStream out = socket.getOutputStream()) {
                        out.write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    } catch (IOException e) {
                        if (web.isClosed()) {
                            return;
                        }
                    }
                }
            });
            answering.setDaemon(true);
            answering.start();
            assertTold(
                    ServerUnreachableException.class,
                    "redis://127.0.0.1:" + web.getLocalPort(),
                    "127.0.0.1:" + web.getLocalPort());
        }
    }

    @Test
    final void connect_passwordMissing_isRefused() {
        RedisServer server = startServer("--requirepass", "secret");
        assertTold(
                ServerRefusedException.class,
                "redis://127.0.0.1:" + server.port(),
                "NOAUTH Authentication required.",
                "requires a password",
                "redis://:password@host");
    }

    @Test
    final void connect_passwordWrong_isRefusedWithoutRepeatingIt() {
        RedisServer server = startServer("--requirepass", "secret");
        String message =
                assertTold(ServerRefusedException.class, "redis://:wrongword@127.0.0.1:" + server.port(), "WRONGPASS");
        assertTrue(!message.contains("wrongword"), message);
    }

    @Test
    final void connect_replica_isRefusedAndNamesTheMaster() {
        RedisServer master = startServer();
        RedisServer replica = startServer("--replicaof", "127.0.0.1", Integer.toString(master.port()));
        assertTold(
                ServerRefusedException.class,
                replica.url(),
                "read-only replica of 127.0.0.1:" + master.port(),
                "give the address of the master");
    }

    @Test
    final void connect_evictionPolicy_isRefusedIfAskedFor() throws Exception {
        RedisServer server = startServer("--maxmemory-policy", "volatile-lru");
        HoldfastOptions refuse = HoldfastOptions.defaults().withEviction(Eviction.REFUSE);
        ServerRefusedException refused =
                assertThrows(ServerRefusedException.class, () -> Holdfast.connect(server.url(), refuse));
        assertTrue(String.valueOf(refused.getMessage()).contains("set the policy to noeviction"), refused.getMessage());

        Holdfast warned = closeLater(Holdfast.connect(server.url()));
        assertTrue(warned.lock("a").tryAcquire().isPresent());
    }

    @Test
    final void connect_serverTooOld_isRefused() {
        RedisServer server = startServer();
        RedisDriver old = new Disguised(driver(server.address()), "6.0.20");
        ServerRefusedException refused = assertThrows(ServerRefusedException.class, () -> Holdfast.over(old));
        assertTrue(String.valueOf(refused.getMessage()).contains("the oldest that works is 6.2"), refused.getMessage());
    }

    @Test
    final void connect_refused_leavesNothingOnTheServer() {
        RedisServer server = startServer("--maxmemory-policy", "volatile-lru");
        HoldfastOptions refuse = HoldfastOptions.defaults().withEviction(Eviction.REFUSE);
        assertThrows(ServerRefusedException.class, () -> Holdfast.connect(server.url(), refuse));
        await(
                "its connections are closed",
                () -> server.command("CLIENT", "LIST", "TYPE", "pubsub")
                        .asString()
                        .isEmpty());
        assertEquals(List.of(), server.command("KEYS", "*").asList());
    }

    private static String assertTold(Class<? extends HoldfastException> type, String address, String... words) {
        HoldfastException told =
                assertThrows(type, () -> Holdfast.connect(address).close());
        String message = String.valueOf(told.getMessage());
        for (String word : words) {
            assertTrue(message.contains(word), message);
        }
        return message;
    }

    /** A server that says it has another version. */
    private record Disguised(RedisDriver driver, String claimed) implements RedisDriver {
        @Override
        public CompletionStage<Reply> send(Command command) {
            CompletionStage<Reply> reply = driver.send(command);
            return command.name().equals("INFO")
                    ? reply.thenApply(info ->
                            Reply.of(info.asString().replaceFirst("redis_version:\\S+", "redis_version:" + claimed)))
                    : reply;
        }

        @Override
        public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
            return driver.subscribe(channel, onMessage);
        }

        @Override
        public CompletionStage<Void> unsubscribe(String channel) {
            return driver.unsubscribe(channel);
        }

        @Override
        public void reconnect() {
            driver.reconnect();
        }

        @Override
        public void listen(ConnectionListener listener) {
            driver.listen(listener);
        }

        @Override
        public String describe() {
            return driver.describe();
        }

        @Override
        public void close() {
            driver.close();
        }
    }
}
