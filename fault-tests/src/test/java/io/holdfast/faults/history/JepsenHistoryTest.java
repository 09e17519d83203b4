package io.holdfast.faults.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.faults.history.Entry.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JepsenHistoryTest {
    private static final long END = 1_000;

    @TempDir
    private Path folder;

    private final List<String> head = List.of("seed 1, commit 2");

    private interface Script {
        void run(Recorder recorder);
    }

    private void written(Script script) throws IOException {
        Path file = folder.resolve("history");
        try (Recorder recorder = new Recorder(file)) {
            script.run(recorder);
        }
        JepsenHistory.write(folder, History.read(List.of(file), List.of(), END), head);
    }

    private static void note(Recorder recorder, Kind kind, long at, long operation, long value, String word) {
        recorder.write(new Entry(kind, at, operation, kind == Kind.ASK ? "a" : "", value, word));
    }

    /** A hold from one time to another, with its section: two before the release is asked for it was sure to be held. */
    private static void hold(Recorder recorder, long operation, long from, long to, long read) {
        note(recorder, Kind.ASK, from - 5, operation, 0, "PT1S");
        note(recorder, Kind.GOT, from, operation, 70 + operation, "");
        note(recorder, Kind.READING, from + 1, operation, 0, Registers.FENCED);
        note(recorder, Kind.READ, from + 2, operation, read, Registers.FENCED);
        note(recorder, Kind.ALIVE, to - 2, operation, 0, "");
        note(recorder, Kind.WRITING, to - 1, operation, read + 1, Registers.FENCED);
        note(recorder, Kind.WROTE, to, operation, read + 1, Registers.FENCED);
        note(recorder, Kind.LEAVING, to + 1, operation, 0, "");
        note(recorder, Kind.LEFT, to + 3, operation, 0, "RELEASED");
    }

    private List<String> words(String file) throws IOException {
        return EdnOperations.read(folder.resolve(file)).stream()
                .map(each -> each.get(":time") + " " + each.get(":process") + " " + each.get(":type") + " "
                        + each.get(":f") + " " + each.get(":value"))
                .toList();
    }

    @Test
    void mutex_holdsOneAfterTheOther_areReleasedFromWhenTheyWereLastSureToBeHeld() throws IOException {
        written(recorder -> {
            hold(recorder, 1, 15, 30, 0);
            hold(recorder, 2, 45, 60, 1);
        });
        assertEquals(
                List.of(
                        "0 0 :invoke :acquire null",
                        "5 0 :ok :acquire null",
                        "18 0 :invoke :release null",
                        "23 0 :ok :release null",
                        "30 0 :invoke :acquire null",
                        "35 0 :ok :acquire null",
                        "48 0 :invoke :release null",
                        "53 0 :ok :release null"),
                words("mutex-a.edn"));
        assertTrue(Files.readString(folder.resolve("mutex-a.edn")).startsWith(";; seed 1, commit 2\n"));
        assertEquals(
                71L, EdnOperations.read(folder.resolve("mutex-a.edn")).get(1).get(":token"));
    }

    @Test
    void mutex_twoAtATime_areOfTwoProcesses() throws IOException {
        written(recorder -> {
            hold(recorder, 1, 15, 60, 0);
            hold(recorder, 2, 22, 50, 1);
        });
        assertEquals(
                List.of(0L, 0L, 1L, 1L, 1L, 1L, 0L, 0L),
                EdnOperations.read(folder.resolve("mutex-a.edn")).stream()
                        .map(each -> each.get(":process"))
                        .toList());
    }

    @Test
    void mutex_processKilled_whatItDidIsUnknownAndNothingElseIsOfIt() throws IOException {
        written(recorder -> {
            note(recorder, Kind.ASK, 10, 1, 0, "PT1S"); // killed while it waited
            note(recorder, Kind.ASK, 11, 2, 0, "PT1S"); // killed while it held
            note(recorder, Kind.GOT, 12, 2, 72, "");
            note(recorder, Kind.ALIVE, 13, 2, 0, "");
            note(recorder, Kind.ASK, 20, 3, 0, "PT1S"); // killed before it had looked whether it held
            note(recorder, Kind.GOT, 21, 3, 73, "");
            hold(recorder, 4, 45, 60, 0);
        });
        assertEquals(
                List.of(
                        "0 0 :invoke :acquire null",
                        "1 1 :invoke :acquire null",
                        "2 1 :ok :acquire null",
                        "3 1 :invoke :release null",
                        "10 2 :invoke :acquire null",
                        "11 2 :info :acquire null",
                        "30 3 :invoke :acquire null",
                        "35 3 :ok :acquire null",
                        "48 3 :invoke :release null",
                        "53 3 :ok :release null",
                        "990 0 :info :acquire null",
                        "990 1 :info :release null"),
                words("mutex-a.edn"));
    }

    @Test
    void mutex_notObtained_hasFailedOnlyIfThatIsKnown() throws IOException {
        written(recorder -> {
            note(recorder, Kind.ASK, 10, 1, 0, "PT1S");
            note(recorder, Kind.NONE, 11, 1, 0, "TimedOut");
            note(recorder, Kind.ASK, 20, 2, 0, "PT1S");
            note(recorder, Kind.NONE, 21, 2, 0, "Unknown");
            note(recorder, Kind.ASK, 30, 3, 0, "PT1S");
            note(recorder, Kind.NONE, 31, 3, 0, "ServerUnreachableException");
        });
        assertEquals(
                List.of(":fail", ":info", ":info"),
                EdnOperations.read(folder.resolve("mutex-a.edn")).stream()
                        .map(each -> each.get(":type"))
                        .filter(each -> !":invoke".equals(each))
                        .toList());
        assertFalse(Files.exists(folder.resolve("sections-a.edn")), "nothing was guarded");
    }

    @Test
    void register_accesses_haveTokensAndAreRefusedOrUnknown() throws IOException {
        written(recorder -> {
            hold(recorder, 1, 15, 30, 0);
            note(recorder, Kind.ASK, 40, 2, 0, "PT1S");
            note(recorder, Kind.GOT, 41, 2, 60, "");
            note(recorder, Kind.READING, 42, 2, 0, Registers.FENCED);
            note(recorder, Kind.REFUSED, 43, 2, -1, Registers.FENCED);
            note(recorder, Kind.ASK, 50, 3, 0, "PT1S");
            note(recorder, Kind.GOT, 51, 3, 73, "");
            note(recorder, Kind.READING, 52, 3, 0, Registers.FENCED);
            note(recorder, Kind.READ, 53, 3, 1, Registers.FENCED);
            note(recorder, Kind.WRITING, 54, 3, 2, Registers.FENCED);
        });
        assertEquals(
                List.of(
                        "0 0 :invoke :write 0",
                        "1 0 :ok :write 0",
                        "6 0 :invoke :read null",
                        "7 0 :ok :read 0",
                        "19 0 :invoke :write 1",
                        "20 0 :ok :write 1",
                        "32 0 :invoke :read null",
                        "33 0 :fail :read null",
                        "42 0 :invoke :read null",
                        "43 0 :ok :read 1",
                        "44 0 :invoke :write 2",
                        "990 0 :info :write 2"),
                words("register-a.edn"));
        assertEquals(
                List.of(71L, 60L, 73L),
                EdnOperations.read(folder.resolve("register-a.edn")).stream()
                        .skip(2)
                        .map(each -> each.get(":token"))
                        .distinct()
                        .toList());
        assertEquals(
                List.of(
                        "0 0 :invoke :write 0",
                        "1 0 :ok :write 0",
                        "6 0 :invoke :cas [0, 1]",
                        "20 0 :ok :cas [0, 1]",
                        "32 0 :invoke :read null",
                        "33 0 :fail :read null",
                        "42 0 :invoke :cas [1, 2]",
                        "990 0 :info :cas [1, 2]"),
                words("sections-a.edn"));
    }

    @Test
    void sections_readers_readByThemselvesAndAreNoMutex() throws IOException {
        written(recorder -> {
            hold(recorder, 1, 15, 30, 0);
            note(recorder, Kind.ASK, 40, 2, 0, "PT1S " + Want.SHARED.words());
            note(recorder, Kind.GOT, 41, 2, 72, "");
            note(recorder, Kind.READING, 42, 2, 0, Registers.FENCED);
            note(recorder, Kind.READ, 43, 2, 1, Registers.FENCED);
        });
        List<Map<String, Object>> operations = EdnOperations.read(folder.resolve("sections-a.edn"));
        assertEquals(":read", operations.get(5).get(":f"));
        assertEquals(1L, operations.get(5).get(":value"));
        assertFalse(Files.exists(folder.resolve("mutex-a.edn")));
    }
}
