package io.holdfast.embedded;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A state folder for one test, and the end of everything that was started through it. */
final class Sandbox implements AutoCloseable {
    /** For tests in which the server shall stay. */
    static final long LONG_IDLE_MILLIS = 600_000;
    /** For tests in which it shall end. A keeper looks ten times in this time. */
    static final long SHORT_IDLE_MILLIS = 300;

    private final Settings settings;
    private final List<Child> children = new ArrayList<>();
    private final List<ProcessHandle> strangers = new ArrayList<>();

    private Sandbox(Settings settings) {
        this.settings = settings;
    }

    /** With the bundled server. */
    static Sandbox in(Path parent, long idleMillis) {
        return new Sandbox(new Settings(
                parent.resolve("home"),
                Settings.BUNDLED,
                idleMillis,
                "",
                Settings.platform(System.getProperty("os.name"), System.getProperty("os.arch"))));
    }

    /** With these. */
    static Sandbox of(Settings settings) {
        return new Sandbox(settings);
    }

    Settings settings() {
        return settings;
    }

    Path folder() {
        return requireNonNull(settings.folder());
    }

    /** Joins in this process. */
    EmbeddedServer join() {
        return new SharedServerProvider(settings).join();
    }

    /** Another process, which has not joined yet. */
    Child child() throws IOException {
        Child child = new Child(settings);
        children.add(child);
        return child;
    }

    /** What the address file says. */
    ServerRecord record() throws IOException {
        return requireNonNull(ServerRecord.read(folder().resolve(StateFolder.ADDRESS)));
    }

    /** Puts something else into the address file. */
    void write(ServerRecord record) throws IOException {
        StateFolder.open(settings).write(StateFolder.ADDRESS, record.text());
    }

    /** The server's process. */
    ProcessHandle server() throws IOException {
        ProcessHandle server = ProcessHandle.of(record().pid()).orElseThrow();
        strangers.add(server);
        return server;
    }

    /** The keeper's process. */
    ProcessHandle keeper() {
        List<ProcessHandle> keepers = running(Keeper.class.getName()).stream()
                .filter(each -> each.info().command().orElse("").endsWith("java")) // not the shell above it
                .toList();
        assertEquals(1, keepers.size(), keepers::toString);
        return keepers.get(0);
    }

    /** The processes that have these words, and the folder in which the state folder is, on their command lines. */
    List<ProcessHandle> running(String words) {
        return ProcessHandle.allProcesses()
                .filter(process -> {
                    String line = process.info().commandLine().orElse("");
                    return line.contains(folder().getParent() + "/")
                            && line.contains(words)
                            && !line.contains(Joiner.class.getName())
                            && process.pid() != ProcessHandle.current().pid();
                })
                .toList();
    }

    /** Waits for the end of a process. */
    static void awaitEnd(ProcessHandle process) {
        process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
    }

    /** Sends a signal. */
    static void signal(String name, ProcessHandle process) throws IOException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertEquals(0, kill.onExit().join().exitValue());
    }

    /** Kills a process as kill -9 does, and waits for its end. */
    static void kill(ProcessHandle process) {
        process.destroyForcibly();
        awaitEnd(process);
    }

    @Override
    public void close() throws IOException {
        children.forEach(Child::kill);
        @Nullable ServerRecord record = ServerRecord.read(folder().resolve(StateFolder.ADDRESS));
        if (record != null && record.alive()) {
            ProcessHandle.of(record.pid()).ifPresent(strangers::add);
        }
        strangers.addAll(running(""));
        while (!strangers.isEmpty()) {
            strangers.forEach(ProcessHandle::destroyForcibly);
            strangers.forEach(Sandbox::awaitEnd);
            strangers.clear();
            strangers.addAll(running("")); // a shell may have started its keeper since the list was made
        }
    }

    /** The bundled server program, outside of any state folder. */
    static Path program(Path parent) throws Exception {
        Path folder = Files.createDirectory(parent.resolve("program"), StateFolder.permissions("rwx------"));
        Settings settings = in(parent, LONG_IDLE_MILLIS).settings();
        Settings there = new Settings(folder, Settings.BUNDLED, LONG_IDLE_MILLIS, "", settings.platform());
        return new ServerProgram(there, StateFolder.open(there)).find();
    }
}
