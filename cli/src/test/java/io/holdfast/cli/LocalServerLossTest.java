package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of those who hold a machine-local lock, or wait for one, when its server or its holder ends. */
final class LocalServerLossTest {
    /** Far below the term, which is 30 seconds here, and far above what a loaded machine needs. */
    private static final Duration SOON = Duration.ofSeconds(25);

    @TempDir
    Path folder;

    @AfterEach
    void awaitEnd() throws Exception {
        Launched.awaitKeeperGone(folder);
    }

    private Launched command(String... words) {
        return Launched.holdfast(Launched.machineLocal(folder), words);
    }

    /** One that holds the lock until it is told to end. */
    private Launched holder(String... options) throws InterruptedException {
        List<String> words = new ArrayList<>(List.of("run", "e"));
        words.addAll(List.of(options));
        words.addAll(List.of("--", "sh", "-c", "echo runs; read line; echo ends"));
        Launched holder = command(words.toArray(String[]::new));
        holder.awaitOut("runs");
        Launched.await("the command beside its process", () -> clients().contains("\nprocess " + below(holder) + " "));
        return holder;
    }

    private static long below(Launched command) {
        return ProcessHandle.of(command.pid()).stream()
                .flatMap(ProcessHandle::children)
                .mapToLong(ProcessHandle::pid)
                .findFirst()
                .orElse(-1);
    }

    /** What clients say of where they live. */
    private String clients() {
        StringBuilder all = new StringBuilder();
        try (var files = Files.list(folder.resolve("home/clients"))) {
            for (Path file : files.toList()) {
                all.append(Files.readString(file));
            }
        } catch (IOException | UncheckedIOException e) {
            // one is on its way in or out
        }
        return all.toString();
    }

    /** One that stands in the queue. */
    private Launched waiter() throws InterruptedException {
        Launched waiter = command("run", "e", "-v", "--", "echo", "ran");
        waiter.awaitErr("position 1 of 1");
        return waiter;
    }

    private long server() throws IOException {
        return Files.readAllLines(folder.resolve("home/address")).stream()
                .filter(line -> line.startsWith("pid "))
                .mapToLong(line -> Long.parseLong(line.substring(4)))
                .findFirst()
                .orElseThrow();
    }

    private List<ProcessHandle> running(String words) {
        return ProcessHandle.allProcesses()
                .filter(each -> {
                    String line = each.info().commandLine().orElse("");
                    return line.contains(folder.toString()) && line.contains(words);
                })
                .toList();
    }

