package io.holdfast.embedded;

import io.holdfast.spi.DriverException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Starts servers and keepers. Only under the folder's lock.
 *
 * <p>Nothing is started that is not written down first: the record of a server, without its process, then its keeper,
 * then the server itself, then the record with the process. So whoever starts it may die at any point. Before the last
 * step the next to come sees that nobody can have joined, and replaces it; the keeper ends a server that is not the one
 * in the record.
 */
final class ServerLauncher {
    private static final long START_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_MILLIS = 2;
    private static final int ANSWER_PATIENCE_MILLIS = 1_000;
    /** Between the choice of a free port and its use by the server, others may take it. */
    private static final int MOST_ATTEMPTS = 5;

    private static final int PASSWORD_BYTES = 24;
    private static final int LOG_EXCERPT = 1_000;

    /** Of the starter's environment, what programs may need to start; the rest is nobody else's, and may be secret. */
    private static final List<String> KEPT_VARIABLES = List.of("PATH", "LD_LIBRARY_PATH", "TZ");

    private final Settings settings;
    private final StateFolder folder;
    /** What is put before the commands of servers and keepers; found out when it is needed. */
    private @Nullable List<String> wayOut;

    ServerLauncher(Settings settings, StateFolder folder) {
        this.settings = settings;
        this.folder = folder;
    }

