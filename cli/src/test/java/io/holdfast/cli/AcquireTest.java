package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Holder;
import io.holdfast.contracts.servers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code holdfast acquire}, {@code check} and {@code release --ticket}, called by scripts. */
final class AcquireTest extends ObservedServer {
    /** Where tickets are. */
    @TempDir
    private Path folder;

    /** Whatever has happened, nothing is left: no folder, no process. */
    @AfterEach
    void nothingIsLeft() throws Exception {
        Launched.await("all keepers to end: " + keepers(), () -> keepers().isEmpty());
        Launched.await(
                "all tickets to be removed: " + tickets(), () -> tickets().isEmpty());
    }

    private List<Path> tickets() {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(each -> each.getFileName().toString().startsWith("holdfast-lease-"))
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The processes that keep leases of this test. */
    private List<ProcessHandle> keepers() {
        return ProcessHandle.allProcesses()
                .filter(each -> {
                    String line = words(each.pid());
                    return line.contains(folder.toString()) && line.contains(" keep-lease ");
                })
                .toList();
    }

    private static String words(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline")).replace('\0', ' ');
        } catch (IOException e) {
            return "";
        }
    }

    /** A script in which {@code hf} is the command. */
    private Launched script(String text) throws IOException {
        return script(Map.of("HOLDFAST_URL", server.url()), "sh", text);
    }

    private Launched script(Map<String, String> variables, String shell, String text) throws IOException {
        List<String> line = Launched.line(new String[0]);
        line.add(1, "-Djava.io.tmpdir=" + folder);
        String command = line.stream().map(each -> "'" + each + "'").collect(Collectors.joining(" "));
        Path program = Files.writeString(folder.resolve("hf"), "#!/bin/sh\nexec " + command + " \"$@\"\n");
        assertTrue(program.toFile().setExecutable(true));
        Path file = Files.writeString(
                folder.resolve("job.sh"), "HF=" + program + "; hf() { " + command + " \"$@\"; }\n" + text + "\n");
        return Launched.start(new HashMap<>(variables), List.of(shell, file.toString()));
    }

    private static boolean isFree(String lock) {
        return observer.inspect().lock(lock).holder().isEmpty();
    }