    private static void awaitGone(long pid) throws InterruptedException {
        Launched.await(
                "the end of " + pid,
                () -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
    }

    private static void assertSoon(long begin) {
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        assertTrue(took.compareTo(SOON) < 0, took::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "TERM"})
    void serverEnds_holderIsToldAndWaiterIsServed_longBeforeTheTerm(String signal) throws Exception {
        try (Launched first = holder();
                Launched second = waiter()) {
            long begin = System.nanoTime();
            Launched.signal(signal, server());
            assertEquals(76, first.status(), first.err());
            assertTrue(first.err().contains("the server has forgotten it or has given it to another"), first.err());
            assertEquals(0, second.status(), second.err());
            assertEquals("ran\n", second.out());
            assertSoon(begin);
        }
    }

    @Test
    void serverEnds_newcomerStartsAnother_waiterQueuesThere() throws Exception {
        try (Launched first = holder();
                Launched second = waiter()) {
            long old = server();
            first.signal(
                    "STOP"); // so that it does not start the other server, and does not end before the newcomer has it
            second.signal("STOP");
            Launched.signal("KILL", old);
            awaitGone(old);
            try (Launched newcomer = holder()) {
                assertNotEquals(old, server());
                first.signal("CONT");
                second.signal("CONT");
                assertEquals(76, first.status(), first.err());
                Launched.await("the waiter in the queue of the new server", () -> {
                    try (Launched queue = command("queue", "e", "--json")) {
                        assertEquals(0, queue.status(), queue.err());
                        return queue.out().contains("echo");
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                });
                assertEquals("", second.out());
                newcomer.line("");
                assertEquals(0, newcomer.status(), newcomer.err());
                assertEquals(0, second.status(), second.err());
            }
        }
    }

    @Test
    void serverEnds_manyJoinAnewAtOnce_meetOnOneServer() throws Exception {
        List<Launched> all = new ArrayList<>();
        try {
            Path log = folder.resolve("log");
            all.add(holder());
            for (int i = 0; i < 5; i++) {
                // Whoever is not alone says so: mkdir succeeds for one at a time.
                Launched waiter = command(
                        "run",
                        "e",
                        "-v",
                        "--",
                        "sh",
                        "-c",
                        "mkdir " + folder + "/one || echo two >> " + log + "; sleep 0.2; rmdir " + folder + "/one");
                all.add(waiter);
                waiter.awaitErr("position");
            }
            Launched.signal("KILL", server());
            assertEquals(76, all.get(0).status());
            Launched.await(
                    "one server",
                    () -> running("redis-server").size() == 1
                            && !running("redis-server").isEmpty());
            for (Launched each : all.subList(1, all.size())) {
                assertEquals(0, each.status(), each.err());
                assertTrue(running("redis-server").size() <= 1);
            }
            assertFalse(Files.exists(log));
        } finally {
            all.forEach(Launched::close);
        }
    }

    @Test
    void serverIsFrozen_holderIsToldAtTheTerm_waiterGoesOnWhenItThaws() throws Exception {
        try (Launched first = holder("--lease", "2s");
                Launched second = waiter()) {
            long server = server();
            Launched.signal("STOP", server);
            try {
                assertEquals(76, first.status(), first.err());
                try (Launched third = command("run", "e", "--", "echo", "ran")) {
                    assertEquals(69, third.status(), third.err());
                    assertTrue(third.err().contains("kill -CONT " + server), third.err());
                }
                assertEquals("", second.out());
            } finally {
                Launched.signal("CONT", server);
            }
            assertEquals(0, second.status(), second.err());
            assertEquals("ran\n", second.out());
        }
    }

    @Test
    void serverIsFrozenAndThenKilled_waiterIsServedByAnother() throws Exception {
        try (Launched first = holder("--lease", "2s");
                Launched second = waiter()) {
            long server = server();
            Launched.signal("STOP", server);
            assertEquals(76, first.status(), first.err());
            Launched.signal("KILL", server);
            assertEquals(0, second.status(), second.err());
            assertEquals("ran\n", second.out());
        }
    }

    @Test
    void serverAndKeeper_haveNothingOfTheStartersEnvironment() throws Exception {
        Map<String, String> environment = new HashMap<>(Launched.machineLocal(folder));
        environment.put("SECRET_OF_JOB", "abc");
        try (Launched first = Launched.holdfast(environment, "run", "e", "--", "sh", "-c", "echo runs; read line")) {
            first.awaitOut("runs");
            List<ProcessHandle> left = new ArrayList<>(running("Keeper"));
            ProcessHandle.of(server()).ifPresent(left::add);
            assertEquals(2, left.size());
            for (ProcessHandle each : left) {
                String all = new String(
                        Files.readAllBytes(Path.of("/proc", Long.toString(each.pid()), "environ")),
                        StandardCharsets.UTF_8);
                assertFalse(all.contains("SECRET_OF_JOB"), all);
                assertFalse(all.contains("HOLDFAST_"), all);
            }
            first.line("");
            assertEquals(0, first.status());
        }
    }

    @Test
    void sessionOfTheStarterIsKilled_serverAndTheLocksOfOthersLiveOn() throws Exception {
        List<String> line = new ArrayList<>(List.of("setsid"));
        line.addAll(Launched.line("run", "first", "--", "sh", "-c", "echo runs; read line"));
        try (Launched starter = Launched.start(Launched.machineLocal(folder), line)) {
            starter.awaitOut("runs");
            try (Launched other = holder()) {
                long server = server();
                Process ps = new ProcessBuilder("ps", "-e", "-o", "sess=,pid=").start();
                int killed = 0;
                for (String each : new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                    String[] words = each.trim().split(" +");
                    if (words[0].equals(Long.toString(starter.pid()))) {
                        Launched.signal("KILL", Long.parseLong(words[1]));
                        killed++;
                    }
                }
                assertEquals(3, killed); // it, its watcher and its command
                starter.status();
                other.line("");
                assertEquals(0, other.status(), other.err());
                assertEquals(server, server());
            }
        }
    }

    @Test
    void holderIsKilled_withItsCommand_waiterIsServedAtOnce() throws Exception {
        try (Launched first = holder();
                Launched second = waiter()) {
            long begin = System.nanoTime();
            first.close(); // kills both
            assertEquals(0, second.status(), second.err());
            assertSoon(begin);
        }
    }

    @Test
    void holderOfAPermitIsKilled_whileAnotherLives_waiterIsServedAtOnce() throws Exception {
        try (Launched first = holder("--permits", "1/2");
                Launched second = holder("--permits", "1/2");
                Launched third = command("run", "e", "--permits", "1/2", "-v", "--", "echo", "ran")) {
            third.awaitErr("position 1 of 1");
            long begin = System.nanoTime();
            first.close(); // kills it with its command
            assertEquals(0, third.status(), third.err());
            assertSoon(begin);
            second.line("");
            assertEquals(0, second.status(), second.err());
        }
    }

    @Test
    void holderWasKilled_whoeverTries_getsTheLockAtOnce() throws Exception {
        Launched first = holder();
        first.close();
        try (Launched second = command("run", "e", "--try", "-q", "--", "echo", "ran")) {
            assertEquals(0, second.status(), second.err());
            assertEquals("ran\n", second.out());
        }
    }

    @Test
    void holderIsKilled_butItsCommandLives_lockStaysTaken() throws Exception {
        try (Launched first = holder()) {
            long command = ProcessHandle.of(first.pid()).stream()
                    .flatMap(ProcessHandle::children)
                    .filter(each -> !each.info().commandLine().orElse("").contains("watcher-of"))
                    .mapToLong(ProcessHandle::pid)
                    .findFirst()
                    .orElseThrow();
            Launched.signal("STOP", command); // what is to end it lets it end by itself first
            Launched.signal("KILL", first.pid());
            try (Launched second = command("run", "e", "--try", "-q", "--", "echo", "ran")) {
                assertEquals(75, second.status(), second.err());
            }
            long begin = System.nanoTime();
            Launched.signal("KILL", command);
            // What was to end the command notices that it has ended, and ends too.
            try (Launched second = command("run", "e", "-q", "--", "echo", "ran")) {
                assertEquals(0, second.status(), second.err());
            }
            assertSoon(begin);
        }
    }

    @Test
    void holderIsKilled_itsCommandEndsBeforeWhatThatHasStarted_lockStaysTakenUntilAllAreGone() throws Exception {
        try (Launched first =
                        command("run", "e", "--", "sh", "-c", "(trap '' TERM; echo runs; exec sleep 600) & wait");
                Launched second = waiter(first)) {
            ProcessHandle command = ProcessHandle.of(commandOf(first)).orElseThrow();
            ProcessHandle started = command.children().findFirst().orElseThrow();
            Launched.signal("KILL", first.pid());
            awaitGone(command.pid());
            try (Launched third = command("run", "e", "--try", "-q", "--", "echo", "ran")) {
                assertEquals(75, third.status(), third.err());
            }
            assertTrue(started.isAlive());
            assertTrue(second.isAlive());
            long begin = System.nanoTime();
            Launched.signal("KILL", started.pid());
            assertEquals(0, second.status(), second.err());
            assertSoon(begin);
        }
    }

    /** One that stands in the queue behind a command that runs. */
    private Launched waiter(Launched first) throws InterruptedException {
        first.awaitOut("runs");
        Launched.await(
                "the command beside its process", () -> clients().contains("\nprocess " + commandOf(first) + " "));
        return waiter();
    }

    /** Of the processes that holdfast has started, the one that has started another. */
    private static long commandOf(Launched holdfast) {
        return ProcessHandle.of(holdfast.pid()).stream()
                .flatMap(ProcessHandle::children)
                .filter(each -> each.children().findAny().isPresent())
                .mapToLong(ProcessHandle::pid)
                .findFirst()
                .orElse(-1);
    }
}
