package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script {@code holdfast} at the root, with a Maven that only copies. */
final class LauncherTest {
    private static final String BUILDING =
            "holdfast: building holdfast, once: it takes a minute or two, and longer if Maven has much to download\n";
    private static final String OLD = "holdfast: this build is older than its source, and is used because ";

    @TempDir
    Path folder;

    private Workshop workshop;
    private Path quick;

    @BeforeEach
    void setUp() throws IOException {
        workshop = Workshop.in(folder).withJars();
        quick = workshop.quickJdk();
    }

    @AfterEach
    void awaitEnd() throws Exception {
        Launched.awaitKeeperGone(folder);
    }

    private void assertVersion(Launched launched, String err) throws InterruptedException {
        assertEquals(0, launched.status(), launched.err());
        assertTrue(launched.out().matches("holdfast 0\\.\\S+\n"), launched.out());
        assertEquals(err, said(launched));
    }

    /** Without what a build says only on a slow machine. */
    private static String said(Launched launched) {
        return launched.err().replaceAll("holdfast: still building.*\n", "");
    }

    @Test
    void twoFirstLaunches_atOnce_buildOnce() throws Exception {
        Files.createFile(workshop.file("hold"));
        try (Launched first = workshop.launch(quick, "--version")) {
            first.awaitErr(BUILDING);
            try (Launched second = workshop.launch(quick, "--version")) {
                second.awaitErr("holdfast: waiting for process " + first.pid() + "@");
                Files.delete(workshop.file("hold"));
                assertVersion(first, BUILDING);
                assertEquals(0, second.status());
                assertTrue(second.out().startsWith("holdfast 0."));
            }
        }
        assertEquals(1, workshop.builds());
        assertFalse(Files.isSymbolicLink(workshop.root().resolve(".holdfast/lock")));
        try (Launched third = workshop.launch(quick, "--version")) {
            assertVersion(third, "");
        }
        assertEquals(1, workshop.builds());
    }

    /** One that the caller exports would have the launcher's value in the command. */
    @Test
    void variables_ofTheLaunchers_beginWithTheirPrefix() throws IOException {
        Pattern assigned =
                Pattern.compile("(?:^|[\\s;&|(])([a-z]\\w*)=|\\bfor ([a-z]\\w*)(?: in|;)|\\bread -r ([a-z][\\w ]*)");
        Set<String> ofPs = Set.of("pid", "args");
        int found = 0;
        for (String file : List.of("../holdfast", "../package/launcher")) {
            for (String line : Files.readAllLines(Path.of(file))) {
                Matcher matcher = assigned.matcher(line.strip().startsWith("#") ? "" : line);
                while (matcher.find()) {
                    String names = Stream.of(1, 2, 3)
                            .map(matcher::group)
                            .filter(Objects::nonNull)
                            .findAny()
                            .orElseThrow();
                    for (String name : names.strip().split(" ")) {
                        found++;
                        assertTrue(
                                name.startsWith("hf_") || ofPs.contains(name),
                                () -> name + " in " + file + ": " + line);
                    }
                }
            }
        }
        assertTrue(found > 80, "the pattern finds no assignments any more");
    }

    @Test
    void launch_afterASourceHasChanged_buildsAgain() throws Exception {
        try (Launched first = workshop.launch(quick, "--version")) {
            assertVersion(first, BUILDING);
        }
        Files.createDirectories(workshop.root().resolve("core/src/test"));
        Files.writeString(workshop.root().resolve("core/src/test/SomeTest.java"), "a test");
        Files.writeString(workshop.root().resolve("README.md"), "words");
        try (Launched same = workshop.launch(quick, "--version")) {
            assertVersion(same, "");
        }
        workshop.change("a source");
        try (Launched changed = workshop.launch(quick, "--version")) {
            assertVersion(changed, BUILDING);
        }
        assertEquals(2, workshop.builds());
        try (Launched same = workshop.launch(quick, "--version")) {
            assertVersion(same, "");
        }
    }

    @Test
    void build_thatFails_isShown_andTriedAgain() throws Exception {
        Files.createFile(workshop.file("broken"));
        try (Launched failed = workshop.launch(quick, "--version")) {
            assertEquals(70, failed.status());
            assertEquals("", failed.out());
            assertEquals(BUILDING + "a mistake in Main.java\nholdfast: the build failed, see above\n", said(failed));
        }
        Files.delete(workshop.file("broken"));
        try (Launched good = workshop.launch(quick, "--version")) {
            assertVersion(good, BUILDING);
        }
    }

    @Test
    void build_thatTakesLong_saysWhatItDoes() throws Exception {
        Files.createFile(workshop.file("hold"));
        try (Launched first = workshop.launch(quick, "--version")) {
            first.awaitErr(BUILDING + "holdfast: still building: core, module 2 of 6; ");
            Files.delete(workshop.file("hold"));
            assertVersion(first, BUILDING);
        }
    }

