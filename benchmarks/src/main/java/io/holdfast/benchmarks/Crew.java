package io.holdfast.benchmarks;

import com.google.gson.Gson;
import io.holdfast.contracts.servers.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Starts workers, and talks with them. */
final class Crew {
    private static final long START_MILLIS = 60_000;

    private final Path folder;
    private final boolean processes;

    /**
     * @param folder for what workers print
     * @param processes whether each is a process of its own, where that does not matter to the scenario
     */
    Crew(Path folder, boolean processes) {
        this.folder = folder;
        this.processes = processes;
    }

    /** A worker in whatever way is usual. */
    Member start(String contestant, String address, Duration term) {
        return processes
                ? startProcess(contestant, address, term, null)
                : startThread(contestant, address, term, false);
    }

    /** A worker that can be killed. */
    Member startProcess(String contestant, String address, Duration term) {
        return startProcess(contestant, address, term, null);
    }

    /** A worker on another JDK than this one. */
    Member startProcess(String contestant, String address, Duration term, @Nullable Path jdk) {
        return startProcess(contestant, address, term, jdk, false);
    }

    /** A worker that connects only when its first task comes. */
    Member startUnconnected(String contestant, String address, Duration term) {
        return processes
                ? startProcess(contestant, address, term, null, true)
                : startThread(contestant, address, term, true);
    }

    private Member startProcess(
            String contestant, String address, Duration term, @Nullable Path jdk, boolean unconnected) {
        Path home = jdk == null ? Path.of(System.getProperty("java.home")) : jdk;
        try {
            Path log = Files.createTempFile(folder, contestant + "-", ".log");
            ChildProcess child = ChildProcess.start(new ProcessBuilder(List.of(
                            home.resolve("bin").resolve("java").toString(),
                            "-Xms256m",
                            "-Xmx1g",
                            "-XX:+UseSerialGC",
                            processes ? "-XX:+TieredCompilation" : "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Worker.class.getName(),
                            contestant,
                            address,
                            Long.toString(term.toMillis()),
                            Boolean.toString(unconnected)))
                    .redirectError(log.toFile()));
            Process process = child.process();
            return new Member(
                    contestant,
                    new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8),
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)),
                    child);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Member startThread(String contestant, String address, Duration term, boolean unconnected) {
        try {
            PipedOutputStream tasks = new PipedOutputStream();
            PipedOutputStream answers = new PipedOutputStream();
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(new PipedInputStream(tasks), StandardCharsets.UTF_8));
            BufferedReader out =
                    new BufferedReader(new InputStreamReader(new PipedInputStream(answers), StandardCharsets.UTF_8));
            PrintStream answering = new PrintStream(answers, true, StandardCharsets.UTF_8);
            Threads.start(false, () -> {
                try {
                    Worker.serve(contestant, address, term, unconnected, in, answering);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } finally {
                    answering.close();
                }
            });
            return new Member(contestant, new PrintStream(tasks, true, StandardCharsets.UTF_8), out, null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The sum of what workers tell of their processes. */
    static long sumOf(List<Member> members, Task.Act act, long limitMillis) {
        return members.stream()
                .mapToLong(member -> member.value(act, limitMillis))
                .sum();
    }

    /** One worker. For use by one thread. */
    static final class Member implements AutoCloseable {
        private static final Gson GSON = new Gson();
        private static final long END_MILLIS = 5_000;

        private final String name;
        private final PrintStream tasks;
        private final @Nullable ChildProcess child;
        private final BlockingQueue<Answer> answers = new ArrayBlockingQueue<>(1_000);
        private boolean started;

        Member(String name, PrintStream tasks, BufferedReader out, @Nullable ChildProcess child) {
            this.name = name;
            this.tasks = tasks;
            this.child = child;
            Threads.start(false, () -> read(out));
        }

        private void read(BufferedReader out) {
            try (out) {
                for (String line = out.readLine(); line != null; line = out.readLine()) {
                    if (line.startsWith(Worker.ANSWER)) {
                        answers.add(GSON.fromJson(line.substring(Worker.ANSWER.length()), Answer.class));
                    }
                }
            } catch (IOException e) {
                // It was killed.
            }
            answers.add(Answer.failed("the worker has ended"));
        }

        /** Waits until it has connected. */
        Member awaitStart() {
            if (!started) {
                receive(START_MILLIS);
                started = true;
            }
            return this;
        }

        /** Sends a task; an answer is to be received later. */
        void send(Task task) {
            tasks.println(GSON.toJson(task));
        }

        /**
         * The answer to the oldest task that has none yet.
         *
         * @throws Failed if there is none in time, or if it says that the task failed
         */
        Answer receive(long limitMillis) {
            Answer answer;
            try {
                answer = answers.poll(limitMillis, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
            if (answer == null) {
                throw new Failed(name + " did not answer within " + limitMillis + " ms");
            }
            if (answer.error() != null) {
                throw new Failed(name + ": " + answer.error());
            }
            return answer;
        }

        Answer carryOut(Task task, long limitMillis) {
            send(task);
            return receive(limitMillis);
        }

        /** What it tells of its process. */
        long value(Task.Act act, long limitMillis) {
            return carryOut(Task.of(act), limitMillis).value();
        }

        /** Ends it without warning; only a process. */
        void kill() {
            if (child == null) {
                throw new IllegalStateException("a thread cannot be killed");
            }
            child.kill();
        }

        @Override
        public void close() {
            if (child != null) {
                child.kill();
                return;
            }
            send(Task.of(Task.Act.END));
            try {
                receive(END_MILLIS);
            } catch (Failed e) {
                // It waits for a lock, and for ever; its thread does not keep the JVM.
            }
        }
    }

    /** A contestant did not do what it was told. */
    static final class Failed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failed(String message) {
            super(message);
        }
    }
}