    /** Starts a server in place of the one in the record, which the caller knows to be dead. */
    ServerRecord start() throws IOException, InterruptedException {
        Path program = new ServerProgram(settings, folder).find();
        for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
            ServerRecord started = start(program);
            if (started != null) {
                return started;
            }
        }
        throw DriverException.unknown(
                "the embedded server found no free port in " + MOST_ATTEMPTS + " attempts" + logExcerpt(), null);
    }

    /** One attempt; null if somebody else took the port. */
    private @Nullable ServerRecord start(Path program) throws IOException, InterruptedException {
        folder.emptied(StateFolder.LOG);
        ServerRecord planned = plan();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder.path(), "*" + StateFolder.PID)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        folder.emptied(pidFile(planned).getFileName().toString());
        folder.write(StateFolder.ADDRESS, planned.text());
        boolean done = false;
        try {
            Process keeper = launchKeeper(planned);
            launch(program, planned);
            ServerRecord started = awaitServer(planned);
            if (started != null) {
                awaitKeeper(keeper);
                folder.write(StateFolder.ADDRESS, started.text());
                done = true;
            }
            return started;
        } finally {
            if (!done) {
                // The keeper ends a server without a record; but this may be for want of a keeper.
                Files.deleteIfExists(folder.file(StateFolder.ADDRESS));
                discard(planned);
            }
        }
    }

    /** Ends a server that was not started to the end, if it is there. Nobody has joined it. */
    static void discard(ServerRecord record) {
        try (Wire wire = Wire.open(record.port(), record.password(), "holdfast-start", ANSWER_PATIENCE_MILLIS)) {
            wire.shutdown();
        } catch (IOException e) {
            // It never came up, or is on its way up: then its keeper ends it.
        }
    }

    private static ServerRecord plan() throws IOException {
        SecureRandom random = new SecureRandom();
        byte[] password = new byte[PASSWORD_BYTES];
        random.nextBytes(password);
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            port = socket.getLocalPort();
        }
        // 62 bits: the keeper locks the byte at this position, and one more has to fit behind it.
        return new ServerRecord(random.nextLong() >>> 2, port, HexFormat.of().formatHex(password), 0, "");
    }

    private Path pidFile(ServerRecord planned) {
        return folder.file(planned.id() + StateFolder.PID);
    }

    private void launch(Path program, ServerRecord planned) throws IOException, InterruptedException {
        // Through a file: everybody can read a command line. And not through the standard input: were this process
        // killed before it had written all, the server would take what it got, and without a word it is open to all.
        folder.write(StateFolder.CONFIGURATION, configuration(planned));
        List<String> command = new ArrayList<>(wayOut());
        command.add(program.toString());
        command.add(folder.file(StateFolder.CONFIGURATION).toString());
        Process process = detached(new ProcessBuilder(command)).start();
        process.getOutputStream().close();
        boolean ended = process.waitFor(START_PATIENCE_NANOS, TimeUnit.NANOSECONDS);
        if (!ended || process.exitValue() != 0) {
            process.destroyForcibly();
            throw DriverException.unknown(
                    "the embedded server did not start: " + program
                            + (ended ? " ended with " + process.exitValue() : " did not go to the background")
                            + logExcerpt(),
                    null);
        }
    }

    private String configuration(ServerRecord planned) {
        // The server goes to the background by itself, into a session of its own: neither the end of the starter nor
        // what happens to its terminal reaches it.
        return "daemonize yes\n"
                + "bind 127.0.0.1\n"
                + "protected-mode yes\n"
                + "port " + planned.port() + "\n"
                + "requirepass " + planned.password() + "\n"
                + "save \"\"\n"
                + "appendonly no\n"
                + "maxmemory-policy noeviction\n"
                // Other users of the machine can connect, and be refused, and not read that: as long as they like, were
                // there no limit (CVE-2025-21605). What is asked for here has some megabytes at most, and is read.
                + "client-output-buffer-limit normal 64mb 8mb 10\n"
                + "timeout 0\n"
                + "databases 16\n"
                // Concerns copies to disk, of which there are none, but keeps some servers from starting.
                + "ignore-warnings ARM64-COW-BUG\n"
                // Without this line a server of root would use the one of the system's own server.
                + "pidfile " + quoted(pidFile(planned)) + "\n"
                + "logfile " + quoted(folder.file(StateFolder.LOG)) + "\n"
                + "dir " + quoted(folder.path()) + "\n";
    }

    private static String quoted(Path path) {
        return '"' + path.toString().replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Waits until the server answers; null if it could not have its port. */
    private @Nullable ServerRecord awaitServer(ServerRecord planned) throws IOException, InterruptedException {
        long start = System.nanoTime();
        IOException last = null;
        while (System.nanoTime() - start < START_PATIENCE_NANOS) {
            // The number comes from the file, not from the answer: who answers may be somebody else on our port.
            long pid = writtenPid(pidFile(planned));
            String birth = ProcessBirth.of(pid);
            if (!birth.isEmpty()) {
                try {
                    Wire.open(planned.port(), planned.password(), "holdfast-start", ANSWER_PATIENCE_MILLIS)
                            .close();
                    if (birth.equals(ProcessBirth.of(pid))) {
                        return planned.started(pid, birth);
                    }
                } catch (IOException e) {
                    last = e;
                }
            } else {
                String log = Files.readString(folder.file(StateFolder.LOG), StandardCharsets.ISO_8859_1);
                if (log.contains("Failed listening on port")) {
                    return null;
                }
                if (pid > 0) {
                    break;
                }
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
        throw DriverException.unknown("the embedded server did not come up" + logExcerpt(), last);
    }

    /** What the server has written into its file; 0 while it has not. */
    private static long writtenPid(Path file) throws IOException {
        if (!Files.exists(file)) {
            return 0; // it removes the file when it ends
        }
        String text = Files.readString(file);
        return text.endsWith("\n") ? Long.parseLong(text.trim()) : 0;
    }

    private String logExcerpt() throws IOException {
        Path file = folder.file(StateFolder.LOG);
        String log = Files.exists(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
        String end = log.substring(Math.max(0, log.length() - LOG_EXCERPT)).trim();
        return end.isEmpty() ? "; its log " + file + " is empty" : "; its log " + file + " ends with:\n" + end;
    }

    /** Starts a keeper for a server that has lost its own. */
    void keep(ServerRecord record) throws IOException, InterruptedException {
        awaitKeeper(launchKeeper(record));
    }

    private Process launchKeeper(ServerRecord record) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(wayOut());
        // What a terminal sends must not end the keeper. setsid puts it out of the reach of most; where there is none,
        // as on macOS, signals ignored at the start stay ignored, in the virtual machine too. And it is not to be below
        // this process in the tree, for those who end whole trees: the shell between the two is ended when it runs.
        command.add("sh");
        command.add("-c");
        command.add("trap '' HUP INT TERM TSTP; exec 3<&0; "
                + "if command -v setsid >/dev/null; then setsid \"$@\" <&3 3<&- & else \"$@\" <&3 3<&- & fi; "
                + "exec 3<&-; wait $!");
        command.add("sh");
        command.add(java());
        // As small and as quick to start as it goes; a virtual machine that does not know an option may skip it.
        command.add("-XX:+IgnoreUnrecognizedVMOptions");
        command.add("-Xmx16m");
        command.add("-Xshare:auto");
        command.add("-XX:+UseSerialGC");
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:-UsePerfData");
        command.add("-cp");
        command.add(keeperClasses().toString());
        command.add(Keeper.class.getName());
        command.add(folder.path().toString());
        command.add(Long.toString(record.id()));
        command.add(Integer.toString(record.port()));
        command.add(Long.toString(settings.idleMillis()));
        ProcessBuilder builder = detached(new ProcessBuilder(command)).redirectOutput(ProcessBuilder.Redirect.PIPE);
        Process process = builder.start();
        try (OutputStream out = process.getOutputStream()) {
            out.write(record.password().getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            // It has ended already. Why, is in the log and told when it is waited for.
        }
        return process;
    }

    private List<String> wayOut() throws IOException, InterruptedException {
        List<String> words = wayOut;
        if (words == null) {
            words = new SystemdUnit(
                            Path.of("/proc/self/cgroup"),
                            Path.of("/run/user"),
                            folder.owner(),
                            settings.program("systemd-run"))
                    .wayOut();
            wayOut = words;
        }
        return words;
    }

    private ProcessBuilder detached(ProcessBuilder builder) {
        File log = folder.file(StateFolder.LOG).toFile();
        // What is started outlives the starter: it must not carry its secrets, nor the options and agents that are
        // meant
        // for its virtual machine.
        Map<String, String> environment = builder.environment();
        environment.keySet().retainAll(KEPT_VARIABLES);
        return builder.directory(new File("/")) // keeps no folder in use that somebody wants to remove
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .redirectError(ProcessBuilder.Redirect.appendTo(log));
    }

    private static String java() {
        String home = System.getProperty("java.home");
        Path java = home == null ? null : Path.of(home, "bin", "java");
        return java != null && Files.isExecutable(java) ? java.toString() : "java";
    }

    /** Waits until a keeper has its lock, or sees that another has it. */
    private void awaitKeeper(Process keeper) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (InputStream in = keeper.getInputStream()) {
            while (in.available() == 0) {
                boolean ended = !keeper.isAlive();
                if (in.available() == 0 && (ended || System.nanoTime() - start >= START_PATIENCE_NANOS)) {
                    keeper.destroyForcibly();
                    throw DriverException.unknown(
                            "the process that ends the embedded server when it is no longer used ("
                                    + Keeper.class.getName()
                                    + ") did not start"
                                    + (ended ? ", it ended with " + keeper.exitValue() : "") + logExcerpt(),
                            null);
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
        keeper.destroyForcibly().waitFor(); // the shell
    }

    /**
     * The keeper's classes, copied to a folder of their own. A copy, because the keeper outlives this process, and what
     * this one was loaded from may be replaced meanwhile, or may be nothing to put on a class path: a jar within a jar,
     * a run-time image.
     */
    private Path keeperClasses() throws IOException {
        List<byte[]> contents = new ArrayList<>();
        CRC32 sum = new CRC32();
        for (Class<?> type : Keeper.CLASSES) {
            try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
                if (in == null) {
                    throw new IOException("the class file of " + type.getName() + " was not found");
                }
                byte[] content = in.readAllBytes();
                sum.update(content);
                contents.add(content);
            }
        }
        Path classes = folder.file("keeper-" + Long.toHexString(sum.getValue()));
        if (!Files.isDirectory(classes)) {
            Path temporary = folder.file("unpacking-keeper");
            remove(temporary);
            Path inner = temporary.resolve(Keeper.class.getPackageName().replace('.', '/'));
            Files.createDirectories(inner, StateFolder.permissions("rwx------"));
            for (int i = 0; i < contents.size(); i++) {
                Path file = inner.resolve(Keeper.CLASSES.get(i).getSimpleName() + ".class");
                Files.write(Files.createFile(file, StateFolder.permissions("rw-------")), contents.get(i));
            }
            // Keepers have loaded all their classes before they say that they are there: the others' are not needed.
            try (DirectoryStream<Path> others = Files.newDirectoryStream(folder.path(), "keeper-*")) {
                for (Path other : others) {
                    remove(other);
                }
            }
            Files.move(temporary, classes, StandardCopyOption.ATOMIC_MOVE);
        }
        return classes;
    }

    private static void remove(Path tree) throws IOException {
        if (Files.isDirectory(tree)) {
            try (DirectoryStream<Path> content = Files.newDirectoryStream(tree)) {
                for (Path inner : content) {
                    remove(inner);
                }
            }
        }
        Files.deleteIfExists(tree);
    }
}
