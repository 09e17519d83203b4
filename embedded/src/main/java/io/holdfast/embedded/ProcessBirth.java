package io.holdfast.embedded;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * Tells a process from a later one that was given the same number. On Linux by the start time in clock ticks since boot,
 * which does not move when somebody sets the clock, as the start time of {@link ProcessHandle} does; elsewhere by that.
 *
 * <p>The keeper uses this class too: see {@link Keeper} for what that forbids.
 */
final class ProcessBirth {
    private static final boolean PROC = Files.exists(Path.of("/proc/self/stat"));

    private ProcessBirth() {}

    /**
     * A text that only this process has among all that ever have this number; empty if there is no such process, or if
     * it has ended and only waits for its parent to notice.
     *
     * @throws IOException if that cannot be found out, which is not the same as a process that is gone
     */
    static String of(long pid) throws IOException {
        return pid <= 0 ? "" : PROC ? fromProc(pid) : fromHandle(pid);
    }

    /** Whether somebody has stopped the process, as a terminal or a debugger does; false where that cannot be seen. */
    static boolean isStopped(long pid) throws IOException {
        String stat = PROC ? stat(pid) : "";
        char state = stat.isEmpty() ? ' ' : stat.charAt(stat.lastIndexOf(')') + 2);
        return state == 'T' || state == 't';
    }

    /** What the system says of a process; empty if there is none. */
    private static String stat(long pid) throws IOException {
        try {
            return new String(Files.readAllBytes(Path.of("/proc/" + pid + "/stat")), StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException | FileNotFoundException e) {
            return "";
        } catch (IOException e) {
            // The process ended between opening the file and reading it.
            if (String.valueOf(e.getMessage()).contains("No such process")) {
                return "";
            }
            throw e;
        }
    }

    private static String fromProc(long pid) throws IOException {
        String stat = stat(pid);
        if (stat.isEmpty()) {
            return "";
        }
        // "pid (name) state ppid …", where the name may hold anything, parentheses and spaces too. The 22nd field of
        // all, the 20th counted from the state, is the start time.
        int at = stat.lastIndexOf(')') + 2;
        char state = stat.charAt(at);
        if (state == 'Z' || state == 'X') {
            return "";
        }
        for (int field = 3; field < 22; field++) {
            at = stat.indexOf(' ', at) + 1;
        }
        return stat.substring(at, stat.indexOf(' ', at));
    }

    private static String fromHandle(long pid) {
        Optional<ProcessHandle> handle = ProcessHandle.of(pid);
        if (handle.isEmpty() || !handle.get().isAlive()) {
            return "";
        }
        Optional<Instant> start = handle.get().info().startInstant();
        return start.isEmpty() ? "unknown" : Long.toString(start.get().toEpochMilli());
    }
}
