package io.holdfast.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A child process that runs {@link Joiner}. */
final class Child {
    private final Process process;
    private final BufferedReader out;
    private final Writer in;

    Child(Settings settings) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-Xmx32m",
                        "-XX:TieredStopAtLevel=1",
                        "-Dholdfast.embedded.home=" + settings.folder(),
                        "-Dholdfast.embedded.server=" + settings.program(),
                        "-Dholdfast.embedded.idleMillis=" + settings.idleMillis(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Joiner.class.getName()))
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("SECRET_OF_JOB", "abc");
        process = builder.start();
        out = process.inputReader();
        in = process.outputWriter();
    }

    /** Waits until the process runs. */
    void awaitReady() throws IOException {
        assertEquals("ready", out.readLine());
    }

    /** Tells the process to join; does not wait. */
    void sendJoin() throws IOException {
        in.write("join\n");
        in.flush();
    }

    /** The port and the password that the process got; null if it failed. */
    @Nullable
    String joined() throws IOException {
        return out.readLine();
    }

    /** Joins, and waits for it. */
    @Nullable
    String join() throws IOException {
        awaitReady();
        sendJoin();
        return joined();
    }

    /** Kills the process at once, as kill -9 does, and waits for its end. */
    void kill() {
        process.destroyForcibly().onExit().join();
        try {
            out.close();
            in.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
