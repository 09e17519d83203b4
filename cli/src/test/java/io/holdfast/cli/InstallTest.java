package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code holdfast install} and {@code uninstall}, and what is installed. */
final class InstallTest {
    /** No JAVA_HOME, and no java on the search path of a {@link Workshop}. */
    private static final Map<String, String> NO_JAVA = Map.of("JAVA_HOME", "");

    @TempDir
    Path folder;

    private Workshop workshop;
    private Path quick;
    private Path target;

    @BeforeEach
    void setUp() throws Exception {
        workshop = Workshop.in(folder).withJars();
        quick = workshop.quickJdk();
        target = folder.toRealPath().resolve("opt/hold fast");
        try (Launched build = workshop.launch(quick, "--version")) {
            assertEquals(0, build.status(), build.err());
        }
        Files.delete(workshop.bin().resolve("mvn"));
    }

    @AfterEach
    void awaitEnd() throws Exception {
        Launched.awaitKeeperGone(folder);
    }

    private Path command() {
        return target.resolve("bin/holdfast");
    }

    /** What an installation has said. */
    private String install(String... more) throws InterruptedException {
        String[] words = Stream.concat(Stream.of("install", target.toString()), Stream.of(more))
                .toArray(String[]::new);
        try (Launched install = workshop.launch(quick, words)) {
            assertEquals(0, install.status(), install.err());
            return install.out();
        }
    }

    private String version(Map<String, String> environment, Path command) throws InterruptedException {
        try (Launched run = workshop.launch(quick, environment, command, "--version")) {
            assertEquals(0, run.status(), run.err());
            assertEquals("", run.err());
            return run.out();
        }
    }

    /** Makes the clone another than what was installed. */
    private void renew() throws IOException {
        Files.writeString(workshop.root().resolve("holdfast"), "# another\n", StandardOpenOption.APPEND);
    }

    private Path current() throws IOException {
        return versionOf(command());
    }

    /** The version that a link to its command means. */
    private static Path versionOf(Path command) throws IOException {
        return command.toRealPath().resolve("../..").normalize();
    }

    private List<Path> versions() throws IOException {
        try (Stream<Path> versions = Files.list(target.resolve("versions"))) {
            return versions.sorted().toList();
        }
    }

