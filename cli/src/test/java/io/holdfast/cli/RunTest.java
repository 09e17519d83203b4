package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.contracts.servers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code holdfast run} as a process, with a real server. */
final class RunTest extends ObservedServer {
    private static Launched run(String lock, String... words) {
        return Launched.run(
                server, Stream.concat(Stream.of(lock), Stream.of(words)).toArray(String[]::new));
    }

    /** A command that says that it runs, waits for a line or the end of its input, and ends with a status. */
    private static Launched runUntilTold(String lock, String... options) throws InterruptedException {
        String[] words = Arrays.copyOf(options, options.length + 4);
        words[options.length] = "--";
        words[options.length + 1] = "sh";
        words[options.length + 2] = "-c";
        words[options.length + 3] = "echo runs $HOLDFAST_TOKEN; read line; exit 3";
        Launched command = run(lock, words);
        command.awaitOut("runs");
        return command;
    }

    private static LockInfo info(String lock) {
        return observer.inspect().lock(lock);
    }

    private static boolean isFree(String lock) {
        return info(lock).holder().isEmpty() && info(lock).waiters() == 0;
    }

    @Test
    void status_ofTheCommand_isPassedOn() throws Exception {
        try (Launched good = run("status", "--", "true");
                Launched bad = run("status", "--", "sh", "-c", "exit 7")) {
            assertEquals(0, good.status());
            assertEquals(7, bad.status());
            assertEquals("", good.out() + good.err() + bad.out() + bad.err());
            assertTrue(isFree("status"));
        }
    }

    @Test
    void status_ofACommandThatASignalEnded_is128AndTheSignal() throws Exception {
        try (Launched killed = run("signalled", "--", "sh", "-c", "kill -KILL $$")) {
            assertEquals(128 + 9, killed.status());
            assertTrue(isFree("signalled"));
        }
    }

    @Test
    void command_thatIsNotThere_is127AndReleases() throws Exception {
        try (Launched missing = run("missing", "--", "/no/such/command")) {
            assertEquals(127, missing.status());
            assertTrue(missing.err().startsWith("holdfast: command '/no/such/command' not found"), missing.err());
            assertEquals(1, missing.err().lines().count());
            assertTrue(isFree("missing"));
        }
    }

    @Test
    void command_thatCannotBeExecuted_is126AndReleases() throws Exception {
        try (Launched directory = run("not-executable", "--", "/")) {
            assertEquals(126, directory.status());
            assertTrue(directory.err().contains("cannot be executed"), directory.err());
            assertTrue(isFree("not-executable"));
        }
    }

