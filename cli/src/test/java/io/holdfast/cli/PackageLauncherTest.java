package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher of packages, with a Java that only says how it was called. {@code package/check} tries it with a real one. */
final class PackageLauncherTest {
    @TempDir
    Path folder;

    private Path image;
    private Path command;

    @BeforeEach
    void setUp() throws Exception {
        image = Files.createDirectories(folder.toRealPath().resolve("an image"));
        Path java = Files.createDirectories(image.resolve("runtime/bin")).resolve("java");
        executable(java, """
                #!/bin/sh
                printf '%s\\n' "$@"
                echo "LC_ALL $LC_ALL ${HOLDFAST_LC_ALL-unset}"
                """);
        command = Files.createDirectories(image.resolve("bin")).resolve("holdfast");
        try (Launched made = Launched.start(Map.of(), List.of("sh", "../package/put-together"))) {
            assertEquals(0, made.status(), made.err());
            executable(command, made.out());
        }
    }

    private static void executable(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Launched launch(Path launcher, Map<String, String> environment, String... words) {
        return Launched.start(
                environment,
                Stream.concat(Stream.of(launcher.toString()), Stream.of(words)).toList());
    }

    @Test
    void words_goToItsOwnJava_asTheyAre() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("hf"), command);
        try (Launched run =
                launch(link, Map.of("LC_ALL", "", "LANG", "C", "JAVA_HOME", "/nowhere"), "run", "a  b", "--", "*")) {
            assertEquals(0, run.status(), run.err());
            assertTrue(
                    run.out()
                            .endsWith("\n-cp\n" + image
                                    + "/none\nio.holdfast.cli.Main\nrun\na  b\n--\n*\nLC_ALL C.UTF-8 \n"),
                    run.out());
            assertTrue(run.out().contains("\n-XX:+UseSerialGC\n"), run.out());
        }
    }

    @Test
    void locale_thatSaysUtf8_stays_andTheArchiveIsUsedIfThereIsOne() throws Exception {
        Path archive =
                Files.createDirectories(image.resolve("runtime/lib/server")).resolve("holdfast.jsa");
        Files.writeString(archive, "x");
        try (Launched run = launch(command, Map.of("LC_ALL", "de_DE.UTF-8"), "--version")) {
            assertEquals(0, run.status(), run.err());
            assertTrue(run.out().endsWith("\n--version\nLC_ALL de_DE.UTF-8 unset\n"), run.out());
            assertTrue(run.out().contains("\n-XX:SharedArchiveFile=" + archive + "\n"), run.out());
        }
    }

    @Test
    void install_isNotForPackages() throws Exception {
        for (List<String> words :
                List.of(List.of("install", "/tmp/x"), List.of("uninstall"), List.of("help", "install"))) {
            try (Launched run = launch(command, Map.of(), words.toArray(String[]::new))) {
                assertEquals(64, run.status(), words.toString());
                assertTrue(run.err().contains("came as a package"), run.err());
            }
        }
    }

    @Test
    void java_thatIsMissing_isSaid() throws Exception {
        Files.delete(image.resolve("runtime/bin/java"));
        try (Launched run = launch(command, Map.of(), "ls")) {
            assertEquals(70, run.status());
            assertTrue(run.err().contains(image + "/runtime is missing"), run.err());
        }
    }
}