    private static void remove(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path each : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(each);
            }
        }
    }

    private Launched running(Path command) throws InterruptedException {
        Launched run = workshop.launch(
                quick, Map.of(), command, "run", "x", "--url", "local", "--", "sh", "-c", "echo runs; cat");
        run.awaitOut("runs\n");
        return run;
    }

    private static void end(Launched run) throws IOException, InterruptedException {
        run.in("went on\n".getBytes(StandardCharsets.UTF_8));
        assertEquals(0, run.status(), run.err());
        assertEquals("runs\nwent on\n", run.out());
        assertEquals("", run.err());
    }

    /** Scripts export what they like, and names that a launcher could have, too. */
    @Test
    void variables_ofTheCaller_reachTheCommandAsTheyAre() throws Exception {
        install();
        List<String> names = List.of("version", "image", "state", "root", "home", "java", "main", "flags", "command");
        Map<String, String> exported = new HashMap<>();
        names.forEach(name -> exported.put(name, "mine"));
        try (Launched run = workshop.launch(
                quick,
                exported,
                command(),
                "run",
                "x",
                "--url",
                "local",
                "--",
                Workshop.find("env").toString())) {
            assertEquals(0, run.status(), run.err());
            for (String name : names) {
                assertTrue(run.out().contains("\n" + name + "=mine\n"), () -> name + " in " + run.out());
            }
        }
    }

    @Test
    void installed_needsNeitherTheCloneNorMavenNorAVariable() throws Exception {
        String said = install();
        assertTrue(said.matches("installed holdfast 0\\.\\S+ as \\Q" + command() + "\\E\n"), said);
        remove(workshop.root());
        assertTrue(version(NO_JAVA, command()).startsWith("holdfast 0."));
        Path link = Files.createSymbolicLink(folder.resolve("hf"), command());
        try (Launched run = workshop.launch(
                quick,
                NO_JAVA,
                link,
                "run",
                "x",
                "--url",
                "local",
                "--",
                "sh",
                "-c",
                "echo \"$0 $1\"; exit 7",
                "a  b")) {
            assertEquals(7, run.status(), run.err());
            assertEquals("a  b \n", run.out());
        }
    }

    @Test
    void installed_byAUserWithAPrivateMask_isReadableForAll() throws Exception {
        try (Launched install = workshop.start(
                quick,
                Map.of(),
                List.of(
                        Workshop.find("sh").toString(),
                        "-c",
                        "umask 077; exec \"$@\"",
                        "sh",
                        workshop.root().resolve("holdfast").toString(),
                        "install",
                        target.toString()))) {
            assertEquals(0, install.status(), install.err());
        }
        try (Stream<Path> files = Files.walk(target)) {
            for (Path each : files.toList()) {
                boolean entered = Files.isDirectory(each) || each.endsWith("bin/holdfast");
                assertTrue(
                        Files.getPosixFilePermissions(each)
                                .containsAll(
                                        entered
                                                ? List.of(
                                                        PosixFilePermission.OTHERS_READ,
                                                        PosixFilePermission.OTHERS_EXECUTE)
                                                : List.of(PosixFilePermission.OTHERS_READ)),
                        each.toString());
            }
        }
    }

    @Test
    void install_ofTheSame_changesNothing() throws Exception {
        install();
        Path before = current();
        assertEquals(command() + " is up to date\n", install());
        assertEquals(before, current());
        assertEquals(List.of(before), versions());
        assertFalse(Files.exists(target.resolve("lock"), LinkOption.NOFOLLOW_LINKS));
    }

    @Test
    void install_ofAnother_whileACommandRuns_isForWhoeverStartsNow() throws Exception {
        install();
        Path before = current();
        Path second;
        try (Launched run = running(command())) {
            renew();
            install();
            second = current();
            assertNotEquals(before, second);
            assertTrue(Files.readString(command()).endsWith("# another\n"));
            version(NO_JAVA, command());
            // Long ago, but somebody still runs from it.
            Files.setLastModifiedTime(before, FileTime.from(Instant.now().minus(Duration.ofDays(9))));
            renew();
            install();
            assertTrue(Files.isDirectory(before));
            assertEquals(3, versions().size());
            end(run);
        }
        Launched.awaitKeeperGone(folder);
        renew();
        install();
        assertFalse(Files.exists(before), "the one of long ago");
        assertEquals(3, versions().size());
        assertTrue(Files.isDirectory(second), "one that was replaced just now");
    }

    @Test
    void install_thatFails_leavesAllAsItWas() throws Exception {
        Path ours = workshop.root()
                .resolve(".holdfast/"
                        + Files.readString(workshop.root().resolve(".holdfast/current"))
                                .strip() + "/ours.jar");
        byte[] good = Files.readAllBytes(ours);
        Files.writeString(ours, "no jar");
        try (Launched first = workshop.launch(quick, "install", target.toString())) {
            assertEquals(70, first.status());
            assertTrue(first.err().contains("what was installed does not start"), first.err());
            assertEquals("", first.out());
        }
        assertFalse(Files.exists(target));
        Files.write(ours, good);
        install();
        Path before = current();
        Files.writeString(ours, "no jar");
        try (Launched second = workshop.launch(quick, "install", target.toString())) {
            assertEquals(70, second.status());
        }
        assertEquals(before, current());
        assertEquals(List.of(before), versions());
        version(NO_JAVA, command());
    }

    @Test
    void install_intoAFolderOfOthers_isRefused() throws Exception {
        Files.createDirectories(target.resolve("bin"));
        Files.writeString(target.resolve("bin/other"), "another's");
        try (Launched install = workshop.launch(quick, "install", target.toString());
                Launched uninstall = workshop.launch(quick, "uninstall", target.toString())) {
            assertEquals(64, install.status());
            assertTrue(install.err().contains("is not empty"), install.err());
            assertEquals(64, uninstall.status());
            assertTrue(uninstall.err().contains("was not made by holdfast install"), uninstall.err());
        }
        try (Stream<Path> files = Files.walk(target)) {
            assertEquals(3, files.count());
        }
    }

    @Test
    void install_withWordsThatItDoesNotKnow_isRefused_andHelpHelps() throws Exception {
        for (List<String> words : List.of(
                List.of("install"),
                List.of("install", ""),
                List.of("install", "a", "b"),
                List.of("install", "a", "--with-jre"),
                List.of("uninstall"),
                List.of("uninstall", "nowhere"),
                List.of("uninstall", "a", "b"))) {
            try (Launched run = workshop.launch(quick, words.toArray(new String[0]))) {
                assertEquals(64, run.status(), words + ": " + run.err());
                assertTrue(run.err().endsWith("; see holdfast " + words.get(0) + " --help\n"), run.err());
            }
        }
        try (Launched help = workshop.launch(quick, "uninstall", "--help");
                Launched same = workshop.launch(quick, "help", "install")) {
            assertEquals(0, help.status());
            assertEquals(0, same.status());
            assertEquals(help.out(), same.out());
            assertTrue(help.out().startsWith("Usage: holdfast install DIR"), help.out());
            assertTrue(help.out().lines().allMatch(line -> line.length() <= 80), help.out());
        }
    }

    @Test
    void uninstall_leavesNothing() throws Exception {
        install();
        renew();
        install();
        try (Launched uninstall = workshop.launch(quick, NO_JAVA, command(), "uninstall")) {
            assertEquals(0, uninstall.status(), uninstall.err());
            assertEquals("removed holdfast from " + target + "\n", uninstall.out());
        }
        assertFalse(Files.exists(target));
        assertTrue(Files.isDirectory(target.resolve("..").normalize()));
    }

    @Test
    void uninstall_leavesWhatIsNotHoldfasts() throws Exception {
        install();
        Files.writeString(target.resolve("bin/other"), "another's");
        try (Launched uninstall = workshop.launch(quick, "uninstall", target.toString())) {
            assertEquals(0, uninstall.status(), uninstall.err());
            assertTrue(uninstall.err().contains(target + " itself is left"), uninstall.err());
        }
        try (Stream<Path> files = Files.walk(target)) {
            assertEquals(
                    List.of(target, target.resolve("bin"), target.resolve("bin/other")),
                    files.sorted().toList());
        }
    }

    @Test
    void uninstall_whileACommandRuns_isRefused_unlessForced() throws Exception {
        install();
        try (Launched run = running(command())) {
            try (Launched refused = workshop.launch(quick, "uninstall", target.toString())) {
                assertEquals(1, refused.status());
                assertTrue(refused.err().contains(": " + run.pid()), refused.err());
            }
            version(NO_JAVA, command());
            try (Launched forced = workshop.launch(quick, "uninstall", target.toString(), "--force")) {
                assertEquals(0, forced.status(), forced.err());
            }
            assertFalse(Files.exists(target));
            run.in(new byte[0]);
            run.status();
        }
    }

    @Test
    void copy_elsewhere_runs_andInstallsItself() throws Exception {
        install();
        Path copy = Files.createDirectories(folder.resolve("copied"));
        Process cp = new ProcessBuilder("cp", "-R", target + "/.", copy.toString())
                .inheritIO()
                .start();
        assertEquals(0, cp.waitFor());
        remove(target);
        version(NO_JAVA, copy.resolve("bin/holdfast"));
        try (Launched install =
                workshop.launch(quick, NO_JAVA, copy.resolve("bin/holdfast"), "install", target.toString())) {
            assertEquals(0, install.status(), install.err());
        }
        // As some programs copy it.
        Path file = copy.resolve("bin/holdfast");
        byte[] content = Files.readAllBytes(file);
        Files.delete(file);
        Files.write(file, content);
        assertTrue(file.toFile().setExecutable(true));
        try (Launched withoutLink = workshop.launch(quick, Map.of(), file, "--version")) {
            assertEquals(70, withoutLink.status());
            assertTrue(withoutLink.err().contains("should be a link"), withoutLink.err());
        }
        remove(copy);
        version(NO_JAVA, command());
    }

    @Test
    void archive_isMadeWhenItIsInstalled_andAnewForACopyElsewhere() throws Exception {
        Path jdk = Workshop.realHome();
        try (Launched install = workshop.launch(jdk, "install", target.toString())) {
            assertEquals(0, install.status(), install.err());
        }
        Path archive = archive(current(), jdk);
        assertTrue(Files.size(archive) > 1_000_000);
        FileTime made = Files.getLastModifiedTime(archive);
        version(NO_JAVA, command());
        assertEquals(made, Files.getLastModifiedTime(archive));
        Path copy = folder.toRealPath().resolve("copied");
        Files.move(target, copy);
        Path moved = archive(versionOf(copy.resolve("bin/holdfast")), jdk);
        version(NO_JAVA, copy.resolve("bin/holdfast"));
        assertNotEquals(made, Files.getLastModifiedTime(moved), "the JVM would not take one for jars elsewhere");
        assertTrue(Files.size(moved) > 1_000_000);
    }

    private static Path archive(Path version, Path jdk) {
        return Path.of(version + "/lib/cds" + jdk + "/holdfast.jsa");
    }

    @Test
    void java_thatIsTooOld_isSaid_alsoWhereNoArchiveCanBeMade() throws Exception {
        Path old = workshop.jdk("old", "exit 1");
        Files.writeString(old.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"11.0.2\"\n");
        try (Launched install = workshop.launch(old, "install", target.toString())) {
            assertEquals(70, install.status());
        }
        assertFalse(Files.exists(target));
    }

    @Test
    void installed_withItsOwnJava_needsNoOther_andDoesAllThatOneWithTheJdkDoes() throws Exception {
        try (Launched install = workshop.launch(Workshop.realHome(), "install", target.toString(), "--with-runtime")) {
            // Six programs of the JDK, one after the other.
            assertEquals(0, install.status(6 * Launched.PATIENCE_SECONDS), install.err());
        }
        Path java = current().resolve("runtime/bin/java");
        assertTrue(Files.size(current().resolve("lib/cds/runtime/holdfast.jsa")) > 1_000_000);
        version(NO_JAVA, command());
        // Nor does it use another.
        version(Map.of("JAVA_HOME", folder.resolve("nowhere").toString()), command());
        try (Launched run = workshop.launch(
                quick, NO_JAVA, command(), "run", "x", "--url", "local", "--", "sh", "-c", "echo $HOLDFAST_TOKEN")) {
            assertEquals(0, run.status(), run.err());
            assertTrue(run.out().matches("[0-9]+\n"), run.out());
        }
        try (Launched tls = workshop.launch(quick, NO_JAVA, command(), "ls", "--url", "rediss://localhost:1")) {
            assertEquals(69, tls.status(), tls.err());
        }
        try (Launched modules = Launched.start(Map.of(), List.of(java.toString(), "--list-modules"))) {
            assertEquals(0, modules.status());
            for (String module : List.of("jdk.crypto.ec", "jdk.net", "jdk.unsupported", "java.management")) {
                assertTrue(modules.out().contains(module + "@"), modules.out());
            }
        }
        try (Launched again = workshop.launch(Workshop.realHome(), "install", target.toString())) {
            assertEquals(0, again.status(), again.err());
            assertEquals(command() + " is up to date\n", again.out());
        }
    }
}