    @Test
    void streams_ofTheCommand_areItsOwn() throws Exception {
        byte[] bytes = new byte[100_000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31 + i / 256);
        }
        try (Launched cat = run("streams", "--", "sh", "-c", "cat; echo problem >&2")) {
            cat.in(bytes);
            assertEquals(0, cat.status());
            assertArrayEquals(bytes, cat.outBytes());
            assertEquals("problem\n", cat.err());
        }
    }

    @Test
    void environment_ofTheCommand_hasLockAndToken() throws Exception {
        String lock = "a name with 'quotes' / and ü";
        Map<String, String> environment = Map.of("HOLDFAST_URL", server.url(), "LC_ALL", "C.UTF-8");
        try (Launched command = Launched.holdfast(
                environment, "run", lock, "--", "sh", "-c", "echo \"$HOLDFAST_LOCK|$HOLDFAST_TOKEN|\"; read line")) {
            command.awaitOut("|\n");
            Holder holder = info(lock).holder().orElseThrow();
            assertEquals(lock + "|" + holder.token() + "|\n", command.out());
            assertEquals("sh", holder.application());
            assertEquals(Long.toString(command.pid()), holder.pid());
            command.line("");
            assertEquals(0, command.status());
        }
    }

    @Test
    void environment_ofACommandWithPermits_hasTheirSlots() throws Exception {
        String echo = "echo \"slots $HOLDFAST_SLOT|\"; read line";
        try (Launched first = run("slots", "--permits", "2/3", "--", "sh", "-c", echo);
                Launched second =
                        awaiting(first, "slots 0 1|\n", "slots", "--permits", "1/3", "--", "sh", "-c", echo)) {
            second.awaitOut("slots 2|\n");
            try (Launched info =
                    Launched.holdfast(Map.of("HOLDFAST_URL", server.url()), "info", "slots", "--kind", "semaphore")) {
                assertEquals(0, info.status());
                assertTrue(info.out().contains("  2 permits, slots 0, 1\n"), info.out());
                assertTrue(info.out().contains("  1 permit, slot 2\n"), info.out());
            }
            try (Launched below = Launched.holdfast(
                    Map.of("HOLDFAST_URL", server.url(), "HOLDFAST_SLOT", "7"),
                    "run",
                    "a lock",
                    "--",
                    "sh",
                    "-c",
                    "echo \"slot $HOLDFAST_SLOT|\"")) {
                assertEquals(0, below.status());
                assertEquals("slot |\n", below.out(), "a slot of a run above is none of its own");
            }
            first.line("");
            second.line("");
            assertEquals(0, first.status());
            assertEquals(0, second.status());
        }
    }

    /** Another run, begun once the first has written so much. */
    private static Launched awaiting(Launched first, String out, String lock, String... words) throws Exception {
        first.awaitOut(out);
        return run(lock, words);
    }

    @Test
    void holder_ofAScript_isNamedAfterIt() throws Exception {
        try (Launched command = run("named", "--", "env", "sh", "-c", "echo runs; read line")) {
            command.awaitOut("runs");
            assertEquals("sh", info("named").holder().orElseThrow().application());
            command.line("");
            assertEquals(0, command.status());
        }
        try (Launched command = run("named", "--as", "night shift", "--", "sh", "-c", "echo runs; read line")) {
            command.awaitOut("runs");
            assertEquals("night shift", info("named").holder().orElseThrow().application());
            command.line("");
            assertEquals(0, command.status());
        }
    }

    @Test
    void try_ofATakenLock_is75AndNamesTheHolder() throws Exception {
        try (Launched holder = runUntilTold("taken");
                Launched second = run("taken", "--try", "--", "echo", "ran")) {
            assertEquals(75, second.status());
            assertEquals("", second.out());
            assertTrue(
                    second.err()
                            .matches("holdfast: 'taken' is taken: held by sh@\\S+, pid " + holder.pid()
                                    + ", since \\d\\d:\\d\\d:\\d\\d \\(\\d+m?s ago\\)\n"),
                    second.err());
            holder.line("");
            assertEquals(3, holder.status());
        }
    }

    @Test
    void busyExit_ofATakenLock_isTheStatus() throws Exception {
        try (Launched holder = runUntilTold("busy");
                Launched quiet = run("busy", "--try", "--busy-exit", "0", "-q", "--", "echo", "ran")) {
            assertEquals(0, quiet.status());
            assertEquals("", quiet.out() + quiet.err());
            holder.line("");
            holder.status();
        }
    }

    @Test
    void wait_thatIsTooShort_is75AndLeavesTheQueue() throws Exception {
        try (Launched holder = runUntilTold("too-short");
                Launched second = run("too-short", "--wait", "200ms", "--", "echo", "ran")) {
            assertEquals(75, second.status());
            assertTrue(
                    second.err().startsWith("holdfast: 'too-short' was not free within 200ms: held by sh@"),
                    second.err());
            assertEquals(0, info("too-short").waiters());
            holder.line("");
            holder.status();
        }
    }

    @Test
    void queueLimit_ofAFullQueue_is75WithItsOwnWords() throws Exception {
        try (Launched holder = runUntilTold("full");
                Launched second = run("full", "--queue-limit", "1", "--", "true")) {
            Launched.await("the second to queue", () -> info("full").waiters() == 1);
            try (Launched third = run("full", "--queue-limit", "1", "--", "echo", "ran");
                    Launched quiet = run("full", "--queue-limit", "1", "-q", "--busy-exit", "9", "--", "echo", "ran")) {
                assertEquals(75, third.status());
                assertEquals("", third.out());
                assertTrue(
                        third.err()
                                .startsWith("holdfast: 'full' is taken, and its queue has reached --queue-limit 1: held"
                                        + " by sh@"),
                        third.err());
                assertEquals(9, quiet.status());
                assertEquals("", quiet.out() + quiet.err());
            }
            holder.line("");
            assertEquals(3, holder.status());
            assertEquals(0, second.status());
        }
    }

    @Test
    void priorityAndOrder_decideWhoIsNext_andMetadataIsSeen() throws Exception {
        try (Launched holder = runUntilTold("order", "--meta", "ticket=OPS 7", "--meta", "by=größe");
                Launched fifo = run("order", "--", "sh", "-c", "echo runs; read line")) {
            assertEquals(
                    Map.of("ticket", "OPS 7", "by", "größe"),
                    info("order").holder().orElseThrow().metadata());
            Launched.await("one to queue", () -> info("order").waiters() == 1);
            try (Launched lifo = run("order", "--order", "lifo", "--", "sh", "-c", "echo runs; read line")) {
                Launched.await("two to queue", () -> info("order").waiters() == 2);
                try (Launched urgent = run("order", "--priority", "5", "--", "sh", "-c", "echo runs; read line")) {
                    Launched.await("three to queue", () -> info("order").waiters() == 3);
                    holder.line("");
                    urgent.awaitOut("runs");
                    assertEquals("", lifo.out() + fifo.out());
                    urgent.line("");
                    lifo.awaitOut("runs");
                    assertEquals("", fifo.out());
                    lifo.line("");
                    fifo.awaitOut("runs");
                    fifo.line("");
                    assertEquals(0, fifo.status());
                }
            }
        }
    }

    @Test
    void waiter_thatAnOperatorDrops_is75WithItsOwnWords() throws Exception {
        try (Launched holder = runUntilTold("evicted");
                Launched second = run("evicted", "--", "echo", "ran")) {
            Launched.await("the second to queue", () -> info("evicted").waiters() == 1);
            observer.admin().release("evicted", 1, Admin.Waiters.DROP);
            assertEquals(75, second.status());
            assertEquals("", second.out());
            assertEquals(
                    "holdfast: 'evicted' was not obtained: an operator dropped this request from the queue",
                    second.err()
                            .lines()
                            .filter(line -> !line.startsWith("holdfast: waiting for 'evicted'"))
                            .collect(Collectors.joining("\n")));
            holder.line("");
            assertEquals(3, holder.status());
        }
    }

    @Test
    void wait_ofTwoProcesses_handsTheLockOverInTurn() throws Exception {
        try (Launched first = runUntilTold("turns");
                Launched second = run("turns", "-v", "--", "sh", "-c", "echo second $HOLDFAST_TOKEN; read line")) {
            Launched.await("the second to queue", () -> info("turns").waiters() == 1);
            try (Launched third = run("turns", "-q", "--", "sh", "-c", "echo third")) {
                Launched.await("the third to queue", () -> info("turns").waiters() == 2);
                second.awaitErr("holdfast: waiting for 'turns': held by sh@");
                second.awaitErr("; position 1 of ");
                assertFalse(second.out().contains("second"));
                first.line("");
                assertEquals(3, first.status());
                second.awaitOut("second");
                assertEquals("", third.out());
                second.line("");
                assertEquals(0, second.status());
                assertEquals(0, third.status());
                assertEquals("third\n", third.out());
                assertEquals("", third.err(), "no words about waiting with -q");
                assertTrue(token(second.out()) > token(first.out()));
            }
        }
    }

    private static long token(String said) {
        return Long.parseLong(said.strip().substring(said.indexOf(' ') + 1));
    }

    @Test
    void kill_ofAHolder_freesTheLockAfterTheTerm() throws Exception {
        try (Launched holder = runUntilTold("killed", "--lease", "1500ms");
                Launched second = run("killed", "--wait", "1m", "--", "echo", "ran")) {
            Launched.await("the second to queue", () -> info("killed").waiters() == 1);
            Duration left = info("killed").remaining();
            assertTrue(left.compareTo(Duration.ofMillis(1_500)) <= 0, () -> "left " + left);
            holder.signal("KILL");
            assertEquals(0, second.status());
            assertEquals("ran\n", second.out());
        }
    }

    @Test
    void hold_isRenewed_asLongAsTheCommandRuns() throws Exception {
        try (Launched holder = runUntilTold("renewed", "--lease", "1s")) {
            long token = info("renewed").holder().orElseThrow().token();
            long begin = System.nanoTime();
            Launched.await("three terms", () -> System.nanoTime() - begin > 3_000_000_000L);
            assertEquals(token, info("renewed").holder().orElseThrow().token());
            holder.line("");
            assertEquals(3, holder.status());
        }
    }

    @Test
    void term_whileWaiting_leavesTheQueueEmpty() throws Exception {
        try (Launched holder = runUntilTold("withdrawn")) {
            int number = 0;
            for (String signal : new String[] {"TERM", "INT", "HUP"}) {
                int expected = new int[] {143, 130, 129}[number++];
                try (Launched second = run("withdrawn", "-q", "--", "echo", "ran")) {
                    Launched.await(
                            "the second to queue", () -> info("withdrawn").waiters() == 1);
                    second.signal(signal);
                    assertEquals(expected, second.status(), signal);
                    assertEquals("", second.out() + second.err());
                    assertEquals(0, info("withdrawn").waiters());
                }
            }
            holder.line("");
            assertEquals(3, holder.status());
            assertTrue(isFree("withdrawn"));
        }
    }

    @Test
    void signals_reachTheCommand_whoseStatusCounts() throws Exception {
        String script = "trap 'echo got TERM' TERM; trap 'echo got INT' INT; trap 'echo got HUP' HUP;"
                + " trap 'echo got USR1; exit 9' USR1; echo runs; while :; do sleep 0.05; done";
        try (Launched command = run("signals", "--", "sh", "-c", script)) {
            command.awaitOut("runs");
            for (String signal : new String[] {"TERM", "INT", "HUP"}) {
                command.signal(signal);
                command.awaitOut("got " + signal);
                assertTrue(info("signals").holder().isPresent(), "as long as the command lives");
            }
            command.signal("TERM");
            Launched.await("TERM again", () -> command.out().split("got TERM", -1).length == 3);
            command.signal("USR1");
            assertEquals(9, command.status());
            assertEquals("", command.err());
            assertTrue(isFree("signals"));
        }
    }

    @Test
    void term_thatEndsTheCommand_is143AndReleases() throws Exception {
        try (Launched command = run("terminated", "--", "sh", "-c", "echo runs; exec sleep 1000")) {
            command.awaitOut("runs");
            command.signal("TERM");
            assertEquals(143, command.status());
            assertTrue(isFree("terminated"));
        }
    }

    @Test
    void atLeast_afterAShortCommand_keepsTheLockTaken() throws Exception {
        try (Launched job = run("cron", "--try", "--min-hold", "1h", "--", "true")) {
            assertEquals(0, job.status());
            Holder holder = info("cron").holder().orElseThrow();
            assertTrue(holder.resting());
            try (Launched late = run("cron", "--try", "--min-hold", "1h", "--", "echo", "ran")) {
                assertEquals(75, late.status());
                assertEquals("", late.out());
                assertTrue(late.err().contains("'cron' is taken: free in 59m"), late.err());
                assertTrue(late.err().contains("last held by true@"), late.err());
            }
        }
    }

    @Test
    void atLeast_ofACommandThatCannotBeStarted_doesNotRest() throws Exception {
        try (Launched missing = run("never-1", "--min-hold", "1h", "--", "/no/such/command");
                Launched directory = run("never-2", "--min-hold", "1h", "--", "/")) {
            assertEquals(127, missing.status());
            assertEquals(126, directory.status());
            assertTrue(isFree("never-1"), () -> "" + info("never-1"));
            assertTrue(isFree("never-2"), () -> "" + info("never-2"));
        }
    }

    @Test
    void wait_withoutATerminal_isToldInOneLine_butNotWithQuiet() throws Exception {
        try (Launched holder = runUntilTold("silent");
                Launched second = run("silent", "--", "echo", "ran");
                Launched limited = run("silent", "--wait", "1h", "--", "echo", "ran");
                Launched quiet = run("silent", "-q", "--", "echo", "ran")) {
            Launched.await("three to queue", () -> info("silent").waiters() == 3);
            second.awaitErr("\n");
            limited.awaitErr("\n");
            assertTrue(
                    second.err()
                            .matches(
                                    "holdfast: waiting for 'silent' as long as it takes \\(--wait limits it\\): held by"
                                            + " sh@\\S+, pid " + holder.pid()
                                            + ", since \\S+ \\(\\d+s ago\\); position \\d of 3 in"
                                            + " the queue\n"),
                    second.err());
            assertTrue(
                    limited.err().startsWith("holdfast: waiting for 'silent', 1h at most: held by sh@"), limited.err());
            holder.line("");
            assertEquals(0, second.status());
            assertEquals(0, limited.status());
            assertEquals(0, quiet.status());
            assertEquals(1, second.err().lines().count(), second.err());
            assertEquals(1, limited.err().lines().count(), limited.err());
            assertEquals("", quiet.err());
        }
    }

    @Test
    void server_thatMayDropLocks_isWarnedOf_butNotWithQuiet() throws Exception {
        try (RedisServer evicting = RedisServer.start("--maxmemory-policy", "allkeys-lru");
                Launched warned = Launched.holdfast("run", "x", "--url", evicting.url(), "--", "true");
                Launched quiet = Launched.holdfast("run", "x", "-q", "--url", evicting.url(), "--", "true")) {
            assertEquals(0, warned.status());
            assertTrue(warned.err().contains("maxmemory-policy allkeys-lru"), warned.err());
            assertEquals(0, quiet.status());
            assertEquals("", quiet.err());
        }
    }

    @Test
    void server_thatIsNotThere_is69() throws Exception {
        int port;
        try (RedisServer gone = RedisServer.start()) {
            port = gone.port();
        }
        try (Launched command =
                Launched.holdfast("run", "x", "--url", "redis://127.0.0.1:" + port, "--", "echo", "ran")) {
            assertEquals(69, command.status());
            assertEquals("", command.out());
            assertTrue(command.err().matches("holdfast: .*127.0.0.1:" + port + ".*\n"), command.err());
        }
    }

    @Test
    void server_thatRefuses_is69AndSaysWhatToDo() throws Exception {
        try (RedisServer closed = RedisServer.start("--requirepass", "secret");
                Launched command = Launched.holdfast(
                        "run", "x", "--url", "redis://127.0.0.1:" + closed.port(), "--", "echo", "ran");
                Launched wrong = Launched.holdfast(
                        "run", "x", "--url", "redis://:mistaken@127.0.0.1:" + closed.port(), "--", "echo", "ran")) {
            assertEquals(69, command.status());
            assertTrue(command.err().contains("requires a password"), command.err());
            assertEquals(69, wrong.status());
            assertTrue(wrong.err().contains("password is wrong"), wrong.err());
            assertFalse(wrong.err().contains("mistaken"), wrong.err());
        }
    }

    @Test
    void verbose_showsWhereAnErrorComesFrom() throws Exception {
        try (Launched plain = Launched.holdfast("run", "x", "--url", "redis://no.such.host.invalid", "--", "true");
                Launched verbose =
                        Launched.holdfast("run", "x", "-v", "--url", "redis://no.such.host.invalid", "--", "true")) {
            assertEquals(69, plain.status());
            assertEquals(1, plain.err().lines().count(), plain.err());
            assertEquals(69, verbose.status());
            assertTrue(verbose.err().contains("\tat io.holdfast."), verbose.err());
        }
    }

    @Test
    void command_thatCouldNotBePassedOnUnchanged_isRefused() throws Exception {
        // A byte that is no character in this locale.
        Map<String, String> ascii = Map.of("LC_ALL", "C", "HOLDFAST_URL", server.url());
        try (Launched command = Launched.start(
                ascii,
                List.of(
                        "sh",
                        "-c",
                        "exec \"$0\" -cp \"$1\" io.holdfast.cli.Main run x -- echo \"$(printf 'a\\377b')\"",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        Launched.classPath()))) {
            assertEquals(64, command.status());
            assertEquals("", command.out());
            assertTrue(command.err().contains("cannot be passed on unchanged"), command.err());
        }
    }
}
