package io.holdfast.embedded;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.DriverException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StateFolderTest {
    @TempDir
    Path temporary;

    private static String refusal(Path folder) {
        Settings settings = new Settings(folder, null, Sandbox.LONG_IDLE_MILLIS, "", "linux-amd64");
        DriverException refusal = assertThrows(DriverException.class, () -> new SharedServerProvider(settings).join());
        assertEquals(DriverException.Kind.UNKNOWN, refusal.kind());
        String message = requireNonNull(refusal.getMessage());
        assertTrue(message.contains(folder.toString()), message);
        return message;
    }

    @Test
    void join_folderThatCannotBeMade_saysWhy() throws IOException {
        String nowhere = refusal(Path.of("/proc/holdfast-locks"));
        assertTrue(nowhere.matches("could not join the embedded server: /proc/\\S+ \\([a-z ,]+\\)"), nowhere);
        Path file = Files.createFile(temporary.resolve("file"));
        String inside = refusal(file.resolve("locks"));
        assertTrue(inside.matches("could not join the embedded server: \\S+( \\([a-z ,]+\\)|: [A-Z].*)"), inside);
    }

    @Test
    void open_folderOpenToOthers_refused() throws IOException {
        for (String mode : new String[] {"rwxrwxrwx", "rwxrwx---", "rwxr-x---", "rwx-----x"}) {
            Path folder = Files.createDirectory(temporary.resolve(mode));
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(mode));
            String message = refusal(folder);
            assertTrue(message.contains("open to other users"), message);
            assertTrue(message.contains("chmod 700"), message);
        }
    }

    @Test
    void open_folderOfAnotherUser_refused() throws IOException {
        Path folder = Files.createDirectory(temporary.resolve("foreign"), StateFolder.permissions("rwx------"));
        if (System.getProperty("user.name").equals("root")) {
            Files.setAttribute(folder, "unix:uid", 12345);
        } else {
            folder = Path.of("/usr");
        }
        String message = refusal(folder);
        assertTrue(message.contains("belongs to another user"), message);
    }

    @Test
    void open_noFolder_refused() throws IOException {
        Path target = Files.createDirectory(temporary.resolve("target"), StateFolder.permissions("rwx------"));
        Path link = Files.createSymbolicLink(temporary.resolve("link"), target);
        assertTrue(refusal(link).contains("is not a folder"));
        assertTrue(refusal(Files.createFile(temporary.resolve("file"))).contains("is not a folder"));
    }

    @Test
    void open_nothingThere_created() throws IOException {
        Path folder = temporary.resolve("a/b/c");
        StateFolder.open(new Settings(folder, null, Sandbox.LONG_IDLE_MILLIS, "", "linux-amd64"));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
    }

    @Test
    void usual_home_samePlaceWhateverTheSession() throws IOException {
        String home = temporary.toString();
        Path withSession = StateFolder.usual(false, home, "/run/user/1000");
        assertEquals(withSession, StateFolder.usual(false, home, null));
        assertEquals(temporary.resolve(".cache/holdfast"), withSession.getParent());
        assertEquals(temporary.resolve("Library/Caches/holdfast"), StateFolder.usual(true, home, null));
    }

    @Test
    void usual_noHome_runtimeFolderOrError() throws IOException {
        String runtime = temporary.toString();
        assertEquals(temporary.resolve("holdfast"), StateFolder.usual(false, "?", runtime));
        assertEquals(temporary.resolve("holdfast"), StateFolder.usual(false, "/nonexistent", runtime));
        DriverException error = assertThrows(DriverException.class, () -> StateFolder.usual(false, "?", null));
        assertTrue(String.valueOf(error.getMessage()).contains("HOLDFAST_HOME"));
    }

    @Test
    void lock_heldByAnother_nullAfterPatience() throws Exception {
        Path file = temporary.resolve("lock");
        try (FolderLock held = FolderLock.take(file, 0)) {
            assertNotNull(held);
            CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> {
                try (FolderLock second = FolderLock.take(file, TimeUnit.MILLISECONDS.toNanos(50))) {
                    return second != null;
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertEquals(false, other.get(30, TimeUnit.SECONDS));
        }
        try (FolderLock again = FolderLock.take(file, 0)) {
            assertNotNull(again);
        }
    }

    @Test
    void record_writtenAndRead_same() throws IOException {
        Path file = temporary.resolve("address");
        assertNull(ServerRecord.read(file));
        ServerRecord record = new ServerRecord(Long.MAX_VALUE >> 1, 65535, "secret", 42, "unknown");
        Files.writeString(file, record.text());
        assertEquals(record, ServerRecord.read(file));
        assertTrue(!record.toString().contains("secret"));
        Files.writeString(file, "holdfast-server 1\nid x\n");
        assertThrows(IOException.class, () -> ServerRecord.read(file));
        Files.writeString(file, "holdfast-server 2\n");
        assertThrows(IOException.class, () -> ServerRecord.read(file));
    }

    @Test
    void birth_liveAndDeadProcesses_toldApart() throws Exception {
        Process process = new ProcessBuilder("sh", "-c", "read line").start();
        String birth = ProcessBirth.of(process.pid());
        assertTrue(!birth.isEmpty());
        assertEquals(birth, ProcessBirth.of(process.pid()));
        process.destroyForcibly().waitFor();
        assertEquals("", ProcessBirth.of(process.pid()));
        assertEquals("", ProcessBirth.of(0));
    }
}
