package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a command whose holdfast is killed without being asked, and of what a command leaves behind. */
final class WatchTest extends ObservedServer {
    /** Processes that nothing ends if a test fails. */
    private final List<Long> started = new ArrayList<>();

    @AfterEach
    void endAll() {
        started.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    /** A script that says "runs" and the numbers of processes, which are noted. */
    private Launched run(String lock, String script, String... options) throws InterruptedException {
        Launched command = Launched.holdfast(Stream.of(
                        Stream.of("run", lock, "--url", server.url()),
                        Arrays.stream(options),
                        Stream.of("--", "sh", "-c", script))
                .flatMap(each -> each)
                .toArray(String[]::new));
        command.awaitOut("\n");
        Arrays.stream(command.out().lines().findFirst().orElseThrow().split(" "))
                .skip(1)
                .forEach(each -> started.add(Long.parseLong(each)));
        return command;
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    private static boolean isFree(String lock) {
        return observer.inspect().lock(lock).holder().isEmpty();
    }

    private void awaitAllGone() throws InterruptedException {
        Launched.await("all of " + started + " to end", () -> started.stream().noneMatch(WatchTest::isAlive));
    }

    private static void kill(Launched holdfast) throws IOException, InterruptedException {
        holdfast.signal("KILL");
        assertEquals(137, holdfast.status());
    }

    @Test
    void kill_ofHoldfast_endsTheCommandAndWhatItHasStarted() throws Exception {
        try (Launched holdfast = run("killed", "sleep 1000 & echo runs $$ $!; wait", "--lease", "1h")) {
            assertEquals(2, started.size());
            kill(holdfast);
            awaitAllGone();
            assertFalse(isFree("killed"), "until the end of the term");
        }
    }

    @Test
    void kill_ofHoldfast_givesTheCommandTimeToEndItself() throws Exception {
        String script = "trap 'echo ends; exit 0' TERM; echo runs $$; while :; do sleep 0.05; done";
        try (Launched holdfast = run("asked", script, "--lease", "1h")) {
            kill(holdfast);
            assertEquals("runs " + started.get(0) + "\nends\n", holdfast.out());
            assertTrue(
                    holdfast.err() // where the command's shell says something of its own
                            .contains(
                                    "holdfast: the holdfast that kept lock 'asked' was killed; ending its command (pid "
                                            + started.get(0) + ")"),
                    holdfast.err());
        }
    }

    @Test
    void kill_ofHoldfast_commandThatIgnoresTerm_isKilledWithWhatItHasStarted() throws Exception {
        String script = "trap '' TERM; sleep 1000 & echo runs $$ $!; wait";
        try (Launched holdfast = run("stubborn", script, "--lease", "1h", "--kill-after", "200ms")) {
            kill(holdfast);
            awaitAllGone();
        }
    }

    @Test
    void children_thatOutliveTheCommand_runOnWithoutTheLock() throws Exception {
        try (Launched holdfast = run("left", "sleep 1000 >/dev/null 2>&1 & echo runs $!; exit 3")) {
            assertEquals(3, holdfast.status());
            assertTrue(isFree("left"));
            assertTrue(isAlive(started.get(0)));
        }
    }

    @Test
    void kill_ofHoldfastThatWaits_leavesNoWatcher() throws Exception {
        try (Launched holder = run("waits", "echo runs; read line");
                Launched holdfast =
                        Launched.holdfast("run", "waits", "-q", "--url", server.url(), "--", "echo", "ran")) {
            Launched.await("it to queue", () -> observer.inspect().lock("waits").waiters() == 1);
            kill(holdfast); // awaits the end of its output, which the watcher has too
            assertEquals("", holdfast.out() + holdfast.err());
            holder.line("");
            holder.status();
        }
    }

    @Test
    void watcher_whileTheCommandRuns_hasNoneOfItsVariables_andGoesWithIt() throws Exception {
        try (Launched holdfast = run("bare", "echo runs $$; read line")) {
            ProcessHandle watcher = watcherOf(holdfast);
            String variables =
                    Files.readString(Path.of("/proc/" + watcher.pid() + "/environ"), StandardCharsets.ISO_8859_1);
            assertEquals(
                    Set.of("PATH", "PROC", "SCRIPT"),
                    Arrays.stream(variables.split("\0"))
                            .map(each -> each.replaceFirst("(?s)=.*", ""))
                            .filter(each -> !each.equals("PWD")) // some shells' own
                            .collect(Collectors.toSet()));
            holdfast.line("");
            assertEquals(0, holdfast.status());
            Launched.await("the watcher to end", () -> !watcher.isAlive());
        }
    }

    @Test
    void watcher_signalsOfTheTerminal_doNotEndIt() throws Exception {
        try (Launched holdfast = run("steady", "trap '' INT HUP TERM QUIT; echo runs $$; sleep 1000 & wait; wait")) {
            ProcessHandle watcher = watcherOf(holdfast);
            for (String signal : List.of("INT", "HUP", "TERM", "QUIT", "TSTP", "PIPE", "USR1")) {
                Launched.signal(signal, watcher.pid());
            }
            holdfast.signal("KILL");
            Launched.await("the command to be ended", () -> started.stream().noneMatch(WatchTest::isAlive));
        }
    }

    /** The shell beside the command. */
    private ProcessHandle watcherOf(Launched holdfast) {
        return ProcessHandle.of(holdfast.pid())
                .orElseThrow()
                .children()
                .filter(each -> !started.contains(each.pid()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void watcher_commandWhosePidItWasNotTold_isFoundByItsToken() throws Exception {
        Watcher watcher = Watcher.start(null);
        watcher.starting("untold", 4711, Duration.ofSeconds(10), Duration.ofHours(1));
        ProcessBuilder builder = new ProcessBuilder("sleep", "1000");
        Process other = builder.start();
        builder.environment().put("HOLDFAST_TOKEN", "47110");
        Process another = builder.start();
        builder.environment().put("HOLDFAST_TOKEN", "4711");
        Process command = builder.start();
        started.addAll(List.of(other.pid(), another.pid(), command.pid()));
        watcher.close();
        assertEquals(143, command.waitFor());
        assertTrue(other.isAlive() && another.isAlive());
    }

    @Test
    void watcher_withoutProc_asksPs() throws Exception {
        Watcher watcher = Watcher.start(Path.of("/no/such/folder"), null);
        watcher.starting("ps", 4711, Duration.ofMillis(300), Duration.ofHours(1));
        Process command = new ProcessBuilder("sh", "-c", "trap '' TERM; sleep 1000 & echo $!; wait").start();
        started.add(command.pid());
        started.add(Long.parseLong(command.inputReader().readLine()));
        watcher.started(command.pid());
        watcher.close();
        assertEquals(137, command.waitFor());
        awaitAllGone();
    }

    @Test
    void watcher_commandThatHasEnded_endsNobody() throws Exception {
        Watcher watcher = Watcher.start(null);
        watcher.starting("over", 4711, Duration.ZERO, Duration.ofHours(1));
        Process bystander = new ProcessBuilder("sleep", "1000").start();
        started.add(bystander.pid());
        Process command = new ProcessBuilder("true").start();
        command.waitFor();
        watcher.started(command.pid());
        watcher.close();
        Launched.await(
                "the watcher to end",
                () -> ProcessHandle.current()
                        .children()
                        .noneMatch(each -> each.info().commandLine().orElse("").contains("watcher-of")));
        assertTrue(bystander.isAlive());
    }

    private static final String LEAVES_A_CHILD =
            "sh -c 'trap \"exit 0\" TERM; while [ ! -e \"$0\" ]; do sleep 0.05; done' %s & echo runs $!; exit 3";

    @Test
    void holdForChildren_commandHasEnded_holdsUntilTheLastOfThemHas(@TempDir Path folder) throws Exception {
        String script = LEAVES_A_CHILD.formatted(folder.resolve("go"));
        try (Launched holdfast = run("family", script, "--lease", "3s", "--hold-for-children")) {
            Launched.await("the command to have ended", () -> orphaned(holdfast));
            long token =
                    observer.inspect().lock("family").holder().orElseThrow().token();
            long begin = System.nanoTime();
            Launched.await("two terms", () -> System.nanoTime() - begin > 6_000_000_000L);
            assertEquals(
                    token,
                    observer.inspect().lock("family").holder().orElseThrow().token());
            assertTrue(holdfast.isAlive());
            Files.createFile(folder.resolve("go"));
            assertEquals(3, holdfast.status());
            assertTrue(isFree("family"));
            assertEquals("", holdfast.err());
        }
    }

    @Test
    void holdForChildren_signalAfterTheCommandHasEnded_reachesThem(@TempDir Path folder) throws Exception {
        String script = LEAVES_A_CHILD.formatted(folder.resolve("go"));
        try (Launched holdfast = run("orphans", script, "--hold-for-children")) {
            Launched.await("the command to have ended", () -> orphaned(holdfast));
            holdfast.signal("TERM");
            assertEquals(3, holdfast.status());
            awaitAllGone(); // its files are closed a moment before
            assertTrue(isFree("orphans"));
        }
    }

    @Test
    void holdForChildren_killOfHoldfast_endsThem(@TempDir Path folder) throws Exception {
        String script = LEAVES_A_CHILD.formatted(folder.resolve("go"));
        try (Launched holdfast = run("orphans-killed", script, "--hold-for-children")) {
            Launched.await("the command to have ended", () -> orphaned(holdfast));
            holdfast.signal("KILL");
            awaitAllGone();
        }
    }

    @Test
    void holdForChildren_lossOfTheLock_endsThem(@TempDir Path folder) throws Exception {
        String script = LEAVES_A_CHILD.formatted(folder.resolve("go"));
        try (Launched holdfast = run("orphans-lost", script, "--lease", "3s", "--hold-for-children")) {
            Launched.await("the command to have ended", () -> orphaned(holdfast));
            observer.admin().release("orphans-lost", Admin.Waiters.HAND_OFF);
            assertEquals(76, holdfast.status());
            assertFalse(isAlive(started.get(0)));
        }
    }

    @Test
    void holdForChildren_statusAndFilesAndFailures_areThoseOfTheCommand() throws Exception {
        String[] options = {"--url", server.url(), "--hold-for-children", "--min-hold", "1h", "--"};
        try (Launched cat = Launched.holdfast(line("plain", options, "cat"));
                Launched signalled = Launched.holdfast(line("signalled", options, "sh", "-c", "kill -KILL $$"));
                Launched missing = Launched.holdfast(line("missing", options, "/no/such/command"));
                Launched own = Launched.holdfast(line("own", options, "sh", "-c", "exit 127"))) {
            cat.in("some text".getBytes(StandardCharsets.UTF_8));
            assertEquals(0, cat.status());
            assertEquals("some text", cat.out());
            assertEquals(137, signalled.status());
            assertEquals(127, missing.status());
            assertTrue(missing.err().contains("/no/such/command"), missing.err());
            assertTrue(isFree("missing"), "it never ran, so that nothing rests");
            assertEquals(127, own.status());
            assertFalse(isFree("own"));
        }
    }

    private static String[] line(String lock, String[] options, String... command) {
        return Stream.of(Stream.of("run", lock), Arrays.stream(options), Arrays.stream(command))
                .flatMap(each -> each)
                .toArray(String[]::new);
    }

    /** Whether the process that was noted has lost its parent, the command. */
    private boolean orphaned(Launched holdfast) {
        ProcessHandle child = ProcessHandle.of(started.get(0)).orElseThrow();
        return ProcessHandle.of(holdfast.pid()).orElseThrow().descendants().noneMatch(child::equals);
    }
}