    @Test
    void build_thatIsOlderThanItsSource_isUsed_whereThereIsNoMaven() throws Exception {
        try (Launched first = workshop.launch(quick, "--version")) {
            assertVersion(first, BUILDING);
        }
        workshop.change("newer");
        Files.delete(workshop.bin().resolve("mvn"));
        try (Launched warned = workshop.launch(quick, "--version");
                Launched quiet = workshop.launch(quick, "run", "x", "--url=local", "-q", "--", "true");
                Launched notForUs = workshop.launch(quick, "run", "x", "--url=local", "--", "true", "-q")) {
            assertVersion(warned, OLD + "there is no mvn on the PATH\n");
            assertEquals(0, quiet.status());
            assertEquals("", quiet.err());
            assertEquals(0, notForUs.status());
            assertTrue(notForUs.err().startsWith(OLD), notForUs.err());
        }
    }

    @Test
    void build_thatIsOlderThanItsSource_isUsed_byAUserWhoMayNotWrite() throws Exception {
        try (Launched first = workshop.launch(quick, "--version")) {
            assertVersion(first, BUILDING);
        }
        workshop.change("newer");
        Path state = workshop.root().resolve(".holdfast");
        List<String> line = List.of(workshop.root().resolve("holdfast").toString(), "--version");
        if (Files.getOwner(folder).getName().equals("root")) {
            // Nothing forbids root to write.
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            line = Stream.concat(
                            Stream.of(
                                    Workshop.find("setpriv").toString(),
                                    "--reuid=65534",
                                    "--regid=65534",
                                    "--clear-groups"),
                            line.stream())
                    .toList();
        } else {
            Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("r-xr-xr-x"));
        }
        try (Launched other = workshop.start(quick, Map.of(), line)) {
            assertVersion(other, OLD + state.toRealPath() + " cannot be written to by this user\n");
        } finally {
            Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        assertEquals(1, workshop.builds());
    }

    @Test
    void build_thatIsOlderThanItsSource_isUsed_whileAnotherBuilds_andIfThatFails() throws Exception {
        try (Launched first = workshop.launch(quick, "--version")) {
            assertVersion(first, BUILDING);
        }
        workshop.change("newer");
        Files.createFile(workshop.file("hold"));
        Files.createFile(workshop.file("broken"));
        try (Launched builder = workshop.launch(quick, "--version")) {
            builder.awaitErr(BUILDING);
            try (Launched second = workshop.launch(quick, "--version")) {
                assertEquals(0, second.status(), second.err());
                assertTrue(second.err().startsWith(OLD + "process " + builder.pid() + "@"), second.err());
            }
            Files.delete(workshop.file("hold"));
            assertVersion(
                    builder,
                    BUILDING + "a mistake in Main.java\n"
                            + "holdfast: the build failed, see above; going on with the one before\n");
        }
        Files.delete(workshop.file("broken"));
        try (Launched repaired = workshop.launch(quick, "--version")) {
            assertVersion(repaired, BUILDING);
        }
        assertEquals(3, workshop.builds());
    }

    @Test
    void builder_thatWasKilled_holdsNobodyUp() throws Exception {
        Files.createFile(workshop.file("hold"));
        try (Launched first = workshop.launch(quick, "--version")) {
            first.awaitErr(BUILDING);
            Launched.await("the build to run", () -> Files.exists(workshop.file("builds")));
            first.signal("KILL");
            first.close();
            assertTrue(Files.isSymbolicLink(workshop.root().resolve(".holdfast/lock")));
        }
        Files.delete(workshop.file("hold"));
        try (Launched second = workshop.launch(quick, "--version")) {
            assertVersion(second, BUILDING);
        }
    }

    @Test
    void builder_thatIsTerminated_stopsAtOnce_andLeavesNothing() throws Exception {
        Files.createFile(workshop.file("hold"));
        try (Launched first = workshop.launch(quick, "--version")) {
            first.awaitErr(BUILDING);
            Launched.await("the build to run", () -> Files.exists(workshop.file("builds")));
            first.signal("TERM");
            assertEquals(143, first.status());
            assertFalse(Files.isSymbolicLink(workshop.root().resolve(".holdfast/lock")));
        }
    }

    @Test
    void firstLaunch_passesInputArgumentsLocaleAndSignalsOn() throws Exception {
        String script = "printf '%s %s|' \"$1\" \"$LC_ALL\" \"$HOLDFAST_LC_ALL\"; cat; echo runs; exec sleep 1000";
        try (Launched run = workshop.launch(
                quick,
                Map.of("LC_ALL", "C"),
                workshop.root().resolve("holdfast"),
                "run",
                "x",
                "--url",
                "local",
                "--",
                "/bin/sh",
                "-c",
                script,
                "sh",
                "Größe  ★")) {
            run.in("typed ahead\n".getBytes(StandardCharsets.UTF_8));
            run.awaitOut("runs");
            assertEquals("Größe  ★ C| |typed ahead\nruns\n", run.out());
            assertEquals(BUILDING, said(run));
            run.signal("TERM");
            assertEquals(143, run.status());
        }
        assertEquals("", Files.readString(workshop.file("input")), "nothing is left for Maven to read");
    }

