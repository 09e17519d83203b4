package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.LockOptions;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Command lines: what is understood, and what is said about the others. */
final class UsageTest {
    static final List<String> COMMANDS = Subcommand.NAMES;

    private static RunRequest parse(String... words) {
        return Objects.requireNonNull(RunRequest.parse(words));
    }

    @Test
    void run_withAllOptions_isUnderstood() {
        RunRequest request = parse(
                "deploy",
                "--also",
                "stock",
                "--also=orders",
                "--wait",
                "5m",
                "--lease=10s",
                "--min-hold",
                "55s",
                "--lock-delay=20s",
                "--kill-after",
                "0s",
                "--hold-for-children",
                "--order",
                "lifo",
                "--priority",
                "-7",
                "--queue-limit=12",
                "--meta",
                "ticket=OPS=7",
                "--meta=empty=",
                "--busy-exit",
                "3",
                "--url",
                "redis://h",
                "--prefix=shop",
                "--as",
                "night shift",
                "-q",
                "-v",
                "--",
                "cmd",
                "--wait",
                "--",
                "-x");
        assertEquals(
                new RunRequest(
                        new LockRequest(
                                "deploy",
                                new Wanted(Wanted.Kind.LOCK, 0, 0),
                                null,
                                List.of("stock", "orders"),
                                Wait.upTo(Duration.ofMinutes(5)),
                                "5m",
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(55),
                                Duration.ofSeconds(20),
                                LockOptions.Order.LIFO,
                                -7,
                                "",
                                1,
                                12,
                                Map.of("ticket", "OPS=7", "empty", ""),
                                3,
                                new Server("redis://h", "shop"),
                                "night shift",
                                true,
                                true),
                        Duration.ZERO,
                        true,
                        false,
                        List.of("cmd", "--wait", "--", "-x")),
                request);
        assertEquals(
                LockOptions.defaults()
                        .withLeaseDuration(Duration.ofSeconds(10))
                        .withMinHold(Duration.ofSeconds(55))
                        .withLockDelay(Duration.ofSeconds(20))
                        .withOrder(LockOptions.Order.LIFO)
                        .withPriority(-7)
                        .withQueueLimit(12)
                        .withMetadata(Map.of("ticket", "OPS=7", "empty", "")),
                request.lock().options());
    }

    @Test
    void run_withAGroup_isUnderstood() {
        assertEquals(
                LockOptions.defaults().withGroup("tenant 7", 3),
                parse("x", "--group", "tenant 7", "--group-weight=3", "--", "true")
                        .lock()
                        .options());
        assertEquals(
                LockOptions.defaults().withGroup("7"),
                parse("x", "--group=7", "--", "true").lock().options());
    }

    @Test
    void run_withoutOptions_waitsForeverForALockOfThirtySeconds() {
        RunRequest request = parse("x", "--", "true");
        assertEquals(Wait.forever(), request.lock().patience());
        assertEquals(Duration.ofSeconds(30), request.lock().term());
        assertEquals(Duration.ZERO, request.lock().atLeast());
        assertEquals(Duration.ZERO, request.lock().lockDelay());
        assertEquals(75, request.lock().busyExit());
        assertEquals(LockOptions.defaults(), request.lock().options());
        assertEquals(
                Wait.forever(),
                parse("x", "--wait", "forever", "--", "true").lock().patience());
        assertEquals(Wait.none(), parse("x", "--try", "--", "true").lock().patience());
        assertEquals(
                Wait.none(), parse("x", "--wait", "0s", "--", "true").lock().patience());
        assertEquals("--try", parse("x", "--url", "u", "--", "--try").command().get(0), "all after -- is the command");
    }

