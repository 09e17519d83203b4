package io.holdfast.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the cores of a machine from going to sleep: a loop for each, to which the scheduler gives only what nobody else wants. What
 * makes waking a thread costly on virtual machines is mostly that of the core; with these it is as cheap as elsewhere.
 */
final class Awake implements AutoCloseable {
    /** Ends by itself soon after the process that started it, however that ended. */
    private static final String LOOP =
            "while kill -0 \"$0\" 2> /dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; done";

    private final List<Process> loops = new ArrayList<>();

    private Awake() {}

    /** Starts a loop for each core. */
    static Awake start() {
        Awake awake = new Awake();
        String here = Long.toString(ProcessHandle.current().pid());
        try {
            for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                awake.loops.add(new ProcessBuilder("chrt", "--idle", "0", "sh", "-c", LOOP, here)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start());
            }
        } catch (IOException e) {
            awake.close();
            awake.loops.clear();
        }
        return awake;
    }

    /** Whether they run: not where the program is missing, or may not start what it should. */
    boolean works() throws InterruptedException {
        // What may not be started ends at once.
        return !loops.isEmpty()
                && !loops.get(0).waitFor(1, TimeUnit.SECONDS)
                && loops.stream().allMatch(Process::isAlive);
    }

    @Override
    public void close() {
        loops.forEach(Process::destroyForcibly);
    }
}
