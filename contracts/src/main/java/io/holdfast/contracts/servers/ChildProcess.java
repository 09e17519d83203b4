package io.holdfast.contracts.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A program that a test started and may freeze, thaw and kill. It ends with this JVM at the latest, frozen or not. */
public final class ChildProcess {
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();
    private static final long FREEZE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "contracts-children"));
    }

    private final Process process;

    private ChildProcess(Process process) {
        this.process = process;
    }

    /** Runs a program. */
    public static ChildProcess start(ProcessBuilder program) {
        try {
            ChildProcess child = new ChildProcess(program.start());
            RUNNING.add(child.process);
            return child;
        } catch (IOException e) {
            throw new UncheckedIOException("could not run " + program.command().get(0), e);
        }
    }

    /** For its streams, its id and its status. */
    public Process process() {
        return process;
    }

    /** Stops all its threads where they are ({@code SIGSTOP}), and waits until they stand. */
    public void freeze() {
        signal("STOP");
        long begin = System.nanoTime();
        // The signal reaches each thread a moment after kill has returned.
        while (!stands()) {
            if (System.nanoTime() - begin > FREEZE_NANOS) {
                throw new IllegalStateException("process " + process.pid() + " does not stop");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Lets it go on ({@code SIGCONT}). */
    public void thaw() {
        signal("CONT");
    }

    /** Ends it without warning ({@code SIGKILL}), and waits until it is gone. A no-op if it has ended. */
    public void kill() {
        process.destroyForcibly();
        boolean interrupted = false;
        while (true) {
            try {
                process.waitFor();
                break;
            } catch (InterruptedException e) {
                // SIGKILL takes effect at once: finish, then pass the interrupt on.
                interrupted = true;
            }
        }
        RUNNING.remove(process);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("kill -" + name + " failed: " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while signalling process " + process.pid(), e);
        }
    }

    /** Whether the kernel shows all threads as stopped; true where it does not tell. */
    private boolean stands() {
        Path tasks = Path.of("/proc/" + process.pid() + "/task");
        if (!Files.exists(tasks)) {
            return true;
        }
        try (Stream<Path> threads = Files.list(tasks)) {
            for (Path thread : threads.toList()) {
                // The thread's name, in parentheses, may contain anything; the state follows its end.
                String stat = Files.readString(thread.resolve("stat"), StandardCharsets.ISO_8859_1);
                if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
                    return false;
                }
            }
            return true;
        } catch (IOException | UncheckedIOException e) {
            return false; // a thread ended meanwhile
        }
    }
}
