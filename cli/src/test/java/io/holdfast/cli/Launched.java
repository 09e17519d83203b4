package io.holdfast.cli;

import io.holdfast.contracts.servers.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The command, or the launcher, as a process of its own. */
final class Launched implements AutoCloseable {
    /** Longer than anything takes on a loaded machine; only failures take it. */
    static final long PATIENCE_SECONDS = 60;

    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
    }

    private final Process process;
    private final Collected out;
    private final Collected err;

    private Launched(Process process) {
        this.process = process;
        this.out = new Collected(process.getInputStream());
        this.err = new Collected(process.getErrorStream());
        RUNNING.add(process);
    }

    /** {@code holdfast} with these words. */
    static Launched holdfast(String... words) {
        return holdfast(Map.of(), words);
    }

    /** The same with variables in its environment. */
    static Launched holdfast(Map<String, String> environment, String... words) {
        return start(environment, line(words));
    }

    /** What a command needs in its environment to use a server of its own for locks of this machine, in a folder. */
    static Map<String, String> machineLocal(Path folder) {
        return Map.of(
                "HOLDFAST_HOME", folder.resolve("home").toString(),
                "HOLDFAST_IDLE_MILLIS", "1000",
                "HOLDFAST_SERVER", "bundled");
    }

    /** {@code holdfast run} with these words, on a server. */
    static Launched run(RedisServer server, String... words) {
        return holdfast(Stream.concat(Stream.of("run", "--url", server.url()), Stream.of(words))
                .toArray(String[]::new));
    }

    /** The command line of {@code holdfast} with these words. */
    static List<String> line(String... words) {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath(),
                Main.class.getName()));
        line.addAll(List.of(words));
        return line;
    }

    static Launched start(Map<String, String> environment, List<String> line) {
        ProcessBuilder builder = new ProcessBuilder(line);
        builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_") || name.startsWith("JAVA_"));
        builder.environment().putAll(environment);
        try {
            return new Launched(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the classes are that this test runs with. */
    static String classPath() {
        String path = System.getProperty("surefire.test.class.path");
        return path == null ? System.getProperty("java.class.path") : path;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String out() {
        return out.text();
    }

    byte[] outBytes() {
        return out.bytes();
    }

    String err() {
        return err.text();
    }

    /** Waits for its end; its status. */
    int status() throws InterruptedException {
        return status(PATIENCE_SECONDS);
    }

    /** The same for what takes long. */
    int status(long patienceSeconds) throws InterruptedException {
        if (!process.waitFor(patienceSeconds, TimeUnit.SECONDS)) {
            throw new AssertionError("it does not end" + said());
        }
        out.awaitEnd();
        err.awaitEnd();
        return process.exitValue();
    }

    /** Waits until its standard output holds a text. */
    void awaitOut(String text) throws InterruptedException {
        out.await(all -> all.contains(text), "'" + text + "' on standard output");
    }

    void awaitErr(String text) throws InterruptedException {
        err.await(all -> all.contains(text), "'" + text + "' on standard error");
    }

    /** Writes to its standard input, and closes it. */
    void in(byte[] bytes) throws IOException {
        try (OutputStream stdin = process.getOutputStream()) {
            stdin.write(bytes);
        }
    }

    void line(String text) throws IOException {
        in((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Sends a signal. */
    void signal(String name) throws IOException, InterruptedException {
        signal(name, pid());
    }

    static void signal(String name, long pid) throws IOException, InterruptedException {
        if (pid <= 1) {
            throw new AssertionError("there is no such process, and " + pid + " would mean others");
        }
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new AssertionError("kill -" + name + " " + pid + " failed");
        }
    }

    /**
     * Waits until the keeper of a machine-local server has ended, and with it the server: until then they write into their
     * folder, which can therefore not be removed.
     */
    static void awaitKeeperGone(Path folder) throws InterruptedException {
        await(
                "the keeper of " + folder + " to end",
                () -> ProcessHandle.allProcesses()
                        .noneMatch(each -> each.info().commandLine().orElse("").contains(folder.toString())));
    }

    /** Waits until something is so. */
    static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                throw new AssertionError("waited in vain for: " + what);
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    @Override
    public void close() {
        // What it started has our pipes, and would outlive it.
        List<ProcessHandle> below = process.descendants().toList();
        process.destroyForcibly();
        below.forEach(ProcessHandle::destroyForcibly);
        RUNNING.remove(process);
    }

    private String said() {
        return "\nstandard output:\n" + out() + "\nstandard error:\n" + err();
    }

    /** What comes from a stream, read as it comes. */
    private final class Collected {
        private final ByteArrayOutputStream all = new ByteArrayOutputStream(); // guarded by itself
        private final Thread reader;
        private boolean ended; // guarded by all

        Collected(InputStream stream) {
            reader = new Thread(() -> read(stream), "collect");
            reader.setDaemon(true);
            reader.start();
        }

        private void read(InputStream stream) {
            byte[] buffer = new byte[8192];
            try {
                for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
                    synchronized (all) {
                        all.write(buffer, 0, count);
                        all.notifyAll();
                    }
                }
            } catch (IOException e) {
                // as good as an end
            }
            synchronized (all) {
                ended = true;
                all.notifyAll();
            }
        }

        byte[] bytes() {
            synchronized (all) {
                return all.toByteArray();
            }
        }

        String text() {
            return new String(bytes(), StandardCharsets.UTF_8);
        }

        void await(Predicate<String> condition, String what) throws InterruptedException {
            long begin = System.nanoTime();
            synchronized (all) {
                while (!condition.test(text())) {
                    if (ended || System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                        throw new AssertionError("waited in vain for " + what + said());
                    }
                    all.wait(100);
                }
            }
        }

        void awaitEnd() throws InterruptedException {
            reader.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            if (reader.isAlive()) {
                throw new AssertionError("something keeps the output open" + said());
            }
        }
    }
}
