package io.holdfast.contracts.servers;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.TestServer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real server on a loopback port, without persistence, as a process that a test can freeze, kill and start again.
 *
 * <p>The program is the Redis inside the artifact {@code org.signal:embedded-redis}, or the one that the system property
 * {@code holdfast.test.server} names. The process ends with {@link #close} and at the latest with the JVM.
 *
 * <p>All methods may be called from any thread; they run one at a time.
 */
public final class RedisServer implements TestServer {
    /** Between commands that follow each other nobody looks whether the connection has ended: that takes a millisecond. */
    private static final long IDLE_NANOS = 20_000_000L;

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int PORT_ATTEMPTS = 5;
    private static final int LOG_TAIL_LINES = 30;

    /** Where a sentinel has its configuration, which it writes itself. */
    private static final String SENTINEL_FILE = "sentinel.conf";

    private final ReentrantLock lock = new ReentrantLock();
    private final List<String> extraArgs;
    private final Path folder;
    private final int port;

    private ChildProcess process;
    private @Nullable RespClient client;
    private long usedNanos; // guarded by lock

    private RedisServer(int port, List<String> extraArgs, Path folder, ChildProcess process) {
        this.port = port;
        this.extraArgs = extraArgs;
        this.folder = folder;
        this.process = process;
    }

    /**
     * Starts a server and waits until it answers.
     *
     * @param extraConfigArgs more arguments for the program, for example {@code "--requirepass", "secret"}. A password
     *     given this way is used by {@link #command}
     * @throws IllegalStateException with the end of the server's log if it does not answer in time
     */
    public static RedisServer start(String... extraConfigArgs) {
        Path folder;
        try {
            folder = Files.createTempDirectory("holdfast-redis");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return start(List.of(extraConfigArgs), folder);
    }

    /** Starts a sentinel with these lines of configuration, and waits until it answers. */
    static RedisServer startSentinel(List<String> config) {
        try {
            Path folder = Files.createTempDirectory("holdfast-redis");
            Files.write(folder.resolve(SENTINEL_FILE), config);
            return start(List.of(), folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static RedisServer start(List<String> extraArgs, Path folder) {
        try {
            for (int attempt = 1; ; attempt++) {
                int port = extraArgs.contains("--cluster-enabled") ? FreePort.findOfTwo() : FreePort.find();
                ChildProcess process = launch(port, extraArgs, folder);
                try {
                    awaitReady(process, port, folder);
                    return new RedisServer(port, extraArgs, folder, process);
                } catch (IllegalStateException e) {
                    process.kill();
                    // Between finding the port and the server's bind, somebody else can take it.
                    if (attempt == PORT_ATTEMPTS || !isPortTaken(logTail(folder))) {
                        throw e;
                    }
                }
            }
        } catch (RuntimeException e) {
            delete(folder);
            throw e;
        }
    }

    /** The C libraries have words of their own for it. A member of a cluster needs a second port, for which it is as likely. */
    private static boolean isPortTaken(String log) {
        return log.contains("Address already in use") || log.contains("Address in use");
    }

    /** Whether its process runs, frozen or not. */
    public boolean isRunning() {
        return locked(() -> process.process().isAlive());
    }

    /** The port for plain connections. */
    public int port() {
        return port;
    }

    /** The address for plain connections, without user and password. */
    @Override
    public RedisAddress address() {
        return new RedisAddress("127.0.0.1", port, false, null, null, 0);
    }

    /** The text form of {@link #address}. */
    public String url() {
        return address().toString();
    }

    /** By which the present process of the server is told from the next: {@code run_id}. */
    public String runId() {
        String begin = "run_id:";
        return command("INFO", "server")
                .asString()
                .lines()
                .filter(line -> line.startsWith(begin))
                .findFirst()
                .orElseThrow()
                .substring(begin.length());
    }

    /** Lets clients take it for a server that has its memory since long ago, so that no quarantine is awaited. */
    public void admit() {
        command("SET", "hf:node", "0 " + runId(), "EX", "100000");
    }

    /** The process id; of the last process if none runs now. */
    public long pid() {
        return locked(() -> process.process().pid());
    }

    /** The end of what the server has logged. */
    public String log() {
        return logTail(folder);
    }

    /**
     * Sends one command and waits for the reply, at most {@link RespClient#READ_TIMEOUT}. All commands go over one
     * connection named {@code contracts}, which is opened again when it broke.
     *
     * @throws DriverException {@code REJECTED} if the server answers with an error, {@code UNKNOWN} if it does not answer
     */
    @Override
    public Reply command(String... words) {
        return locked(() -> {
            if (client != null && System.nanoTime() - usedNanos > IDLE_NANOS && client.isEnded()) {
                disconnect(); // a server whose role changes closes the connections of its clients
            }
            if (client == null) {
                client = connect();
            }
            try {
                return client.command(words);
            } catch (DriverException e) {
                if (e.kind() == DriverException.Kind.UNKNOWN) {
                    disconnect();
                }
                throw e;
            } finally {
                usedNanos = System.nanoTime();
            }
        });
    }

    /** Opens a connection of the test's own, authenticated as {@link #command} is. */
    public RespClient connect() {
        RespClient opened = RespClient.connect("127.0.0.1", port);
        int password = extraArgs.indexOf("--requirepass") + 1;
        if (password > 0) {
            opened.command("AUTH", extraArgs.get(password));
        }
        opened.command("CLIENT", "SETNAME", "contracts");
        return opened;
    }

    /** Stops the process where it is ({@code SIGSTOP}): the kernel goes on accepting connections and bytes for it. */
    @Override
    public void freeze() {
        locked(() -> {
            process.freeze();
            return this;
        });
    }

    /** Lets a frozen process go on ({@code SIGCONT}). */
    @Override
    public void thaw() {
        locked(() -> {
            process.thaw();
            return this;
        });
    }

    /** Ends the process without warning ({@code SIGKILL}), frozen or not. A no-op if none runs. */
    public void kill() {
        locked(() -> {
            disconnect();
            process.kill();
            return this;
        });
    }

    /**
     * Starts a new server on the same port with the same arguments, after {@link #kill} where necessary. It is empty, unless
     * its arguments make it keep its data, or {@code SAVE} was called: then it has what it had at that time.
     */
    public void restart() {
        locked(() -> {
            disconnect();
            process.kill();
            process = launch(port, extraArgs, folder);
            awaitReady(process, port, folder);
            return this;
        });
    }

    /** Ends the process and removes its files. */
    @Override
    public void close() {
        locked(() -> {
            disconnect();
            process.kill();
            delete(folder);
            return this;
        });
    }

    private void disconnect() {
        RespClient open = client;
        client = null;
        if (open != null) {
            open.close();
        }
    }

    private <T> T locked(Act<T> act) {
        lock.lock();
        try {
            return act.run();
        } finally {
            lock.unlock();
        }
    }

    private interface Act<T> {
        T run();
    }

    private static ChildProcess launch(int port, List<String> extraArgs, Path folder) {
        List<String> line = new ArrayList<>(List.of(ServerBinary.path().toString()));
        Path sentinel = folder.resolve(SENTINEL_FILE);
        if (Files.exists(sentinel)) {
            line.addAll(List.of(sentinel.toString(), "--sentinel"));
        }
        line.addAll(List.of(
                "--bind",
                "127.0.0.1",
                "--port",
                Integer.toString(port),
                "--dir",
                folder.toString(),
                "--daemonize",
                "no",
                "--save",
                "",
                "--appendonly",
                "no"));
        line.addAll(extraArgs);
        return ChildProcess.start(new ProcessBuilder(line)
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(log(folder).toFile()));
    }

    private static void awaitReady(ChildProcess process, int port, Path folder) {
        try {
            awaitTrue("the server to answer", () -> {
                if (!process.process().isAlive()) {
                    throw new IllegalStateException(
                            "the server ended with status " + process.process().exitValue());
                }
                return answers(process, port);
            });
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    e.getMessage() + "; port " + port + ", its log ends with:\n" + logTail(folder), e);
        }
    }

    /** Another JVM's server may have been quicker to take the port: then this process is about to end. */
    private static boolean answers(ChildProcess process, int port) {
        try (RespClient probe = RespClient.connect("127.0.0.1", port)) {
            probe.command("PING");
            String id = "process_id:" + process.process().pid();
            return probe.command("INFO", "server").asString().lines().anyMatch(id::equals);
        } catch (DriverException e) {
            // NOAUTH is an answer too. LOADING is none. MASTERDOWN would be none, but PING is not refused for that.
            return e.kind() == DriverException.Kind.REJECTED && !e.code().equals("LOADING");
        }
    }

    private static void awaitTrue(String what, BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begin > START_NANOS) {
                throw new IllegalStateException(
                        "waited " + TimeUnit.NANOSECONDS.toSeconds(START_NANOS) + " s in vain for " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static Path log(Path folder) {
        return folder.resolve("server.log");
    }

    private static String logTail(Path folder) {
        List<String> lines = read(log(folder)).lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "(no " + file.getFileName() + ": " + e + ")";
        }
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
