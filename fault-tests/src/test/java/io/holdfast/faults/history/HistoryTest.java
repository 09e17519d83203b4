package io.holdfast.faults.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.faults.history.Entry.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HistoryTest {
    @TempDir
    private Path folder;

    private Path write() throws IOException {
        Path file = folder.resolve("history");
        try (Recorder recorder = new Recorder(file)) {
            long first = recorder.newOperation();
            recorder.write(new Entry(Kind.ASK, 10, first, "a", 0, "PT1S"));
            recorder.write(new Entry(Kind.QUEUED, 11, first, "", 0, ""));
            recorder.write(new Entry(Kind.GOT, 12, first, "", 77, ""));
            recorder.write(new Entry(Kind.ALIVE, 13, first, "", 0, ""));
            recorder.write(new Entry(Kind.ALIVE, 14, first, "", 0, ""));
            recorder.write(new Entry(Kind.LEAVING, 15, first, "", 0, ""));
            recorder.write(new Entry(Kind.LEFT, 16, first, "", 0, "RELEASED"));
            recorder.write(new Entry(Kind.STALLED, 20, 0, "", 5, ""));
        }
        return file;
    }

    @Test
    void read_whatWasWritten_isOneOperationAndAStandstill() throws IOException {
        History history = History.read(List.of(write()), List.of(), 100);
        Operation expected = new Operation(
                0, 1, "a", Want.ALONE, 10, 11, 12, 0, "", 77, List.of(), 14, 0, 0, 15, 16, "RELEASED", List.of());
        assertEquals(List.of(expected), history.operations());
        assertEquals(1, history.disturbances().size());
        assertTrue(history.disturbances().get(0).touches(0, 25, 30));
        assertEquals(false, history.disturbances().get(0).touches(0, 26, 30));
    }

    @Test
    void read_whatWasAskedForAndAccessed_isPartOfTheOperation() throws IOException {
        Path file = folder.resolve("accesses");
        try (Recorder recorder = new Recorder(file)) {
            recorder.write(new Entry(Kind.ASK, 10, 1, "a", 0, "PT1S " + Want.SHARED.words()));
            recorder.write(new Entry(Kind.READING, 11, 1, "", 0, Registers.PLAIN));
            recorder.write(new Entry(Kind.READ, 12, 1, "", 7, Registers.PLAIN));
            recorder.write(new Entry(Kind.READING, 13, 1, "", 0, Registers.FENCED));
            recorder.write(new Entry(Kind.REFUSED, 14, 1, "", -1, Registers.FENCED));
            recorder.write(new Entry(
                    Kind.ASK,
                    20,
                    2,
                    "a",
                    0,
                    "PT1S " + Want.permits(2, 4).withSlots().withGroup("x").words()));
            recorder.write(new Entry(Kind.ASK, 30, 3, "a", 0, "PT1S"));
            recorder.write(new Entry(Kind.WRITING, 31, 3, "", 8, Registers.PLAIN));
        }
        List<Operation> operations = History.read(List.of(file), List.of(), 100).operations();
        assertEquals(
                List.of(Want.SHARED, Want.permits(2, 4).withSlots().withGroup("x"), Want.ALONE),
                operations.stream().map(Operation::want).toList());
        assertEquals(
                List.of(
                        new Access(Registers.PLAIN, false, 7, 11, 12, false),
                        new Access(Registers.FENCED, false, 0, 13, 14, true)),
                operations.get(0).accesses());
        assertEquals(
                List.of(new Access(Registers.PLAIN, true, 8, 31, 0, false)),
                operations.get(2).accesses());
    }

    @Test
    void read_lastLineTorn_isLeftOut() throws IOException {
        Path file = write();
        Files.writeString(file, "{\"kind\":\"ASK\",\"at\":3", StandardOpenOption.APPEND);
        assertEquals(1, History.read(List.of(file), List.of(), 100).operations().size());
    }

    @Test
    void read_otherLineTorn_isRefused() throws IOException {
        Path file = write();
        Files.writeString(file, "{\"kind\":\"ASK\",\"at\":3\n{}\n", StandardOpenOption.APPEND);
        assertThrows(IOException.class, () -> History.read(List.of(file), List.of(), 100));
    }

    @Test
    void read_processThatWroteNothing_didNothing() throws IOException {
        assertEquals(
                List.of(),
                History.read(List.of(folder.resolve("none")), List.of(), 100).operations());
    }
}
