package io.holdfast.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is believed to have ended. */
final class PresenceTest {
    private static final String CLIENT = "-aZ09_b";

    @TempDir
    Path temporary;

    private Path file;
    private Presence presence;

    @BeforeEach
    void open() throws IOException {
        Sandbox sandbox = Sandbox.in(temporary, Sandbox.LONG_IDLE_MILLIS);
        presence = new Presence(StateFolder.open(sandbox.settings()));
        file = sandbox.folder().resolve(StateFolder.CLIENTS).resolve(CLIENT);
    }

    private static Process sleeper() throws IOException {
        return new ProcessBuilder("sleep", "1000").start();
    }

    /** What the file would say if the client lived in another process. */
    private void write(String machine, Object... pidsAndBirths) throws IOException {
        presence.tell(CLIENT);
        StringBuilder text = new StringBuilder("holdfast-client 1\nmachine " + machine + "\n");
        for (int i = 0; i < pidsAndBirths.length; i += 2) {
            text.append("process ")
                    .append(pidsAndBirths[i])
                    .append(' ')
                    .append(pidsAndBirths[i + 1])
                    .append('\n');
        }
        Files.writeString(file, text);
    }

    @Test
    void hasEnded_processLives_isFalse() throws Exception {
        presence.tell(CLIENT);
        assertFalse(presence.hasEnded(CLIENT));
    }

    @Test
    void hasEnded_processGone_isTrue_alsoIfItsNumberIsInUseAgain() throws Exception {
        write(StateFolder.machine(), Integer.MAX_VALUE, "1");
        assertTrue(presence.hasEnded(CLIENT));
        write(StateFolder.machine(), ProcessHandle.current().pid(), "not the birth of this process");
        assertTrue(presence.hasEnded(CLIENT));
    }

    @Test
    void hasEnded_oneOfTwoLives_isFalseUntilItIsGone() throws Exception {
        Process other = sleeper();
        try {
            write(StateFolder.machine(), Integer.MAX_VALUE, "1", other.pid(), ProcessBirth.of(other.pid()));
            assertFalse(presence.hasEnded(CLIENT));
        } finally {
            other.destroyForcibly().onExit().join();
        }
        assertTrue(presence.hasEnded(CLIENT));
    }

    @Test
    void tell_others_areInTheFile_exceptThoseThatAreGone() throws Exception {
        Process gone = sleeper();
        Process other = sleeper();
        try {
            gone.destroyForcibly().onExit().join();
            presence.tell(CLIENT, other.pid(), gone.pid());
            List<String> lines = Files.readAllLines(file);
            assertEquals(4, lines.size(), lines::toString);
            assertTrue(lines.get(3).startsWith("process " + other.pid() + " "), lines::toString);
        } finally {
            other.destroyForcibly().onExit().join();
        }
    }

    @Test
    void hasEnded_fileOfAnotherMachineOrContainer_isFalse() throws Exception {
        write(StateFolder.machine() + "0", Integer.MAX_VALUE, "1");
        assertFalse(presence.hasEnded(CLIENT));
    }

    @Test
    void hasEnded_noFileOrAFileWithoutSense_isFalse() throws Exception {
        assertFalse(presence.hasEnded(CLIENT));
        presence.tell(CLIENT);
        String header = "holdfast-client 1\nmachine " + StateFolder.machine() + "\n";
        for (String text : new String[] {
            "",
            "x",
            header,
            header + "process \n",
            header + "process x 1\n",
            header + "process 1\n",
            header + "nothing\n"
        }) {
            Files.writeString(file, text);
            assertFalse(presence.hasEnded(CLIENT), text);
        }
    }

    @Test
    void hasEnded_whatIsNoId_isFalse() throws Exception {
        write(StateFolder.machine(), Integer.MAX_VALUE, "1");
        for (String client : new String[] {"", ".", "../clients/" + CLIENT, "x".repeat(65), "ü", CLIENT + "\0"}) {
            assertFalse(presence.hasEnded(client), client);
        }
    }

    @Test
    void forget_makesTheEndInvisible() throws Exception {
        write(StateFolder.machine(), Integer.MAX_VALUE, "1");
        presence.forget(CLIENT);
        assertFalse(presence.hasEnded(CLIENT));
        presence.forget(CLIENT);
    }

    @Test
    void sweep_removesThoseThatHaveEnded_only() throws Exception {
        presence.sweep(); // without a folder
        presence.tell("lives");
        write(StateFolder.machine(), Integer.MAX_VALUE, "1");
        presence.sweep();
        assertFalse(Files.exists(file));
        assertTrue(Files.exists(file.resolveSibling("lives")));
    }
}
