package io.holdfast.faults.history;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import io.holdfast.faults.history.Entry.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What all processes of a run did, and what was done to them.
 *
 * @param operations in the order in which they were asked for
 * @param disturbances faults, and the times at which a process did nothing
 * @param end when the run was over
 */
public record History(List<Operation> operations, List<Disturbance> disturbances, long end) {
    /**
     * What was done to processes or servers.
     *
     * @param what the fault's name
     * @param from when it began
     * @param to when it was over, the same for what takes no time
     * @param worker the process that it concerns; {@link #ALL} for all
     * @param fatal whether the process was killed
     */
    public record Disturbance(String what, long from, long to, int worker, boolean fatal) {
        /** It concerns all processes. */
        public static final int ALL = -1;

        /** Whether it can have touched this process at a time between these two. */
        public boolean touches(int process, long begin, long until) {
            return (worker == ALL || worker == process) && from <= until && to >= begin;
        }
    }

    /** Copies. */
    public History {
        operations = operations.stream()
                .sorted(Comparator.comparingLong(Operation::asked))
                .toList();
        disturbances = List.copyOf(disturbances);
    }

    /** The same by lock. */
    public Map<String, List<Operation>> byLock() {
        Map<String, List<Operation>> locks = new TreeMap<>();
        operations.forEach(each ->
                locks.computeIfAbsent(each.lock(), lock -> new ArrayList<>()).add(each));
        return locks;
    }

    /**
     * Reads the files that {@link Recorder}s wrote, the first by process 0 and so on.
     *
     * @param faults what was done to the processes; their own standstills are added
     */
    public static History read(List<Path> files, List<Disturbance> faults, long end) throws IOException {
        List<Operation> operations = new ArrayList<>();
        List<Disturbance> disturbances = new ArrayList<>(faults);
        for (int worker = 0; worker < files.size(); worker++) {
            Map<Long, List<Entry>> entries = new LinkedHashMap<>();
            for (Entry entry : entries(files.get(worker))) {
                if (entry.kind() == Kind.STALLED) {
                    disturbances.add(
                            new Disturbance("standstill", entry.at(), entry.at() + entry.token(), worker, false));
                } else {
                    entries.computeIfAbsent(entry.operation(), number -> new ArrayList<>())
                            .add(entry);
                }
            }
            for (Map.Entry<Long, List<Entry>> each : entries.entrySet()) {
                operations.add(operation(worker, each.getKey(), each.getValue()));
            }
        }
        return new History(operations, disturbances, end);
    }

    private static List<Entry> entries(Path file) throws IOException {
        Gson gson = new Gson();
        List<Entry> entries = new ArrayList<>();
        List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
        for (int i = 0; i < lines.size(); i++) {
            try {
                entries.add(gson.fromJson(lines.get(i), Entry.class));
            } catch (JsonSyntaxException e) {
                if (i < lines.size() - 1) { // the last line may be torn: its process was killed
                    throw new IOException(file + ", line " + (i + 1) + " is no entry", e);
                }
            }
        }
        return entries;
    }

    private static Operation operation(int worker, long number, List<Entry> entries) {
        Map<Kind, Entry> first = new TreeMap<>();
        Map<Kind, Entry> last = new TreeMap<>();
        for (Entry entry : entries) {
            first.putIfAbsent(entry.kind(), entry);
            last.put(entry.kind(), entry);
        }
        Entry nothing = new Entry(Kind.ASK, 0, number, "", 0, "");
        Entry got = first.getOrDefault(Kind.GOT, nothing);
        Entry left = first.getOrDefault(Kind.LEFT, nothing);
        Entry none = first.getOrDefault(Kind.NONE, nothing);
        return new Operation(
                worker,
                number,
                first.getOrDefault(Kind.ASK, nothing).lock(),
                want(first.getOrDefault(Kind.ASK, nothing)),
                first.getOrDefault(Kind.ASK, nothing).at(),
                first.getOrDefault(Kind.QUEUED, nothing).at(),
                got.at(),
                none.at(),
                none.word(),
                got.token(),
                slots(got),
                last.getOrDefault(Kind.ALIVE, nothing).at(),
                first.getOrDefault(Kind.OVER, nothing).at(),
                first.getOrDefault(Kind.LOST, nothing).at(),
                first.getOrDefault(Kind.LEAVING, nothing).at(),
                left.at(),
                left.word(),
                accesses(entries));
    }

    private static Want want(Entry asked) {
        int space = asked.word().indexOf(' ');
        return Want.of(space < 0 ? "" : asked.word().substring(space + 1));
    }

    private static List<Integer> slots(Entry got) {
        return got.word().isEmpty()
                ? List.of()
                : Arrays.stream(got.word().split(",")).map(Integer::valueOf).toList();
    }

    /** One thread reads and writes, one after the other; what stays open was cut off by the death of its process. */
    private static List<Access> accesses(List<Entry> entries) {
        List<Access> accesses = new ArrayList<>();
        Entry open = null;
        for (Entry each : entries) {
            switch (each.kind()) {
                case READING, WRITING -> open = each;
                case READ, WROTE, REFUSED -> {
                    boolean refused = each.kind() == Kind.REFUSED;
                    Entry begun = Objects.requireNonNull(open);
                    accesses.add(access(begun, refused ? begun.token() : each.token(), each.at(), refused));
                    open = null;
                }
                default -> {}
            }
        }
        if (open != null) {
            accesses.add(access(open, open.token(), 0, false));
        }
        return accesses;
    }

    private static Access access(Entry begun, long value, long end, boolean refused) {
        return new Access(begun.word(), begun.kind() == Kind.WRITING, value, begun.at(), end, refused);
    }
}
