package io.holdfast.contracts;

import io.holdfast.contracts.servers.ChildProcess;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriverProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A {@link Taker} in a process of its own, as a test sees it: commands, events, frozen, thawed, killed. */
public final class TakerProcess implements AutoCloseable {
    /** For events that must come. A machine that runs other things as well may take seconds to start a process. */
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int LINES_TOLD = 40;

    private final ChildProcess child;
    private final Writer in;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<String> unread = new ArrayList<>(); // guarded by lock
    private final List<String> log = new ArrayList<>(); // everything said, guarded by lock
    private int open = 2; // streams of the process that have not ended, guarded by lock

    private TakerProcess(ChildProcess child) {
        this.child = child;
        this.in = child.process().outputWriter(StandardCharsets.UTF_8);
        read(child.process().getInputStream(), "");
        read(child.process().getErrorStream(), "stderr: ");
    }

    /**
     * Starts a taker; does not wait until it says {@code ready}, so that several can start at the same time.
     *
     * @param options see {@link Taker}
     */
    public static TakerProcess start(RedisDriverProvider driver, RedisAddress address, String... options) {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-Xss256k",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Taker.class.getName(),
                address.toString(),
                driver.name()));
        line.addAll(List.of(options));
        return new TakerProcess(ChildProcess.start(new ProcessBuilder(line)));
    }

    /** Sends a command. */
    public void send(String command) {
        try {
            in.write(command + "\n");
            in.flush();
        } catch (IOException e) {
            throw new AssertionError("the taker does not listen; it said:\n" + said(), e);
        }
    }

    /**
     * Waits for the first line that begins with these words and was not returned yet; earlier lines stay for later.
     *
     * @return the words of the line
     * @throws AssertionError with what the taker said if there is no such line in time, or if it said that a request
     *     failed, or ended
     */
    public List<String> awaitLine(String beginning) {
        lock.lock();
        try {
            long left = PATIENCE_NANOS;
            while (true) {
                for (Iterator<String> i = unread.iterator(); i.hasNext(); ) {
                    String line = i.next();
                    if (line.equals(beginning) || line.startsWith(beginning + " ")) {
                        i.remove();
                        return List.of(line.split(" ", -1));
                    }
                    if (line.startsWith("failed ")) {
                        throw new AssertionError("awaiting '" + beginning + "': a request failed:\n" + said());
                    }
                }
                if (open == 0) {
                    throw new AssertionError("awaiting '" + beginning + "': the taker has ended:\n" + said());
                }
                if (left <= 0) {
                    throw new AssertionError("awaiting '" + beginning + "': in vain; the taker said:\n" + said());
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for a taker", e);
        } finally {
            lock.unlock();
        }
    }

    /** Whether it has said a line that begins with these words, and nobody has waited for it yet. */
    public boolean hasSaid(String beginning) {
        lock.lock();
        try {
            return unread.stream().anyMatch(line -> line.equals(beginning) || line.startsWith(beginning + " "));
        } finally {
            lock.unlock();
        }
    }

    /** Stops the process where it is ({@code SIGSTOP}). */
    public void freeze() {
        child.freeze();
    }

    /** Lets a frozen process go on ({@code SIGCONT}). */
    public void thaw() {
        child.thaw();
    }

    /** Ends the process without warning ({@code SIGKILL}), frozen or not, and waits until it is gone. */
    public void kill() {
        child.kill();
    }

    /** Closes the taker's clients and waits for its end. */
    public void quit() {
        send("quit");
        awaitLine("closed");
    }

    /** Kills the process. */
    @Override
    public void close() {
        kill();
    }

    private void read(InputStream stream, String mark) {
        Thread reader = new Thread(
                () -> {
                    try (BufferedReader lines =
                            new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                            note(mark + line);
                        }
                    } catch (IOException e) {
                        note("stream ended: " + e); // the process was killed
                    } finally {
                        ended();
                    }
                },
                "taker-" + child.process().pid());
        reader.setDaemon(true);
        reader.start();
    }

    private void note(String line) {
        lock.lock();
        try {
            log.add(line);
            unread.add(line);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void ended() {
        lock.lock();
        try {
            open--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private String said() {
        lock.lock();
        try {
            return String.join("\n", log.subList(Math.max(0, log.size() - LINES_TOLD), log.size()));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return "taker " + child.process().pid();
    }
}
