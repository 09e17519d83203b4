package io.holdfast.cli;

import static io.holdfast.contracts.Outcomes.assertObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseTicket;
import io.holdfast.LockEvent;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of the machine-local server whose server ends, at each step of their life. */
final class LocalClientTest {
    private static final Map<String, String> PROPERTIES = Map.of(
            "holdfast.embedded.server", "bundled",
            "holdfast.embedded.idleMillis", "1000");
    /** Far below the term, which is 30 seconds here. */
    private static final long SOON_SECONDS = 25;

    @TempDir
    Path folder;

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();

    @BeforeEach
    void choose() {
        PROPERTIES.forEach(System::setProperty);
        System.setProperty("holdfast.embedded.home", folder.resolve("home").toString());
    }

    @AfterEach
    void awaitEnd() throws Exception {
        PROPERTIES.keySet().forEach(System::clearProperty);
        System.clearProperty("holdfast.embedded.home");
        Launched.awaitKeeperGone(folder);
    }

    private Holdfast client() {
        return Holdfast.embedded(HoldfastOptions.defaults().withListener(events::add));
    }

    private long server() throws IOException {
        return Files.readAllLines(folder.resolve("home/address")).stream()
                .filter(line -> line.startsWith("pid "))
                .mapToLong(line -> Long.parseLong(line.substring(4)))
                .findFirst()
                .orElseThrow();
    }

    private void end(String signal) throws Exception {
        long server = server();
        Launched.signal(signal, server);
        Launched.await(
                "the server's end",
                () -> ProcessHandle.of(server).filter(ProcessHandle::isAlive).isEmpty());
    }

    private static Lease obtained(CompletableFuture<Attempt<Lease>> attempt) throws Exception {
        return assertObtained(attempt.get(SOON_SECONDS, TimeUnit.SECONDS));
    }