    @Test
    void run_withHelp_isNoRequest() {
        assertNull(RunRequest.parse(new String[] {"--help"}));
        assertNull(RunRequest.parse(new String[] {"x", "-h", "--", "true"}));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x|which command?",
                "x --|which command?",
                "-- true|which lock? NAME is missing",
                "x y -- true|y",
                "x --foo -- true|--foo",
                "x --wait -- true|--wait",
                "x --wait 5 -- true|--wait is '5', must be a whole number with a unit: 300ms, 30s, 5m, 1h or 2d, or 'forever'",
                "x --wait 1.5s -- true|--wait is '1.5s'",
                "x --wait 400d -- true|--wait is '400d', must be from 0s to 365d, or 'forever'",
                "x --wait 99999999999999999999s -- true|--wait is '99999999999999999999s'",
                "x --wait 5m --try -- true|--wait and --try",
                "x --try --try -- true|--try",
                "x --lease 50ms -- true|--lease is '50ms', must be from 100ms to 365d",
                "x --min-hold 0s -- true|--min-hold is '0s', must be from 1ms to 365d",
                "x --lock-delay 0s -- true|--lock-delay is '0s', must be from 1ms to 365d",
                "x --lock-delay 20 -- true|--lock-delay is '20', must be a whole number with a unit",
                "x --kill-after soon -- true|--kill-after is 'soon'",
                "x --order first -- true|--order is 'first', must be fifo, lifo or random",
                "x --priority 101 -- true|--priority is '101', must be a whole number from -100 to 100",
                "x --priority high -- true|--priority is 'high'",
                "x --group a --priority 1 -- true|--group and --priority contradict each other",
                "x --group a --order lifo -- true|--group and --order contradict each other",
                "x --group-weight 2 -- true|--group-weight needs --group",
                "x --group a --group-weight 101 -- true|--group-weight is '101', must be a whole number from 1 to 100",
                "x --notes --also y -- true|--notes and --also contradict each other",
                "x --permits 1/2 --notes -- true|--notes and --permits contradict each other",
                "x --queue-limit 0 -- true|--queue-limit is '0', must be a whole number from 1 to 1000000",
                "x --meta ticket -- true|--meta is 'ticket', must be KEY=VALUE in UTF-8, with a key",
                "x --meta =7 -- true|--meta is '=7'",
                "x --meta a=1 --meta a=2 -- true|--meta gives 'a' twice",
                "x --busy-exit 256 -- true|--busy-exit is '256', must be a whole number from 0 to 255",
                "x --busy-exit -1 -- true|--busy-exit is '-1'",
                "x --url -- true|--url",
                "x --prefix a{b -- true|--prefix: prefix is 'a{b', must have no braces",
                "x --as= -- true|--as has 0 characters, must have 1 to 100",
                "x --wiat 5m -- true|Unknown options: '--wiat', '5m'; did you mean --wait?",
                "x true|the command goes after --: holdfast run x -- true",
                "x rsync -a src dst|the command goes after --: holdfast run x -- rsync …",
                "x --wait 5m --url=redis://:pass@h true|the command goes after --: holdfast run x [OPTIONS] -- true",
                "-n x true|unknown option '-n': flock's -n is --try",
                "-s x true|unknown option '-s': flock's -s is --read; to exclude readers, the other command gives --write",
                "--shared x true|unknown option '--shared': flock's --shared is --read",
                "-x x true|unknown option '-x': flock's -x is the default of run, or --write where other commands give --read",
                "-w 5 x true|unknown option '-w': flock's -w is --wait, with a unit",
                "x --require-server -- true|--require-server needs a server, but no address is given: give",
                "x --url local --require-server -- true|--require-server needs a server, but 'local' is none",
            })
    void run_withSomethingWrong_namesItAndTheRule(String line, String expected) {
        UsageException e = assertThrows(UsageException.class, () -> RunRequest.parse(line.split(" ")));
        assertTrue(String.valueOf(e.getMessage()).contains(expected), e.getMessage());
    }

    @Test
    void run_withoutTheSeparator_showsNoSecret() {
        UsageException e = assertThrows(
                UsageException.class,
                () -> RunRequest.parse(new String[] {"x", "--url", "redis://:pass@h", "a b'c", "--token", "pass"}));
        assertEquals(
                "the command goes after --: holdfast run x [OPTIONS] -- 'a b'\\''c' …", String.valueOf(e.getMessage()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "runn|unknown command 'runn'; did you mean run?; see",
                "relaese x|unknown command 'relaese'; did you mean release?; see",
                "wyh|did you mean why?",
                "help dotcor|no help about 'dotcor'; did you mean doctor?; see",
                "--versoin|did you mean --version?",
                "ls --jsno|did you mean --json?",
                "frobnicate|unknown command 'frobnicate'; see",
                "extend deploy|for how long? DURATION is missing, as in: holdfast extend NAME 30m"
            })
    void command_thatIsMistyped_isAnsweredWithWhatWasMeant(String line, String expected) {
        Said said = Said.by(line.split(" "));
        assertEquals(64, said.status());
        assertTrue(said.err().contains(expected), said.err());
    }

    @Test
    void metadata_thatIsTooLong_isRefused() {
        UsageException e =
                assertThrows(UsageException.class, () -> parse("x", "--meta", "a=" + "b".repeat(2_000), "--", "true"));
        assertTrue(String.valueOf(e.getMessage()).startsWith("--meta: metadata has 2002 characters"), e.getMessage());
    }

    @Test
    void name_ofTheWrongLength_isRefused() {
        assertThrows(UsageException.class, () -> parse("", "--", "true"));
        assertThrows(UsageException.class, () -> parse("x".repeat(1001), "--", "true"));
        assertEquals(1000, parse("x".repeat(1000), "--", "true").lock().name().length());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "frob",
                "--frob",
                "run",
                "ls --frob",
                "ls extra",
                "info",
                "help frob",
                "help run ls",
                "warm-up",
                "why",
                "queue --json",
                "top --interval 1s --once",
                "release deploy",
                "extend deploy",
                "limit deploy 1",
                "limit deploy --for 1m",
                "limit deploy -1 --for 1m",
                "limit deploy 1 --for 0s",
                "unlimit",
                "pause deploy",
                "pause deploy --for soon",
                "resume",
                "clear",
                "doctor extra",
                "run x --url foo -- true"
            })
    void command_thatIsWrong_is64InOneLineWithAHint(String line) throws Exception {
        String[] words = line.isEmpty() ? new String[0] : line.split(" ");
        try (Launched command = Launched.holdfast(words)) {
            assertEquals(64, command.status());
            assertEquals("", command.out());
            assertEquals(1, command.err().lines().count(), command.err());
            assertTrue(command.err().contains("; see holdfast help"), command.err());
        }
    }

    @Test
    void address_thatIsEmpty_is64AndSaysWhatToDo() throws Exception {
        for (String line : List.of("run x -q -- echo ran", "ls", "doctor", "release x --yes")) {
            try (Launched command = Launched.holdfast(Map.of("HOLDFAST_URL", ""), line.split(" "))) {
                assertEquals(64, command.status(), line);
                assertEquals("", command.out());
                assertTrue(
                        command.err()
                                .startsWith("holdfast: HOLDFAST_URL is empty: give it a server's address, or unset it"
                                        + " for locks of this machine only; see holdfast help"),
                        command.err());
                assertEquals(1, command.err().lines().count(), command.err());
            }
        }
    }

    @Test
    void home_thatIsRelative_is64_butOnlyWhereItIsUsed() throws Exception {
        Map<String, String> variables = Map.of("HOLDFAST_HOME", "locks");
        for (String line : List.of("run x -q -- echo ran", "ls", "acquire x")) {
            try (Launched command = Launched.holdfast(variables, line.split(" "))) {
                assertEquals(64, command.status(), line);
                assertEquals("", command.out());
                assertTrue(
                        command.err().startsWith("holdfast: HOLDFAST_HOME is 'locks', must be an absolute path"),
                        command.err());
            }
        }
        Server elsewhere = Server.chosen(name -> name.equals("--url") ? "redis://h" : null, false, false);
        assertFalse(elsewhere.machineLocal());
    }

    @Test
    void server_thatIsRequiredAndNotGiven_is64_beforeAnythingIsDone() throws Exception {
        Map<String, String> required = Map.of("HOLDFAST_REQUIRE_SERVER", "1");
        String given = "ls --require-server";
        for (String line : List.of(
                "run x -q -- echo ran", "ls", "doctor", "release x --yes", given, "run x --url local -- true")) {
            Map<String, String> environment = line.equals(given) ? Map.of() : required;
            try (Launched command = Launched.holdfast(environment, line.split(" "))) {
                assertEquals(64, command.status(), line);
                assertEquals("", command.out());
                assertTrue(
                        command.err()
                                .matches("holdfast: (--require-server|HOLDFAST_REQUIRE_SERVER=1) needs a server, but"
                                        + " (no address is given|'local' is none): give an address with --url or in"
                                        + " HOLDFAST_URL; see holdfast help.*\n"),
                        command.err());
            }
        }
        try (Launched odd = Launched.holdfast(Map.of("HOLDFAST_REQUIRE_SERVER", "yes"), "run", "x", "--", "true");
                Launched help = Launched.holdfast(required, "run", "--help")) {
            assertEquals(64, odd.status());
            assertTrue(odd.err().startsWith("holdfast: HOLDFAST_REQUIRE_SERVER is 'yes', must be 1 or 0"), odd.err());
            assertEquals(0, help.status());
        }
    }

    @Test
    void help_isOnStandardOutput_withExamplesAndStatuses() throws Exception {
        for (String[] words : new String[][] {{"run", "--help"}, {"help", "run"}, {"run", "x", "-h", "--", "true"}}) {
            try (Launched help = Launched.holdfast(words)) {
                assertEquals(0, help.status(), Arrays.toString(words));
                assertEquals("", help.err());
                for (String part : List.of(
                        "Usage: holdfast run NAME",
                        "--min-hold",
                        "Exit status:",
                        "  76 ",
                        "  127 ",
                        "Examples:",
                        "HOLDFAST_TOKEN",
                        "flock")) {
                    assertTrue(help.out().contains(part), part + " in\n" + help.out());
                }
            }
        }
    }

    @Test
    void pages_wrapToTheTerminal_betweenWords_andKeepCommandLinesWhole() throws Exception {
        List<String> words = List.of("holdfast run nightly --url redis://locks --require-server --try --min-hold 55s"
                + " --busy-exit 0 -q -- report.sh");
        for (int columns : new int[] {55, 60, 80, 100, 200}) {
            for (String command :
                    Stream.concat(COMMANDS.stream(), Stream.of("", "run")).toList()) {
                String page = Specs.page(command, columns);
                int width = Math.min(100, columns);
                String all = page.replaceAll("\\s+", " ");
                assertTrue(
                        page.lines().allMatch(line -> line.length() <= width || line.startsWith("    ")),
                        columns + ":\n" + page);
                assertEquals(Specs.page(command, 100).replaceAll("\\s+", " "), all);
                page.lines()
                        .filter(line -> line.length() > width)
                        .forEach(line -> assertTrue(line.contains("holdfast "), line));
            }
            assertTrue(Specs.page("run", columns).contains(words.get(0)));
        }
        try (Launched narrow = Launched.holdfast(Map.of("COLUMNS", "60"), "help", "release");
                Launched usual = Launched.holdfast(Map.of("COLUMNS", "wide"), "help", "release")) {
            assertEquals(0, narrow.status());
            assertEquals(Specs.page("release", 60), narrow.out());
            assertEquals(0, usual.status());
            assertEquals(Specs.page("release", 80), usual.out());
        }
    }

    @ParameterizedTest
    @FieldSource("COMMANDS")
    void page_ofEachCommand_isComplete(String command) {
        Said page = Said.by("help", command);
        assertEquals(0, page.status());
        assertEquals("", page.err());
        assertTrue(page.out().startsWith("Usage: holdfast " + command), page.out());
        for (String part : List.of(
                "--json", "--url=URL", "-h, --help", "\nExit status:\n", "\n  0 ", "\n  69 ", "\nExamples:\n")) {
            assertTrue(page.out().contains(part), part + " in\n" + page.out());
        }
        assertEquals(page, Said.by(command, "--help"));
        assertTrue(Said.by("help").out().contains("\n  " + command + " "));
    }

    @ParameterizedTest
    @CsvSource({
        "acquire,The lock:",
        "lead,The election:",
        "limit,The semaphore:",
        "unlimit,The semaphore:",
        "release,'Name of the lock, or of the kind that --kind gives:'",
        "why,'Name of the lock, or of the kind that --kind gives:'",
        "run,Name of the lock; with --read or --write of the read/write lock"
    })
    void page_saysWhatTheNameIsOf(String command, String words) {
        String page = Said.by("help", command).out().replaceAll("\\s+", " ");
        assertTrue(page.contains(words), page);
    }

    @ParameterizedTest
    @CsvSource({
        "help,holdfast run NAME",
        "--help,  doctor   checks the server",
        "ls --help,holdfast ls",
        "info -h,holdfast info NAME",
        "help ls,holdfast ls",
        "help info,holdfast info",
        "--version,holdfast 0."
    })
    void pages_areShown(String line, String part) throws Exception {
        try (Launched page = Launched.holdfast(line.split(" "))) {
            assertEquals(0, page.status());
            assertEquals("", page.err());
            assertTrue(page.out().contains(part), page.out());
        }
    }
}
