package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command without an address. */
final class MachineLocalTest {
    @TempDir
    Path folder;

    @AfterEach
    void awaitEnd() throws Exception {
        Launched.awaitKeeperGone(folder);
    }

    private Launched command(String... words) {
        return Launched.holdfast(Launched.machineLocal(folder), words);
    }

    @Test
    void run_withoutAnAddress_excludesOthersOfThisUser_andSaysSoInOneLine() throws Exception {
        try (Launched first = command("run", "local", "--", "sh", "-c", "echo runs; read line; exit 4")) {
            first.awaitOut("runs");
            assertEquals(1, first.err().lines().count(), first.err());
            assertTrue(first.err().startsWith("holdfast: machine-local lock: "), first.err());
            try (Launched second = command("run", "local", "--try", "-q", "--", "echo", "ran");
                    Launched ls = command("ls");
                    Launched info = command("info", "other")) {
                assertEquals(75, second.status());
                assertEquals("", second.out());
                assertEquals(first.err(), second.err(), "said also with -q");
                assertEquals(0, ls.status());
                assertTrue(ls.out().contains("\nlocal  sh@"), ls.out());
                assertTrue(ls.err().startsWith("holdfast: machine-local locks"), ls.err());
                assertEquals(0, info.status());
                assertEquals("Nobody holds 'other' among this user's locks on this machine.\n", info.out());
            }
            try (Launched meant = command("run", "other", "--url", "local", "--", "echo", "ran");
                    Launched ls = command("ls", "--url", "local")) {
                assertEquals(0, meant.status());
                assertEquals("ran\n", meant.out());
                assertEquals(0, ls.status());
                assertTrue(ls.out().contains("\nlocal  sh@"), ls.out());
                assertEquals("", meant.err() + ls.err(), "who says so need not be told");
            }
            try (Launched doctor = command("doctor")) {
                assertEquals(0, doctor.status(), doctor.out());
                assertTrue(doctor.err().startsWith("holdfast: machine-local locks"), doctor.err());
                assertTrue(doctor.out().contains("warn  program      the bundled server"), doctor.out());
            }
            first.line("");
            assertEquals(4, first.status());
        }
    }

    @Test
    void folder_thatIsNotSafe_is69AndSaysWhatToDo() throws Exception {
        Files.createFile(folder.resolve("home"));
        try (Launched command = command("run", "local", "-q", "--", "echo", "ran")) {
            assertEquals(69, command.status());
            assertTrue(command.err().contains("is not a folder"), command.err());
        }
    }
}
