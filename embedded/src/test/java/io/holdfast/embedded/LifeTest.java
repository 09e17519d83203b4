package io.holdfast.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.RedisAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the server lives on, and how it ends. */
final class LifeTest {
    /** A keeper that would end the server does so within ten looks. */
    private static final int ENOUGH_LOOKS = 25;

    @TempDir
    Path temporary;

    @Test
    void starterKilled_serverInUse_livesOnUntilUnused() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.SHORT_IDLE_MILLIS)) {
            Child starter = sandbox.child();
            assertNotNull(starter.join());
            ProcessHandle server = sandbox.server();
            ProcessHandle keeper = sandbox.keeper();
            try (RawClient user = RawClient.of(sandbox.record())) {
                starter.kill();
                user.awaitLooks(ENOUGH_LOOKS);
                assertTrue(server.isAlive());
            }
            Sandbox.awaitEnd(server);
            Sandbox.awaitEnd(keeper);
            assertTrue(Files.notExists(sandbox.folder().resolve(StateFolder.ADDRESS)));
        }
    }

    @Test
    void share_open_keepsServer_closed_letsItEnd() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.SHORT_IDLE_MILLIS)) {
            EmbeddedServer share = sandbox.join();
            ProcessHandle server = sandbox.server();
            // Another server's keeper tells the time: a look at this server would keep it as the share does.
            try (Sandbox other =
                            Sandbox.in(Files.createDirectory(temporary.resolve("other")), Sandbox.SHORT_IDLE_MILLIS);
                    EmbeddedServer otherShare = other.join();
                    RawClient clock = RawClient.of(other.record())) {
                assertNotEquals(share.address(), otherShare.address());
                clock.awaitLooks(ENOUGH_LOOKS);
            }
            assertTrue(server.isAlive());
            share.close();
            Sandbox.awaitEnd(server);
        }
    }

    /** A lock may rest, or a plain lock be held, for longer than the server waits for somebody to come: it must not be forgotten. */
    @ParameterizedTest
    @CsvSource({"hf:{nightly}, - 7 1 10000 app/host/1/main", "nightly, x"})
    void lockIsHeldAndNobodyConnected_serverStaysUntilThatIsOver(String key, String value) throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.SHORT_IDLE_MILLIS)) {
            sandbox.join().close();
            ProcessHandle server = sandbox.server();
            ServerRecord record = sandbox.record();
            long begin = System.nanoTime();
            long rests = 10 * Sandbox.SHORT_IDLE_MILLIS;
            try (Wire wire = Wire.open(record.port(), record.password(), "test", 10_000)) {
                wire.command("SET", key, value, "PX", Long.toString(rests));
            }
            Sandbox.awaitEnd(server);
            assertTrue(System.nanoTime() - begin >= Duration.ofMillis(rests).toNanos(), "it has forgotten " + key);
        }
    }

    @Test
    void lastProcessKilled_serverEnds_nextJoinStartsAnother() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.SHORT_IDLE_MILLIS)) {
            Child child = sandbox.child();
            assertNotNull(child.join());
            ServerRecord first = sandbox.record();
            ProcessHandle server = sandbox.server();
            ProcessHandle keeper = sandbox.keeper();
            child.kill();
            Sandbox.awaitEnd(server);
            Sandbox.awaitEnd(keeper);
            try (EmbeddedServer second = sandbox.join()) {
                assertNotEquals(first.password(), second.address().password());
            }
        }
    }

    @Test
    void joinUnderLock_whileKeeperWantsToEnd_keepsServer() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.SHORT_IDLE_MILLIS)) {
            sandbox.join().close();
            ProcessHandle server = sandbox.server();
            ServerRecord record = sandbox.record();
            RawClient user;
            try (FolderLock lock = FolderLock.take(sandbox.folder().resolve(StateFolder.LOCK), 0)) {
                assertNotNull(lock);
                user = RawClient.of(record);
                user.awaitLooks(ENOUGH_LOOKS);
            }
            try (RawClient connected = user) {
                assertTrue(server.isAlive());
                connected.awaitLooks(ENOUGH_LOOKS);
            }
            Sandbox.awaitEnd(server);
        }
    }

    @Test
    void serverKilled_nextJoin_anotherServer() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer first = sandbox.join()) {
            ProcessHandle server = sandbox.server();
            Sandbox.kill(server);
            try (EmbeddedServer second = sandbox.join();
                    RawClient client = RawClient.of(sandbox.record())) {
                assertNotEquals(first.address().password(), second.address().password());
                assertNotEquals(server.pid(), sandbox.record().pid());
                assertEquals("+PONG", client.ask("PING"));
            }
        }
    }

    @Test
    void find_serverLives_isTheSame_alsoWhileItIsStopped() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer share = sandbox.join()) {
            assertEquals(share.address(), share.find());
            Sandbox.signal("STOP", sandbox.server());
            assertTimeout(Duration.ofSeconds(1), () -> assertEquals(share.address(), share.find()));
            Sandbox.signal("CONT", sandbox.server());
        }
    }

    @Test
    void find_serverKilled_twoAtOnce_getTheSameOther() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer first = sandbox.join();
                EmbeddedServer second = sandbox.join()) {
            RedisAddress before = first.address();
            Sandbox.kill(sandbox.server());
            CompletableFuture<RedisAddress> other = CompletableFuture.supplyAsync(second::find);
            RedisAddress after = first.find();
            assertNotEquals(before, after);
            assertEquals(after, other.join());
            assertEquals(after, first.address());
            assertEquals(1, sandbox.running("redis-server").size());
        }
    }

    @Test
    void find_folderRemoved_makesItAnewWithAnotherServer() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.SHORT_IDLE_MILLIS);
                EmbeddedServer share = sandbox.join()) {
            RedisAddress before = share.address();
            ProcessHandle server = sandbox.server();
            // In one step: where files go one by one, the keeper may make one while the folder is being removed.
            Files.move(sandbox.folder(), temporary.resolve("removed"));
            assertNotEquals(before, share.find());
            Sandbox.awaitEnd(server);
        }
    }

    @Test
    void find_anotherServerTookItsPlace_joinsThat() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer share = sandbox.join()) {
            Sandbox.kill(sandbox.server());
            try (EmbeddedServer other = sandbox.join()) {
                assertEquals(other.address(), share.find());
            }
            // The share is in the other server now, and keeps it.
            ProcessHandle server = sandbox.server();
            assertTrue(server.isAlive());
        }
    }

    @Test
    void find_closed_isAnError() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.SHORT_IDLE_MILLIS)) {
            EmbeddedServer share = sandbox.join();
            share.close();
            share.close();
            assertThrows(DriverException.class, share::find);
        }
    }

    @Test
    void serverKilled_keeperEnds() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.SHORT_IDLE_MILLIS);
                EmbeddedServer share = sandbox.join()) {
            assertEquals(sandbox.record().port(), share.address().port());
            ProcessHandle keeper = sandbox.keeper();
            Sandbox.kill(sandbox.server());
            Sandbox.awaitEnd(keeper);
        }
    }

    @Test
    void keeperKilled_nextJoin_anotherKeeperThatEndsTheServer() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.SHORT_IDLE_MILLIS)) {
            EmbeddedServer first = sandbox.join();
            ProcessHandle server = sandbox.server();
            ProcessHandle keeper = sandbox.keeper();
            Sandbox.kill(keeper);
            EmbeddedServer second = sandbox.join();
            assertEquals(first.address(), second.address());
            ProcessHandle another = sandbox.keeper();
            assertNotEquals(keeper.pid(), another.pid());
            first.close();
            second.close();
            Sandbox.awaitEnd(server);
            Sandbox.awaitEnd(another);
        }
    }

    @Test
    void terminalSignals_serverOrKeeper_notEnded() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.SHORT_IDLE_MILLIS);
                EmbeddedServer share = sandbox.join();
                RawClient user = RawClient.of(sandbox.record())) {
            assertEquals(sandbox.record().port(), share.address().port());
            for (String signal : new String[] {"HUP", "INT", "TERM", "TSTP"}) {
                Sandbox.signal(signal, sandbox.keeper());
            }
            user.awaitLooks(ENOUGH_LOOKS);
            assertTrue(sandbox.keeper().isAlive());
            // What a terminal sends goes to the process group of whoever started the server.
            assertEquals(sandbox.server().pid(), processGroup(sandbox.server()));
        }
    }

    @Test
    void serverAndKeeper_areNotBelowTheStarter_norInItsSession() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer share = sandbox.join()) {
            assertEquals(share.address(), share.find());
            List<Long> below = ProcessHandle.current()
                    .descendants()
                    .map(ProcessHandle::pid)
                    .toList();
            String session = session(ProcessHandle.current());
            for (ProcessHandle each : List.of(sandbox.server(), sandbox.keeper())) {
                assertFalse(below.contains(each.pid()));
                assertNotEquals(session, session(each));
                assertEquals(
                        each.equals(sandbox.server()) ? sandbox.folder().toRealPath() : Path.of("/"),
                        Path.of("/proc", Long.toString(each.pid()), "cwd").toRealPath());
            }
        }
    }

    @Test
    void serverAndKeeper_haveNothingOfTheStartersEnvironmentButWhatTheyNeed() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS)) {
            Child starter = sandbox.child(); // has SECRET_OF_JOB
            assertNotNull(starter.join());
            // The last three are what shells add.
            Set<String> known = Set.of("PATH", "LD_LIBRARY_PATH", "TZ", "PWD", "SHLVL", "_");
            for (ProcessHandle each : List.of(sandbox.server(), sandbox.keeper())) {
                String variables = Files.readString(
                        Path.of("/proc", Long.toString(each.pid()), "environ"), StandardCharsets.ISO_8859_1);
                for (String variable : variables.split("\0", -1)) {
                    String name = variable.substring(0, Math.max(0, variable.indexOf('=')));
                    assertTrue(variable.isEmpty() || known.contains(name), name + " of " + each.info());
                }
            }
        }
    }

    private static String session(ProcessHandle process) throws Exception {
        Process ps = new ProcessBuilder("ps", "-o", "sess=", "-p", Long.toString(process.pid())).start();
        return new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
    }

    private static long processGroup(ProcessHandle process) throws Exception {
        Process ps = new ProcessBuilder("ps", "-o", "pgid=", "-p", Long.toString(process.pid())).start();
        return Long.parseLong(new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim());
    }

    @Test
    void serverStopped_join_errorWithinBound_continued_works() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer first = sandbox.join()) {
            ProcessHandle server = sandbox.server();
            Sandbox.signal("STOP", server);
            DriverException error =
                    assertTimeout(Duration.ofSeconds(8), () -> assertThrows(DriverException.class, sandbox::join));
            String message = String.valueOf(error.getMessage());
            assertEquals(DriverException.Kind.UNKNOWN, error.kind());
            assertTrue(message.contains("did not answer") && message.contains("process " + server.pid()), message);
            Sandbox.signal("CONT", server);
            try (EmbeddedServer second = sandbox.join()) {
                assertEquals(first.address(), second.address());
            }
        }
    }

    @Test
    void serverRefuses_join_errorWithItsWords() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer share = sandbox.join()) {
            assertEquals(sandbox.record().port(), share.address().port());
            try (RawClient client = RawClient.of(sandbox.record())) {
                assertEquals("+OK", client.ask("CONFIG SET requirepass another"));
            }
            DriverException error = assertThrows(DriverException.class, sandbox::join);
            assertTrue(String.valueOf(error.getMessage()).contains("WRONGPASS"), error::toString);
        }
    }

    /** CVE-2025-21605. */
    @Test
    void stranger_whoReadsNothing_isCutOff() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer share = sandbox.join();
                Socket stranger = new Socket(
                        InetAddress.getLoopbackAddress(), share.address().port())) {
            byte[] requests = "PING\r\n".repeat(10_000).getBytes(StandardCharsets.US_ASCII);
            OutputStream out = stranger.getOutputStream();
            // Each is answered by six times as much; some megabytes wait in the sockets.
            assertThrows(IOException.class, () -> {
                for (int i = 0; i < 2_000; i++) {
                    out.write(requests);
                }
            });
            try (RawClient user = RawClient.of(sandbox.record())) {
                assertEquals("+PONG", user.ask("PING"));
            }
        }
    }

    @Test
    void serverBusyWithScript_join_works() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer first = sandbox.join();
                RawClient client = RawClient.of(sandbox.record());
                RawClient watcher = RawClient.of(sandbox.record())) {
            client.ask("CONFIG SET busy-reply-threshold 1");
            client.send("EVAL \"while true do end\" 0");
            String reply;
            do {
                reply = String.valueOf(watcher.ask("PING"));
            } while (!reply.startsWith("-BUSY"));
            try (EmbeddedServer second = sandbox.join()) {
                assertEquals(first.address(), second.address());
            }
            assertEquals("+OK", watcher.ask("SCRIPT KILL"));
        }
    }

    @Test
    void staleRecord_processNumberInUseByAnother_replaced() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS)) {
            int port;
            try (ServerSocket free = new ServerSocket(0)) {
                port = free.getLocalPort();
            }
            sandbox.write(
                    new ServerRecord(1, port, "old", ProcessHandle.current().pid(), "not the birth of this process"));
            try (EmbeddedServer server = sandbox.join()) {
                assertNotEquals("old", server.address().password());
            }
        }
    }

    @Test
    void staleRecord_portTakenByAnotherWhoAcceptsEveryPassword_notBelieved() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                ServerSocket taken = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread impostor = new Thread(() -> {
                try (Socket socket = taken.accept();
                        InputStream in = socket.getInputStream()) {
                    asked.incrementAndGet();
                    socket.getOutputStream().write("+OK\r\n+OK\r\n+PONG\r\n".getBytes(StandardCharsets.UTF_8));
                    in.readAllBytes();
                } catch (IOException e) {
                    // the test is over
                }
            });
            impostor.start();
            sandbox.write(new ServerRecord(1, taken.getLocalPort(), "old", Integer.MAX_VALUE, "1"));
            try (EmbeddedServer server = sandbox.join()) {
                assertNotEquals(taken.getLocalPort(), server.address().port());
            }
            impostor.join();
            assertEquals(1, asked.get());
        }
    }

    @Test
    void starterDiedHalfway_nextJoin_replacesTheServer() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS)) {
            sandbox.join().close();
            ProcessHandle server = sandbox.server();
            ServerRecord record = sandbox.record();
            sandbox.write(new ServerRecord(record.id(), record.port(), record.password(), 0, ""));
            try (EmbeddedServer another = sandbox.join()) {
                assertNotEquals(record.password(), another.address().password());
                Sandbox.awaitEnd(server);
            }
        }
    }

    @Test
    void starterKilledWhileServerStarts_serverEndsAllTheSame() throws Exception {
        Path program = Sandbox.program(temporary);
        Path gate = temporary.resolve("gate");
        assertEquals(
                0,
                new ProcessBuilder("mkfifo", gate.toString())
                        .start()
                        .onExit()
                        .join()
                        .exitValue());
        Path script = Files.createFile(temporary.resolve("script"), StateFolder.permissions("rwx------"));
        Files.writeString(script, "#!/bin/sh\nread line <'%s'\nexec '%s' \"$@\"\n".formatted(gate, program));
        try (Sandbox sandbox = Sandbox.of(new Settings(
                temporary.resolve("home"), script.toString(), Sandbox.SHORT_IDLE_MILLIS, "", "linux-amd64"))) {
            Child starter = sandbox.child();
            starter.awaitReady();
            starter.sendJoin();
            try (OutputStream opened = Files.newOutputStream(gate)) {
                // The script reads: the starter has done all that comes before.
                starter.kill();
                ProcessHandle keeper = sandbox.keeper();
                opened.write('\n');
                opened.flush();
                Sandbox.awaitEnd(keeper);
            }
            String log = Files.readString(sandbox.folder().resolve(StateFolder.LOG));
            assertTrue(log.contains("Ready to accept connections") && log.contains("User requested shutdown"), log);
        }
    }

    @Test
    void recordRemoved_serverInUse_endedAtOnce() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.SHORT_IDLE_MILLIS);
                EmbeddedServer share = sandbox.join();
                RawClient user = RawClient.of(sandbox.record())) {
            assertEquals(sandbox.record().port(), share.address().port());
            ProcessHandle server = sandbox.server();
            ProcessHandle keeper = sandbox.keeper();
            Files.delete(sandbox.folder().resolve(StateFolder.ADDRESS));
            user.awaitEnd();
            Sandbox.awaitEnd(server);
            Sandbox.awaitEnd(keeper);
        }
    }
}
