package io.holdfast.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerProgramTest {
    private static final String THIS_PLATFORM =
            Settings.platform(System.getProperty("os.name"), System.getProperty("os.arch"));
    private static final String NO_PLATFORM = "sunos-sparcv9";

    @TempDir
    Path temporary;

    /** A program that tells this version, notes that it was asked, and otherwise is the bundled server. */
    private Path program(String name, String version) throws Exception {
        Path bin = Files.createDirectories(temporary.resolve("bin"));
        Path real = Files.isDirectory(temporary.resolve("program"))
                ? temporary.resolve("program/redis-server-7.0.15-" + THIS_PLATFORM)
                : Sandbox.program(temporary);
        Path script = bin.resolve(name);
        Files.writeString(script, """
                #!/bin/sh
                if [ "$1" = --version ]; then echo asked >>'%s'; echo 'Some server v=%s sha=0'; exit; fi
                exec '%s' "$@"
                """.formatted(asked(script), version, real));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
        return script;
    }

    private static Path asked(Path script) {
        return script.resolveSibling(script.getFileName() + ".asked");
    }

    private Settings settings(@Nullable String program, String platform) {
        return new Settings(
                temporary.resolve("home"),
                program,
                Sandbox.LONG_IDLE_MILLIS,
                temporary.resolve("bin").toString(),
                platform);
    }

    private Path found(Settings settings) throws IOException, InterruptedException {
        return new ServerProgram(settings, StateFolder.open(settings)).find();
    }

    private Path bundled() {
        return temporary.resolve("home/redis-server-7.0.15-" + THIS_PLATFORM);
    }

    @Test
    void join_newerProgramOnSearchPath_startedAndAskedOnce() throws Exception {
        Path script = program("valkey-server", "99.0.0");
        try (Sandbox sandbox = Sandbox.of(settings(null, THIS_PLATFORM))) {
            for (int start = 0; start < 2; start++) {
                try (EmbeddedServer server = sandbox.join()) {
                    assertEquals(sandbox.record().port(), server.address().port());
                    String command = sandbox.server().info().command().orElseThrow();
                    assertTrue(
                            Path.of(command).startsWith(temporary.toRealPath().resolve("program")), command);
                }
                Sandbox.kill(sandbox.server());
            }
            assertEquals(1, Files.readAllLines(asked(script)).size());
        }
    }

    @Test
    void find_changedProgram_askedAgain() throws Exception {
        program("redis-server", "7.2.0");
        Settings settings = settings(null, THIS_PLATFORM);
        Path script = found(settings);
        assertEquals(temporary.resolve("bin/redis-server"), script);
        program("redis-server", "7.0.14-older");
        assertEquals(bundled(), found(settings));
        assertEquals(2, Files.readAllLines(asked(script)).size());
    }

    @Test
    void find_olderOrMuteOnSearchPath_bundled() throws Exception {
        program("valkey-server", "7.0.14");
        program("redis-server", "mute");
        assertEquals(bundled(), found(settings(null, THIS_PLATFORM)));
    }

    @Test
    void find_sameVersionOnSearchPath_thatOfTheMachine() throws Exception {
        Path script = program("redis-server", "7.0.15");
        assertEquals(script, found(settings(null, THIS_PLATFORM)));
    }

    @Test
    void isBundled_byWhatTheServerRuns() throws Exception {
        try (Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
                EmbeddedServer share = sandbox.join()) {
            assertTrue(SharedServerProvider.isBundled(share));
            Sandbox.kill(sandbox.server());
            assertFalse(SharedServerProvider.isBundled(share), "nobody can tell");
        }
        assertFalse(ServerProgram.isBundled("/usr/bin/redis-server"));
        assertFalse(ServerProgram.isBundled("/opt/redis-server-8/bin/valkey-server"));
    }

    @Test
    void find_newerOnSearchPathButBundledAskedFor_bundled() throws Exception {
        program("redis-server", "99.0.0");
        assertEquals(bundled(), found(settings(Settings.BUNDLED, THIS_PLATFORM)));
    }

    @Test
    void find_named_takenAsItIs() throws Exception {
        Path script = program("my-server", "1.0.0");
        assertEquals(script, found(settings("my-server", THIS_PLATFORM)));
        assertEquals(script, found(settings(script.toString(), NO_PLATFORM)));
        assertTrue(Files.notExists(asked(script)));
    }

    @Test
    void find_namedButNotThere_error() {
        DriverException error =
                assertThrows(DriverException.class, () -> found(settings("no-such-server", THIS_PLATFORM)));
        assertTrue(String.valueOf(error.getMessage()).contains("no-such-server"));
    }

    @Test
    void find_damagedUnpackedProgram_unpackedAgain() throws Exception {
        Settings settings = settings(Settings.BUNDLED, THIS_PLATFORM);
        long size = Files.size(found(settings));
        Files.writeString(bundled(), "damaged");
        assertEquals(size, Files.size(found(settings)));
        assertTrue(Files.readString(temporary.resolve("home/REDIS-LICENSE.txt")).contains("Salvatore Sanfilippo"));
    }

    @Test
    void join_unsupportedPlatform_errorSaysWhatToDo() {
        DriverException error =
                assertThrows(DriverException.class, () -> new SharedServerProvider(settings(null, NO_PLATFORM)).join());
        String message = String.valueOf(error.getMessage());
        assertEquals(DriverException.Kind.UNKNOWN, error.kind());
        for (String part : new String[] {NO_PLATFORM, "linux-amd64", "darwin-arm64", "valkey-server", "address"}) {
            assertTrue(message.contains(part), message);
        }
    }

    @Test
    void find_unsupportedPlatform_anyProgramThatIsNewEnough() throws Exception {
        program("valkey-server", "6.0.16");
        Path script = program("redis-server", "6.2.0");
        assertEquals(script, found(settings(null, NO_PLATFORM)));
    }

    @Test
    void join_programThatDoesNotStart_errorWithItsWords() throws Exception {
        Path script = program("redis-server", "99.0.0");
        Files.writeString(script, "#!/bin/sh\necho 'no such luck'\nexit 3\n");
        try (Sandbox sandbox = Sandbox.of(settings(script.toString(), THIS_PLATFORM))) {
            DriverException error = assertThrows(DriverException.class, sandbox::join);
            String message = String.valueOf(error.getMessage());
            assertTrue(message.contains("ended with 3") && message.contains("no such luck"), message);
            assertTrue(Files.notExists(temporary.resolve("home/address")));
        }
    }

    @Test
    void join_portTakenMeanwhile_anotherPort() throws Exception {
        Path script = program("redis-server", "99.0.0");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Sandbox sandbox = Sandbox.of(settings(script.toString(), THIS_PLATFORM))) {
            // The first start gets a port that is in use.
            Files.writeString(script, """
                    #!/bin/sh
                    if [ -e '%1$s' ]; then exec '%2$s' "$@"; fi
                    touch '%1$s'
                    sed 's/^port .*/port %3$d/' "$1" | '%2$s' -
                    """.formatted(
                    asked(script), temporary.resolve("program/" + bundled().getFileName()), taken.getLocalPort()));
            try (EmbeddedServer server = sandbox.join()) {
                assertTrue(Files.exists(asked(script)));
                assertEquals(sandbox.record().port(), server.address().port());
            }
        }
    }

    @Test
    void platform_namesOfTheVirtualMachine_namesOfThePrograms() {
        assertEquals("linux-amd64", Settings.platform("Linux", "amd64"));
        assertEquals("linux-arm64", Settings.platform("Linux", "aarch64"));
        assertEquals("darwin-amd64", Settings.platform("Mac OS X", "x86_64"));
        assertEquals("darwin-arm64", Settings.platform("Mac OS X", "aarch64"));
    }
}
