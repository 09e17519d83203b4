package io.holdfast.cli;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/**
 * Tells when the last process has ended that descends from the command, also if those between have ended long before.
 *
 * <p>The command has a named pipe open for writing, as descriptor 9, and so has whatever it starts, unless that closes it:
 * the pipe's end is the end of the last of them. A shell opens it and becomes the command. Linux tells which processes have
 * it open, so that they can be ended with the command.
 */
final class Children implements AutoCloseable {
    private static final Path PROCESSES = Path.of("/proc");
    private static final String DESCRIPTOR = "9";

    /** What is written to the pipe if the shell could not become the command. */
    private static final int NOT_STARTED = '!';

    private static final String SCRIPT =
            "pipe=$1; shift; exec 9>\"$pipe\" || exit 126; trap 'printf ! >&9' EXIT; exec \"$@\" 9>&9";

    private final Path folder;
    private final Path pipe;
    private final RandomAccessFile ours;
    private final FileInputStream end;
    private final CompletableFuture<Boolean> started = new CompletableFuture<>();

    private Children(Path folder, Path pipe, RandomAccessFile ours, FileInputStream end) {
        this.folder = folder;
        this.pipe = pipe;
        this.ours = ours;
        this.end = end;
    }

    /** Makes the pipe, which is to be closed. */
    static Children create() throws IOException {
        if (!Files.isDirectory(PROCESSES.resolve("self/fd"))) {
            throw new UsageException("--hold-for-children needs a system that shows in " + PROCESSES
                    + " which process has which file open, such as Linux");
        }
        Path folder = Files.createTempDirectory("holdfast-");
        Path pipe = folder.resolve("children");
        try {
            make(pipe);
            // Open for both, which waits for nobody: so the reader does not wait either, nor meets an end before the
            // command has its own descriptor.
            RandomAccessFile ours = new RandomAccessFile(pipe.toFile(), "rw");
            return new Children(folder, pipe, ours, new FileInputStream(pipe.toFile()));
        } catch (IOException e) {
            Files.deleteIfExists(pipe);
            Files.deleteIfExists(folder);
            throw e;
        }
    }

    private static void make(Path pipe) throws IOException {
        Process mkfifo = new ProcessBuilder("mkfifo", "-m", "600", pipe.toString())
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            if (mkfifo.waitFor() != 0) {
                throw new IOException("mkfifo " + pipe + " failed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    String path() {
        return pipe.toString();
    }

    /** The command, to be started with the pipe open. */
    List<String> holding(List<String> command) {
        List<String> line = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, "sh", path()));
        line.addAll(command);
        return line;
    }

    /**
     * Waits, when the command has ended, for the end of all that descends from it, or for {@link #leave}.
     *
     * @return whether the command had been started at all
     */
    boolean await() {
        Thread reader = new Thread(this::read, "holdfast-children");
        reader.setDaemon(true);
        reader.start();
        while (true) {
            try {
                return started.get();
            } catch (InterruptedException e) {
                // The lock is held as long as they live.
            } catch (ExecutionException e) {
                throw new IllegalStateException("nothing fails it", e);
            }
        }
    }

    private void read() {
        boolean good = true;
        try {
            ours.close();
            good = end.read() != NOT_STARTED;
        } catch (IOException e) {
            Say.failure("can no longer find out whether children run: " + e.getMessage(), e);
        }
        started.complete(good);
    }

    /** Ends the wait. */
    void leave() {
        started.complete(true);
    }

    /** Those that have it open now. */
    Stream<ProcessHandle> alive() {
        List<ProcessHandle> alive = new ArrayList<>();
        try {
            Object wanted =
                    Files.readAttributes(pipe, BasicFileAttributes.class).fileKey();
            File[] processes = PROCESSES.toFile().listFiles();
            for (File each : processes == null ? new File[0] : processes) {
                String name = each.getName();
                if (Character.isDigit(name.charAt(0)) && has(each, wanted)) {
                    ProcessHandle.of(Long.parseLong(name)).ifPresent(alive::add);
                }
            }
        } catch (IOException e) {
            Say.failure("cannot find out which children run: " + e.getMessage(), e);
        }
        return alive.stream();
    }

    private static boolean has(File process, Object pipe) {
        try {
            Path file = process.toPath().resolve("fd").resolve(DESCRIPTOR);
            return pipe.equals(
                    Files.readAttributes(file, BasicFileAttributes.class).fileKey());
        } catch (IOException e) {
            return false; // it has ended, has no such file, or is another user's
        }
    }

    @Override
    public void close() {
        try {
            Files.deleteIfExists(pipe);
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            Say.failure("could not remove " + folder + ": " + e.getMessage(), e);
        }
    }
}
