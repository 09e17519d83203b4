package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** {@code holdfast run --notes}: what a command writes to a file is the note of its lease. */
class NotesTest extends ObservedServer {
    @Test
    void ofARunThatFails_areShown_andFoundByTheNext_untilOneSucceeds() throws Exception {
        String fails = "cat $HOLDFAST_NOTE; echo '40 %' > $HOLDFAST_NOTE; echo $HOLDFAST_NOTE; read line; exit 3";
        try (Launched first = Launched.run(server, "noting", "--notes", "--", "sh", "-c", fails)) {
            Launched.await(
                    "the note is shown",
                    () -> observer.inspect()
                            .lock("noting")
                            .holder()
                            .flatMap(Holder::note)
                            .equals(Optional.of("40 %")));
            first.line("");
            assertEquals(3, first.status());
            assertFalse(Files.exists(Path.of(first.out().strip())), first.out());
        }
        String goesOn = "cat $HOLDFAST_NOTE; echo '70 %' > $HOLDFAST_NOTE; exit ";
        for (String[] each : new String[][] {{"1", "40 %\n"}, {"0", "70 %\n"}, {"0", ""}}) {
            try (Launched next = Launched.run(server, "noting", "--notes", "--", "sh", "-c", goesOn + each[0])) {
                assertEquals(Integer.parseInt(each[0]), next.status());
                assertEquals(each[1], next.out());
                assertEquals("", next.err());
            }
        }
        assertTrue(observer.inspect().lock("noting").holder().isEmpty());
    }

    @Test
    void tooLongOrNotWanted_areNotShown() throws Exception {
        String writes = "head -c 1001 /dev/zero | tr '\\0' x > $HOLDFAST_NOTE; exit 3";
        try (Launched tooLong = Launched.run(server, "long-note", "--notes", "--", "sh", "-c", writes);
                Launched nested = Launched.holdfast(
                        Map.of("HOLDFAST_URL", server.url(), "HOLDFAST_NOTE", "/of/another/run"),
                        "run",
                        "no-notes",
                        "--",
                        "sh",
                        "-c",
                        "echo \"$HOLDFAST_NOTE\"")) {
            assertEquals(3, tooLong.status());
            assertTrue(tooLong.err().contains("has 1001 characters, must have at most 1000"), tooLong.err());
            assertEquals(0, nested.status());
            assertEquals("\n", nested.out());
        }
    }
}