    private void awaitQueued(int count) throws InterruptedException {
        Launched.await(
                count + " in the queue",
                () -> events.stream().filter(LockEvent.Queued.class::isInstance).count() == count);
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "TERM"})
    void serverEnds_beforeItAsks_isServedByAnother(String signal) throws Exception {
        try (Holdfast client = client()) {
            long old = server();
            end(signal);
            try (Lease lease = client.lock("x").acquire(Wait.upTo(Duration.ofSeconds(SOON_SECONDS)))) {
                assertTrue(lease.isValid());
                assertNotEquals(old, server());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "TERM"})
    void serverEnds_whileItHolds_isToldAtOnce(String signal) throws Exception {
        try (Holdfast client = client()) {
            Lease lease = client.lock("x").acquire();
            end(signal);
            assertEquals(
                    LossReason.NOT_ON_SERVER,
                    lease.whenLost().toCompletableFuture().get(SOON_SECONDS, TimeUnit.SECONDS));
            assertFalse(lease.isValid());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "TERM"})
    void serverEnds_whileItWaits_isQueuedAgainWhichIsTold_andServed(String signal) throws Exception {
        try (Holdfast holder = client();
                Holdfast client = client()) {
            Lease held = holder.lock("x").acquire();
            CompletableFuture<Attempt<Lease>> first =
                    client.lock("x").attemptAsync(Wait.forever()).toCompletableFuture();
            awaitQueued(1);
            end(signal);
            held.whenLost().toCompletableFuture().get(SOON_SECONDS, TimeUnit.SECONDS);
            Lease lease = obtained(first);
            assertTrue(lease.token() > held.token());
            assertTrue(events.stream().anyMatch(LockEvent.Requeued.class::isInstance), events::toString);
            lease.release();
        }
    }

    @Test
    void serverEnds_beforeTheRelease_releaseReturnsAndNextIsServed() throws Exception {
        try (Holdfast holder = client();
                Holdfast client = client()) {
            Lease held = holder.lock("x").acquire();
            CompletableFuture<Attempt<Lease>> next =
                    client.lock("x").attemptAsync(Wait.forever()).toCompletableFuture();
            awaitQueued(1);
            Launched.signal("KILL", server());
            ReleaseResult result = held.release();
            assertTrue(result == ReleaseResult.ALREADY_GONE || result == ReleaseResult.UNCONFIRMED, result::toString);
            obtained(next).release();
        }
    }

    @Test
    void serverEnds_twiceWhileManyWait_eachIsServedOnceAndNobodyTogether() throws Exception {
        List<Holdfast> clients = new ArrayList<>();
        try {
            List<CompletableFuture<Attempt<Lease>>> attempts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Holdfast client = client();
                clients.add(client);
                for (int j = 0; j < 3; j++) {
                    attempts.add(client.lock("x")
                            .withActor("actor " + j)
                            .attemptAsync(Wait.forever())
                            .toCompletableFuture());
                }
            }
            Launched.await("the first lease", () -> attempts.stream().anyMatch(CompletableFuture::isDone));
            awaitQueued(attempts.size() - 1);
            List<CompletableFuture<Attempt<Lease>>> taken = new ArrayList<>();
            long newest = 0;
            for (int served = 0; served < attempts.size(); served++) {
                CompletableFuture.anyOf(attempts.stream()
                                .filter(each -> !taken.contains(each))
                                .toArray(CompletableFuture[]::new))
                        .get(SOON_SECONDS, TimeUnit.SECONDS);
                CompletableFuture<Attempt<Lease>> done = attempts.stream()
                        .filter(each -> each.isDone() && !taken.contains(each))
                        .findFirst()
                        .orElseThrow();
                taken.add(done);
                Lease lease = obtained(done);
                assertTrue(lease.token() > newest);
                newest = lease.token();
                if (served % 4 == 0) {
                    // Until its grant is confirmed it has a claim window only, which a slow start of the server
                    // outlasts.
                    Launched.await("its whole term", () -> lease.remaining().toSeconds() > 10);
                    end("KILL");
                    assertEquals(
                            LossReason.NOT_ON_SERVER,
                            lease.whenLost().toCompletableFuture().get(SOON_SECONDS, TimeUnit.SECONDS));
                }
                lease.release();
            }
        } finally {
            clients.forEach(Holdfast::close);
        }
    }

    @Test
    void serverEnds_whileTheClientIsClosed_endsInTime() throws Exception {
        long begin = System.nanoTime();
        try (Holdfast client = client()) {
            client.lock("x").acquire();
            end("KILL");
        }
        assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(SOON_SECONDS));
    }

    @Test
    void connectionsBreak_serverLives_leaseGoesOn() throws Exception {
        try (Holdfast client = client()) {
            Lease lease = client.lock("x").acquire();
            long server = server();
            kickEverybody();
            Launched.await(
                    "a renewal after the reconnect",
                    () -> events.stream().anyMatch(LockEvent.Renewed.class::isInstance));
            assertTrue(lease.isValid());
            assertEquals(server, server());
            lease.release();
        }
    }

    private void kickEverybody() throws IOException {
        List<String> record = Files.readAllLines(folder.resolve("home/address"));
        int port = Integer.parseInt(value(record, "port "));
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.getOutputStream()
                    .write(("AUTH " + value(record, "password ")
                                    + "\r\nCLIENT KILL TYPE normal\r\nCLIENT KILL TYPE pubsub\r\nQUIT\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getInputStream().readAllBytes();
        }
    }

    private static String value(List<String> record, String name) {
        return record.stream()
                .filter(line -> line.startsWith(name))
                .findFirst()
                .orElseThrow()
                .substring(name.length());
    }

    @Test
    void serverIsFrozen_attemptIsUnknown_andGoesOnWhenItThaws() throws Exception {
        try (Holdfast client = client()) {
            long server = server();
            Launched.signal("STOP", server);
            try {
                assertInstanceOf(Attempt.Unknown.class, client.lock("x").attempt(Wait.upTo(Duration.ofMillis(500))));
            } finally {
                Launched.signal("CONT", server);
            }
            try (Lease lease = client.lock("x").acquire(Wait.upTo(Duration.ofSeconds(SOON_SECONDS)))) {
                assertTrue(lease.isValid());
            }
            assertEquals(server, server());
        }
    }

    @Test
    void ticketWasGiven_processEnds_holdIsNotTakenForNobodys() throws Exception {
        try (Holdfast giver = client();
                Holdfast receiver = client()) {
            Path file = folder.resolve("home/clients").resolve(giver.id());
            assertTrue(Files.exists(file));
            Lease lease = giver.lock("x").acquire();
            LeaseTicket ticket = lease.ticket();
            assertFalse(Files.exists(file));
            Lease adopted = receiver.adopt(ticket);
            lease.detach();
            adopted.release();
        }
    }

    @Test
    void closedClient_leavesNothingInTheFolder() throws Exception {
        try (Holdfast client = client()) {
            assertTrue(Files.exists(folder.resolve("home/clients").resolve(client.id())));
        }
        try (var left = Files.list(folder.resolve("home/clients"))) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void folderThatIsNotSafe_isUnreachable() throws Exception {
        Files.createFile(folder.resolve("home"));
        assertThrows(ServerUnreachableException.class, this::client);
    }
}