    @Test
    void launch_throughALink_fromElsewhere_finds_itsFolder() throws Exception {
        Path link = Files.createDirectories(folder.resolve("some where")).resolve("hf");
        Files.createSymbolicLink(link, Path.of("../clone/holdfast"));
        try (Launched run = workshop.launch(quick, Map.of(), link, "--version")) {
            assertVersion(run, BUILDING);
        }
        assertTrue(Files.exists(workshop.root().resolve(".holdfast/current")));
    }

    @Test
    void archive_isMade_used_andMadeAnewForAnotherJdk() throws Exception {
        Path java = Workshop.realJava();
        Path jdk = workshop.jdk("jdk", "exec '" + java + "' \"$@\"");
        // What is set for the command is not meant for the making of the archive.
        Map<String, String> variables =
                Map.of("HOLDFAST_REQUIRE_SERVER", "1", "HOLDFAST_URL", "redis://nowhere.invalid");
        try (Launched first = workshop.launch(jdk, variables, workshop.root().resolve("holdfast"), "--version")) {
            assertVersion(first, BUILDING);
        }
        Path archive = workshop.archive(jdk);
        assertTrue(
                Files.readString(archive, StandardCharsets.ISO_8859_1).contains("io/holdfast/cli/Watcher"),
                "the classes of a whole run");
        long size = Files.size(archive);
        assertTrue(size > 1_000_000, "size " + size);
        // The JDK refuses to start if it is told to use an archive and cannot.
        try (Launched strict = Launched.start(
                Map.of(),
                List.of(
                        java.toString(),
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:-BytecodeVerificationRemote",
                        "-Xshare:on",
                        "-XX:SharedArchiveFile=" + archive,
                        "-cp",
                        archive.toString().replaceFirst("/cds/.*", "/ours.jar") + ":"
                                + archive.toString().replaceFirst("/cds/.*", "/others.jar"),
                        Main.class.getName(),
                        "--version"))) {
            assertVersion(strict, "");
        }
        // An archive that is of no use is not talked about.
        Files.setPosixFilePermissions(archive, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(archive, "not an archive");
        try (Launched spoilt = workshop.launch(jdk, "--version")) {
            assertVersion(spoilt, "");
        }
        Files.writeString(jdk.resolve("release"), "second\n");
        try (Launched renewed = workshop.launch(jdk, "--version")) {
            assertVersion(renewed, "");
        }
        assertTrue(Files.size(archive) > 1_000_000);
        try (Launched other = workshop.launch(quick, "--version")) {
            assertVersion(other, "");
        }
        assertEquals(0, Files.size(workshop.archive(quick)));
        assertEquals(1, workshop.builds());
    }

    @Test
    void address_thatIsEmptyOrRequired_isRefusedThroughTheLauncher() throws Exception {
        Path launcher = workshop.root().resolve("holdfast");
        try (Launched first = workshop.launch(quick, "--version")) {
            assertEquals(0, first.status());
        }
        try (Launched empty = workshop.launch(
                        quick, Map.of("HOLDFAST_URL", ""), launcher, "run", "x", "-q", "--", "echo", "ran");
                Launched required = workshop.launch(
                        quick,
                        Map.of("HOLDFAST_REQUIRE_SERVER", "1"),
                        launcher,
                        "run",
                        "x",
                        "-q",
                        "--",
                        "echo",
                        "ran")) {
            assertEquals(64, empty.status());
            assertTrue(empty.err().startsWith("holdfast: HOLDFAST_URL is empty"), empty.err());
            assertEquals(64, required.status());
            assertTrue(required.err().startsWith("holdfast: HOLDFAST_REQUIRE_SERVER=1 needs"), required.err());
            assertEquals("", empty.out() + required.out());
        }
    }

    @Test
    void java_thatIsMissingOrOld_isSaid() throws Exception {
        try (Launched missing = workshop.launch(folder.resolve("nowhere"), "--version")) {
            assertEquals(70, missing.status());
            assertTrue(missing.err().contains("JAVA_HOME is '" + folder.resolve("nowhere") + "'"), missing.err());
        }
        try (Launched none =
                workshop.launch(quick, Map.of("JAVA_HOME", ""), workshop.root().resolve("holdfast"), "--version")) {
            assertEquals(70, none.status());
            assertTrue(none.err().contains("no java on the PATH: install a JDK, 17 or later"), none.err());
        }
        for (String version : new String[] {"1.8", "11", "16"}) {
            Path old = workshop.jdk("old", "echo '    java.specification.version = " + version + "'");
            try (Launched run = workshop.launch(old, "--version")) {
                assertEquals(70, run.status());
                assertTrue(run.err().contains("is Java " + version + ", and holdfast needs 17 or later"), run.err());
            }
        }
        assertEquals(0, workshop.builds());
    }

    @Test
    void maven_thatIsMissing_isSaid() throws Exception {
        Files.delete(workshop.bin().resolve("mvn"));
        try (Launched run = workshop.launch(quick, "--version")) {
            assertEquals(70, run.status());
            assertEquals("", run.out());
            assertTrue(run.err().contains("no mvn on the PATH"), run.err());
            assertEquals(1, run.err().lines().count());
        }
    }
}
