package io.holdfast.contracts.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A program that a test started and may freeze, thaw and kill. It ends with this JVM at the latest, frozen or not. */
public final class ChildProcess implements AutoCloseable {
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();
    private static final long FREEZE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long END_SECONDS = 20;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    static {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "contracts-children"));
    }

    private final Process process;

    private ChildProcess(Process process) {
        this.process = process;
    }

    /** Runs a class with the class path of this JVM, as {@link #java(String...)} does. */
    public static ChildProcess java(Class<?> main, String... arguments) {
        return java(Stream.concat(
                        Stream.of("-cp", System.getProperty("java.class.path", ""), main.getName()),
                        Stream.of(arguments))
                .toArray(String[]::new));
    }

    /** Runs another JVM of the same JDK. What it writes to its standard error is shown. */
    public static ChildProcess java(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home", ""), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.addAll(List.of(arguments));
        return start(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT));
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

    /**
     * The rest of the next line of its output that begins like this. Blocks until there is one; lines before it are left out.
     *
     * @throws IllegalStateException if the output ends before
     */
    public String read(String begin) {
        return next(line -> line.startsWith(begin)).substring(begin.length());
    }

    /**
     * Blocks until a line of its output has these words, such as one of a log.
     *
     * @throws IllegalStateException if the output ends before
     */
    public void await(String words) {
        next(line -> line.contains(words));
    }

    private String next(Predicate<String> looked) {
        StringBuilder before = new StringBuilder();
        try {
            BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (looked.test(line)) {
                    return line;
                }
                before.append(line).append('\n');
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("the output has ended: " + before);
    }

    /** Writes a line to its input. */
    public void write(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Asks it to end ({@code SIGTERM}), and waits for that. Its streams stay open: a program that reads would otherwise see the end
     * of its input first.
     *
     * @return its status, which is 143 for a JVM whose shutdown hooks have run
     * @throws IllegalStateException if it has not ended after 20 s
     */
    public int terminate() throws InterruptedException {
        process.toHandle().destroy();
        return status();
    }

    /**
     * Waits until it ends by itself.
     *
     * @return its status
     * @throws IllegalStateException if it has not ended after 20 s
     */
    public int status() throws InterruptedException {
        if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("process " + process.pid() + " does not end");
        }
        RUNNING.remove(process);
        return process.exitValue();
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

    /** Kills it. */
    @Override
    public void close() {
        kill();
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
