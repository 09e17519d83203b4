package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The command line. */
final class RunTest {
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(written, true, StandardCharsets.UTF_8);

    @Test
    void run_soundSetting_exitsWithZero() {
        assertEquals(Run.SOUND, Run.run(out, "--setting", "tiny"));
        assertTrue(text().contains("everybody can be served"), this::text);
    }

    @Test
    void run_withoutARule_exitsWithOneAndTellsTheWay() {
        assertEquals(Run.FOUND, Run.run(out, "--setting", "small", "--without", "tombstone"));
        assertTrue(text().contains("orphan") && text().contains("   1  A asks for the lock."), this::text);
    }

    @Test
    void run_unknownWords_exitsWithTwo() {
        assertEquals(Run.USAGE, Run.run(out, "--setting", "none"));
        assertEquals(Run.USAGE, Run.run(out, "--without", "none"));
        assertEquals(Run.USAGE, Run.run(out, "--most", "many"));
        assertEquals(Run.USAGE, Run.run(out, "--what"));
        assertEquals(Run.USAGE, Run.run(out, "--conformance", "--every", "some"));
        assertEquals(Run.USAGE, Run.run(out, "--conformance", "--server", "nowhere"));
    }

    @Test
    void run_settingOfAnotherModel_takesItsRulesAndNoOthers() {
        assertEquals(Run.SOUND, Run.run(out, "--setting", "sets"));
        assertTrue(text().contains("everybody can have its set"), this::text);
        assertEquals(Run.FOUND, Run.run(out, "--setting", "sets", "--without", "order"));
        assertEquals(Run.USAGE, Run.run(out, "--setting", "sets", "--without", "mark"));
    }

    @Test
    void list_namesTheSettingsAndRulesOfEachModel() {
        assertEquals(Run.SOUND, Run.run(out, "--list"));
        for (String name : new String[] {"small", "quorum-split", "turns", "sets", "wake", "deadlock", "sameOwners"}) {
            assertTrue(text().contains("  " + name + ": "), this::text);
        }
    }

    @Test
    void help_hasExamples() {
        assertEquals(Run.SOUND, Run.run(out, "--help"));
        assertTrue(text().contains("Examples:"), this::text);
    }

    private String text() {
        return written.toString(StandardCharsets.UTF_8);
    }
}