    private static Holder holder(String lock) {
        return observer.inspect().lock(lock).holder().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sh", "bash"})
    void acquire_byAScript_holdsUntilTheTicketIsGivenBack(String shell) throws Exception {
        String text = "held=$(hf acquire deploy --lease 2s --token) || exit\n"
                + "echo \"held $held\"; ticket=${held% *}\n"
                + "read line\n"
                + "hf check --ticket \"$ticket\"; echo \"check $?\"\n"
                + "echo \"token $(hf check --ticket \"$ticket\" --token)\"\n"
                + "hf release --ticket \"$ticket\"; echo \"release $?\"\n"
                + "read line\n";
        try (Launched script = script(Map.of("HOLDFAST_URL", server.url()), shell, text)) {
            script.awaitOut("\n");
            Holder holder = holder("deploy");
            long begin = System.nanoTime();
            Path ticket = tickets().get(0);
            assertEquals("held " + ticket + " " + holder.token() + "\n", script.out());
            assertEquals("job.sh", holder.application());
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(ticket)));
            assertEquals(keepers().get(0).pid(), Long.parseLong(holder.pid()));
            // What a terminal or a manager of services sends is for the script to act on.
            for (String signal : List.of("INT", "HUP", "TERM", "USR1")) {
                Launched.signal(signal, keepers().get(0).pid());
            }
            Launched.await("three terms", () -> System.nanoTime() - begin > 6_000_000_000L);
            assertEquals(holder.token(), holder("deploy").token());
            script.line("");
            script.awaitOut("release 0\n");
            assertTrue(script.out().endsWith("check 0\ntoken " + holder.token() + "\nrelease 0\n"), script.out());
            assertTrue(isFree("deploy"));
            assertEquals(List.of(), tickets());
            script.status();
            assertEquals("", script.err());
        }
    }

    @Test
    void script_thatIsKilled_losesItsLockAtOnce() throws Exception {
        try (Launched script = script("t=$(hf acquire killed --lease 1h); echo held; exec sleep 1000")) {
            script.awaitOut("held");
            assertFalse(isFree("killed"));
            script.signal("KILL");
            Launched.await("the lock to be free", () -> isFree("killed"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "t=$(hf acquire sub --lease 1h)",
                "t=$(hf acquire sub --lease 1h | cat)",
                "t=$(hf acquire sub --lease 1h 2>&1)",
                "t=`hf acquire sub --lease 1h`",
                "t=$(timeout 100 \"$HF\" acquire sub --lease 1h)"
            })
    void lock_isTheScripts_notThatOfTheSubshellThatAskedForIt(String taking) throws Exception {
        String text = taking + "\necho \"held $t\"\nread line\nhf check --ticket \"$t\"; echo \"check $?\"\n";
        try (Launched script = script(Map.of("HOLDFAST_URL", server.url()), "bash", text)) {
            script.awaitOut("\n");
            long begin = System.nanoTime();
            Launched.await("a second", () -> System.nanoTime() - begin > 1_000_000_000L);
            assertEquals(
                    Long.toString(script.pid()),
                    words(keepers().get(0).pid()).split(" keep-lease ")[1].split(" ")[0]);
            script.line("");
            script.awaitOut("check 0");
            assertEquals(0, script.status(), script.err());
            Launched.await("the lock to be free", () -> isFree("sub"));
        }
    }

    @Test
    void keeper_thatIsKilled_isFoundOut_andTheLockEndsWithItsTerm() throws Exception {
        String text = "t=$(hf acquire orphan --lease 2s); echo held; read line;"
                + " hf check --ticket \"$t\"; echo \"check $?\"; hf release --ticket \"$t\"; echo \"release $?\"";
        try (Launched script = script(text)) {
            script.awaitOut("held");
            keepers().get(0).destroyForcibly();
            Launched.await("the keeper to end", () -> keepers().isEmpty());
            assertFalse(tickets().isEmpty());
            script.line("");
            script.status();
            assertEquals("held\ncheck 76\nrelease 76\n", script.out());
            assertTrue(script.err().startsWith("holdfast: the process that kept the lease was killed: "), script.err());
            assertTrue(script.err().contains("\nholdfast: no process keeps a lease under this ticket"), script.err());
            Launched.await("the end of the term", () -> isFree("orphan"));
        }
    }

    /** A newer one could be that of a keeper that does not listen yet, and is left alone. */
    private static void makeOld(Path ticket) throws IOException {
        Files.setLastModifiedTime(ticket, FileTime.from(Instant.now().minus(Duration.ofMinutes(2))));
    }

    @Test
    void keeper_thatWasKilled_leavesWhatTheNextRemoves() throws Exception {
        try (Launched script = script("t=$(hf acquire left --lease 300ms); echo held; read line")) {
            script.awaitOut("held");
            keepers().get(0).destroyForcibly();
            script.line("");
            script.status();
        }
        Launched.await("the keeper to end", () -> keepers().isEmpty());
        Path abandoned = tickets().get(0);
        makeOld(abandoned);
        try (Launched script = script("t=$(hf acquire next); echo \"held $t\"")) {
            assertEquals(0, script.status());
            assertFalse(Files.exists(abandoned));
            assertNotEquals("held " + abandoned + "\n", script.out());
        }
    }

    @Test
    void lock_thatIsLost_isToldBySignal_byStatus_andInWords() throws Exception {
        String text = "trap 'echo signalled' USR1; t=$(hf acquire lost --on-loss usr1); echo held;"
                + " until hf check --ticket \"$t\"; [ $? = 76 ]; do :; done; echo \"check 76\";"
                + " hf release --ticket \"$t\"; echo \"release $?\"";
        try (Launched script = script(text)) {
            script.awaitOut("held");
            observer.admin().release("lost", Admin.Waiters.HAND_OFF);
            script.awaitOut("release");
            script.status();
            assertEquals(
                    List.of("held", "signalled", "check 76", "release 76"),
                    script.out().lines().toList());
            assertTrue(
                    script.err().contains("holdfast: lost lock 'lost' while the script ran (pid " + script.pid()),
                    script.err());
            assertTrue(script.err().contains("sending it USR1"), script.err());
            assertTrue(
                    script.err().contains("holdfast: lock 'lost' was lost: an operator released it, or"), script.err());
        }
    }

    @Test
    void lock_thatIsTaken_is75_orWaitedFor() throws Exception {
        String text = "a=$(hf acquire turns) || exit; echo held;"
                + " hf acquire turns --try; echo \"try $?\"; hf acquire turns -q --wait 50ms --busy-exit 9; echo \"wait $?\";"
                + " read line; hf release --ticket \"$a\"; read line";
        try (Launched first = script(text)) {
            first.awaitOut("wait 9\n");
            assertEquals("held\ntry 75\nwait 9\n", first.out());
            assertTrue(first.err().startsWith("holdfast: 'turns' is taken: held by job.sh@"), first.err());
            assertEquals(1, first.err().lines().count(), first.err());
            String us = Long.toString(ProcessHandle.current().pid());
            List<String> line = Launched.line("acquire", "turns", "--json", "--url", server.url(), "--for", us);
            line.add(1, "-Djava.io.tmpdir=" + folder);
            try (Launched second = Launched.start(Map.of(), line)) {
                Launched.await(
                        "it to queue", () -> observer.inspect().lock("turns").waiters() == 1);
                first.line("");
                assertEquals(0, second.status());
                assertEquals(
                        holder("turns").token(),
                        Said.json(second.out()).get("token").getAsLong());
                assertEquals(
                        30_000,
                        Said.json(second.out()).get("leaseDurationMillis").getAsInt());
                first.status();
                String ticket = Said.json(second.out()).get("ticket").getAsString();
                assertEquals(0, Said.by("release", "--ticket", ticket).status());
                assertTrue(isFree("turns"));
            }
        }
    }

    @Test
    void wait_thatIsEnded_leavesTheQueueEmpty() throws Exception {
        try (Launched holder =
                Launched.holdfast("run", "queue", "--url", server.url(), "--", "sh", "-c", "echo runs; read x")) {
            holder.awaitOut("runs");
            List<String> line =
                    Launched.line("acquire", "queue", "-q", "--url", server.url(), "--for", "" + holder.pid());
            line.add(1, "-Djava.io.tmpdir=" + folder);
            for (String signal : List.of("TERM", "INT", "KILL")) {
                try (Launched waiting = Launched.start(Map.of(), line)) {
                    Launched.await(
                            "it to queue",
                            () -> observer.inspect().lock("queue").waiters() == 1);
                    waiting.signal(signal);
                    assertEquals(Map.of("TERM", 143, "INT", 130, "KILL", 137).get(signal), waiting.status());
                    Launched.await(
                            "it to leave",
                            () -> observer.inspect().lock("queue").waiters() == 0);
                }
            }
            try (Launched script = script("t=$(hf acquire queue -q); echo \"held $t\"")) {
                Launched.await(
                        "it to queue", () -> observer.inspect().lock("queue").waiters() == 1);
                script.signal("KILL");
                Launched.await(
                        "it to leave", () -> observer.inspect().lock("queue").waiters() == 0);
            }
            holder.line("");
            assertEquals(0, holder.status());
            assertTrue(isFree("queue"));
        }
    }

    @Test
    void ticket_thatCannotBePrinted_isReleasedAgain_with74() throws Exception {
        try (Launched script = script("hf acquire unprinted --lease 1h >/dev/full; echo \"status $?\"; read line")) {
            script.awaitOut("status");
            assertEquals("status 74\n", script.out());
            assertTrue(isFree("unprinted"));
            script.line("");
            script.status();
        }
    }

    @Test
    void server_thatIsNotThere_orRefuses_is69() throws Exception {
        int port;
        try (RedisServer gone = RedisServer.start()) {
            port = gone.port();
        }
        try (Launched script = script("t=$(hf acquire x --url redis://127.0.0.1:" + port + "); echo \"$? [$t]\"")) {
            script.status();
            assertEquals("69 []\n", script.out());
            assertEquals(1, script.err().lines().count(), script.err());
        }
    }

    @Test
    void machineLocalLock_whoseKeeperIsKilled_isFreeWhenItsScriptHasEnded(@TempDir Path home) throws Exception {
        Map<String, String> variables =
                Map.of("HOLDFAST_HOME", home.toString(), "HOLDFAST_IDLE_MILLIS", "500", "HOLDFAST_URL", "local");
        String[] next = {"run", "mine", "--wait", "1m", "-q", "--", "echo", "ran"};
        try (Launched script = script(variables, "sh", "t=$(hf acquire mine --lease 1h); echo held; read line")) {
            script.awaitOut("held");
            keepers().get(0).destroyForcibly();
            Launched.await("the keeper to end", () -> keepers().isEmpty());
            try (Launched waiting = Launched.holdfast(variables, next)) {
                try (Launched tried = Launched.holdfast(variables, "run", "mine", "--try", "--", "echo", "ran")) {
                    assertEquals(75, tried.status(), "its script works on");
                }
                script.line("");
                script.status();
                assertEquals(0, waiting.status());
                assertEquals("ran\n", waiting.out());
            }
        }
        for (Path left : tickets()) {
            makeOld(left);
        }
        try (Launched script = script(variables, "sh", "t=$(hf acquire other)")) { // sweeps
            script.status();
        }
        Launched.awaitKeeperGone(home);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "check|which lock? --ticket is missing",
                "check --ticket=|--ticket is empty: has holdfast acquire failed?",
                "release --ticket=|--ticket is empty: has holdfast acquire failed?",
                "check --ticket /tmp/x|--ticket is '/tmp/x', which is not a ticket that holdfast acquire printed",
                "release x --ticket /tmp/holdfast-lease-1|--ticket releases what the ticket is for",
                "release --all --ticket /tmp/holdfast-lease-1|--ticket releases what the ticket is for",
                "acquire x --on-loss STOP|--on-loss is 'STOP', must be TERM, INT, HUP, USR1, USR2 or KILL",
                "acquire x --for 0|--for is '0', must be a whole number from 1 to",
                "acquire x --for 2147483647|--for is '2147483647', and there is no such process",
                "acquire|which lock? NAME is missing",
                "acquire x --try --wait 5s|--wait and --try contradict each other",
                "keep-lease|unknown command 'keep-lease'"
            })
    void words_thatAreWrong_are64(String line, String expected) {
        Said said = Said.by(line.split(" "));
        assertEquals(64, said.status(), said.err());
        assertTrue(said.err().contains(expected), said.err());
    }
}
