package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.cli.Documents.Command;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.Model.OptionSpec;

/** The manual and the completions that packages have: that they tell of everything, and that other programs take them. */
final class DocumentsTest {
    @TempDir
    Path folder;

    @BeforeEach
    void setUp() throws IOException {
        Documents.write(folder, "2026-11-21");
    }

    static List<Command> commands() {
        return Documents.commands();
    }

    private Path page(String name) {
        return folder.resolve("man/man1/" + name + ".1");
    }

    private Path bash() {
        return folder.resolve("bash-completion/completions/holdfast");
    }

    private Path zsh() {
        return folder.resolve("zsh/site-functions/_holdfast");
    }

    private Path fish() {
        return folder.resolve("fish/vendor_completions.d/holdfast.fish");
    }

    /** The words of a page, without what man(7) wants. */
    private static String words(Path page) throws IOException {
        return Files.readString(page)
                .replaceAll("\\\\f[BIR]|\\\\&", "")
                .replace("\\-", "-")
                .replace("\\(aq", "'")
                .replace("\\(dq", "\"")
                .replace("\\(ga", "`")
                .replace("\\(ha", "^")
                .replace("\\(ti", "~")
                .replace("\\e", "\\");
    }

    /** What a program prints that has nothing to say against it; a machine without the program cannot be asked. */
    private String says(String... line) throws InterruptedException {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(each -> Files.isExecutable(Path.of(each, line[0]))),
                "there is no " + line[0] + " on the search path");
        Map<String, String> environment = Map.of(
                "LC_ALL",
                "C.UTF-8",
                "MANWIDTH",
                "100",
                "HOME",
                folder.toString(),
                "XDG_CONFIG_HOME",
                folder.toString());
        try (Launched launched = Launched.start(environment, List.of(line))) {
            assertEquals(0, launched.status(), launched.err());
            assertEquals("", launched.err(), String.join(" ", line));
            return launched.out();
        }
    }

    private static Set<String> lines(String text) {
        return text.lines()
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> allNames(Command command) {
        return command.spec().options().stream()
                .flatMap(each -> Stream.of(each.names()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    // ---- the manual

    @ParameterizedTest
    @MethodSource("commands")
    void page_tellsAllThatHelpTells(Command command) throws IOException {
        String page = words(page("holdfast-" + command.name()));
        List<String> wanted = new ArrayList<>(List.of(command.summary()));
        command.spec().options().forEach(each -> {
            wanted.addAll(List.of(each.names()));
            wanted.add(each.description()[0]);
        });
        command.spec().positionalParameters().forEach(each -> wanted.add(each.description()[0]));
        var usage = command.spec().usageMessage();
        wanted.addAll(usage.exitCodeList().keySet());
        wanted.addAll(usage.exitCodeList().values());
        for (String[] each : List.of(usage.customSynopsis(), usage.description(), usage.footer())) {
            Arrays.stream(each)
                    .map(String::strip)
                    .filter(line -> !line.equals("Examples:"))
                    .forEach(wanted::add);
        }
        for (String each : wanted) {
            assertTrue(page.contains(each), () -> command.name() + " lacks: " + each);
        }
        assertTrue(
                page.contains("\n.SH EXAMPLES\n")
                        == Arrays.asList(usage.footer()).contains("Examples:"),
                page);
    }

    @Test
    void pageOfTheWhole_refersToEachCommand_andNotToWhatOnlyACloneHas() throws IOException {
        String page = words(page("holdfast"));
        for (Command each : commands()) {
            assertTrue(page.contains("holdfast-" + each.name() + "(1)\n" + each.summary() + "\n"), each.name());
        }
        assertTrue(page.contains("redis-sentinel://"), page);
        assertTrue(!page.contains("uninstall"), page);
    }

    @Test
    void pages_areShownByMan_withoutAWarning() throws Exception {
        for (String name : Stream.concat(Stream.of(""), commands().stream().map(each -> "-" + each.name()))
                .toList()) {
            String shown = says(
                    "man",
                    "--warnings",
                    "-E",
                    "UTF-8",
                    "-l",
                    page("holdfast" + name).toString());
            assertTrue(shown.contains("SYNOPSIS") && shown.contains("SEE ALSO"), shown);
        }
        String run = says("man", "-E", "UTF-8", "-l", page("holdfast-run").toString());
        assertTrue(run.contains("       -q, --quiet\n"), run);
        assertTrue(run.contains("           holdfast run build --url local --hold-for-children -- make\n"), run);
    }

    // ---- completions

    private String bash(String... words) throws InterruptedException {
        return bashWith("", words);
    }

    /** @param setting what the shell does before */
    private String bashWith(String setting, String... words) throws InterruptedException {
        String list = Stream.of(words).map(each -> "'" + each + "'").collect(Collectors.joining(" "));
        return says(
                "bash",
                "--norc",
                "-c",
                "set -u; . '" + bash() + "'; " + setting + "COMP_WORDS=(holdfast " + list + "); COMP_CWORD="
                        + words.length
                        + "; _holdfast 2>/dev/null; [ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\\n' \"${COMPREPLY[@]}\"");
    }

    @Test
    void bash_completesCommandsOptionsAndValues() throws Exception {
        Set<String> words = lines(bash(""));
        for (Command each : commands()) {
            assertTrue(words.contains(each.name()), each.name());
            assertEquals(allNames(each), lines(bash(each.name(), "-")), each.name());
        }
        assertEquals(Set.of("run", "release", "resume"), lines(bash("r")));
        assertEquals(Set.of("semaphore"), lines(bash("ls", "--kind", "s")));
        assertEquals(Set.of("semaphore"), lines(bash("ls", "--kind", "=", "s")));
        assertEquals(new TreeSet<>(Kinds.words()), lines(bash("ls", "--kind", "=")));
        assertEquals(Set.of("--priority"), lines(bash("run", "x", "--pri")));
        assertEquals("", bash("run", "x", "--wait", ""), "a time is not to be guessed");
        assertEquals("", bash("run", "x", ""), "nor a name");
        assertEquals(Set.of("doctor"), lines(bash("help", "do")));
        assertTrue(lines(bash("run", "x", "--", "tru")).contains("true"));
        assertEquals(Set.of(folder + "/man"), lines(bash("ls", "--cacert", folder + "/m")));
    }

    @Test
    void bash_namesOfLocks_areCompletedAndNeverExpanded() throws Exception {
        String lists = "holdfast() { printf '%s\\n' deploy 'de $(touch /tmp/x)' other; }; "; // in place of the command
        assertEquals(
                Set.of("deploy", "de\\ \\$\\(touch\\ /tmp/x\\)"),
                lines(bashWith(lists + "HOLDFAST_URL=x; ", "info", "de")));
        assertEquals("", bashWith(lists + "unset HOLDFAST_URL; ", "info", "de"), "no server is asked, nor started");
    }

    private String fish(String line) throws InterruptedException {
        return says("fish", "--no-config", "-c", "source '" + fish() + "'; complete -C '" + line + "'");
    }

    private static Set<String> firstColumn(String text) {
        return text.lines().map(each -> each.split("\t", 2)[0]).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void fish_completesCommandsOptionsAndValues() throws Exception {
        Set<String> words = firstColumn(fish("holdfast "));
        for (Command each : commands()) {
            assertTrue(words.contains(each.name()), each.name());
            Set<String> wanted = each.spec().options().stream()
                    .map(OptionSpec::longestName)
                    .collect(Collectors.toCollection(TreeSet::new));
            Set<String> told = firstColumn(fish("holdfast " + each.name() + " --")).stream()
                    .map(name -> name.replace("=", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertEquals(wanted, told, each.name());
        }
        assertEquals(Set.of("semaphore"), firstColumn(fish("holdfast ls --kind s")));
        assertEquals(Set.of("doctor"), firstColumn(fish("holdfast help do")));
        assertEquals("", fish("holdfast run x "));
        assertTrue(firstColumn(fish("holdfast run x -- tru")).contains("true"));
        assertEquals("", fish("holdfast run x -- true --kin"), "options of another command");
    }

    /** Lets the function say what it would have zsh do. */
    private String zsh(String... words) throws InterruptedException {
        String list = Stream.of(words).map(each -> "'" + each + "'").collect(Collectors.joining(" "));
        return says("zsh", "-f", "-c", """
                compdef() { : }
                _describe() { print -rl -- ${(P)@[-1]} }
                _arguments() { print -rl -- "$@" }
                _normal() { print -r -- "normal $CURRENT:" $words }
                . '%s'
                words=(holdfast %s)
                CURRENT=%d
                _holdfast
                """.formatted(zsh(), list, words.length + 1));
    }

    @Test
    void zsh_isToldOfCommandsOptionsAndValues() throws Exception {
        String first = zsh("");
        for (Command each : commands()) {
            assertTrue(first.contains(each.name() + ":" + each.summary()), each.name());
            Collection<String> told = lines(zsh(each.name(), "--"));
            for (OptionSpec option : each.spec().options()) {
                for (String name : option.names()) {
                    assertTrue(
                            told.stream()
                                    .map(line -> line.replaceFirst("^(\\*|\\([^)]*\\))", ""))
                                    .anyMatch(line -> line.startsWith(name + "[") || line.startsWith(name + "=[")),
                            () -> each.name() + " " + name + " in " + told);
                }
            }
        }
        assertTrue(zsh("ls", "").contains(":KIND:(lock read-write semaphore election)"));
        assertTrue(zsh("run", "").contains("\n1:NAME:"));
        assertEquals("normal 2: make al\n", zsh("run", "x", "--", "make", "al"));
        assertEquals("normal 1:\n", zsh("run", "x", "--", ""));
        assertTrue(zsh("help", "").contains("doctor:"));
    }

    @Test
    void zsh_findsTheFunctionByItsFile() throws Exception {
        assertEquals("_holdfast\n", says("zsh", "-f", "-c", """
                fpath=('%s' $fpath)
                autoload -Uz compinit
                compinit -u -D
                print -r -- $_comps[holdfast]
                """.formatted(zsh().getParent())));
    }
}
