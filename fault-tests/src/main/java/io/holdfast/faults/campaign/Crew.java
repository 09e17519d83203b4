package io.holdfast.faults.campaign;

import io.holdfast.contracts.servers.ChildProcess;
import io.holdfast.faults.history.History;
import io.holdfast.faults.history.History.Disturbance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * The workers of an episode, and what was done to them and to their servers. May be used by several threads, of which one starts and
 * ends workers.
 */
final class Crew implements AutoCloseable {
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(30);

    private record Member(ChildProcess child, Path history, Path output) {}

    private final Path folder;
    private final IntFunction<Worker.Settings> settings;
    private final IntFunction<List<String>> launcher;
    private final List<Member> members = new CopyOnWriteArrayList<>();
    private final List<Integer> living = new CopyOnWriteArrayList<>();
    private final List<Disturbance> disturbances = new CopyOnWriteArrayList<>();
    private final MachineWatch watch;

    /** The settings of worker number so and so; its history goes to {@link #historyOf}. */
    Crew(Path folder, IntFunction<Worker.Settings> settings) {
        this(folder, settings, worker -> List.of());
    }

    /** The same; each worker is started by a program that starts what follows. */
    Crew(Path folder, IntFunction<Worker.Settings> settings, IntFunction<List<String>> launcher) {
        this.folder = folder;
        this.settings = settings;
        this.launcher = launcher;
        watch = new MachineWatch(from -> note("machine", from, Disturbance.ALL));
    }

    static Path historyOf(Path folder, int worker) {
        return folder.resolve("history-" + worker + ".jsonl");
    }

    /** Starts more workers and waits until they work. */
    void start(int count) {
        int from = members.size();
        for (int i = 0; i < count; i++) {
            launch(members.size());
        }
        long begin = System.nanoTime();
        for (int worker = from; worker < members.size(); worker++) {
            while (!said(worker, "ready")) {
                if (!members.get(worker).child().process().isAlive() || System.nanoTime() - begin > START_NANOS) {
                    throw new IllegalStateException("worker " + worker + " did not start:\n" + output(worker));
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            living.add(worker);
        }
    }

    private void launch(int number) {
        Path output = folder.resolve("worker-" + number + ".log");
        List<String> line = new ArrayList<>(launcher.apply(number));
        line.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Worker.class.getName()));
        line.addAll(settings.apply(number).arguments());
        members.add(new Member(
                ChildProcess.start(
                        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile())),
                historyOf(folder, number),
                output));
    }

    private boolean said(int worker, String word) {
        return output(worker).lines().anyMatch(word::equals);
    }

    private String output(int worker) {
        try {
            return Files.readString(members.get(worker).output());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Workers that were neither killed nor stopped. */
    List<Integer> living() {
        return List.copyOf(living);
    }

    int size() {
        return members.size();
    }

    /** Kills a worker. */
    void kill(int worker, String fault) {
        long now = System.nanoTime();
        members.get(worker).child().kill();
        living.remove((Integer) worker);
        disturbances.add(new Disturbance(fault, now, System.nanoTime(), worker, true));
    }

    void freeze(int worker) {
        members.get(worker).child().freeze();
    }

    void thaw(int worker) {
        members.get(worker).child().thaw();
    }

    /** Notes what happened to a worker, or to all, from a time until now. */
    void note(String fault, long from, int worker) {
        disturbances.add(new Disturbance(fault, from, System.nanoTime(), worker, false));
    }

    /**
     * Lets all workers end their cycles and go.
     *
     * @return those that did not, which are killed
     */
    List<String> stop() {
        List<String> stuck = new ArrayList<>();
        for (int worker : living) {
            try {
                var in = members.get(worker).child().process().getOutputStream();
                in.write('\n');
                in.flush();
            } catch (IOException e) {
                stuck.add("worker " + worker + " has ended by itself:\n" + output(worker));
            }
        }
        long begin = System.nanoTime();
        for (int worker : living) {
            Process process = members.get(worker).child().process();
            try {
                long left = Math.max(1, END_NANOS - (System.nanoTime() - begin));
                if (!process.waitFor(left, TimeUnit.NANOSECONDS)) {
                    stuck.add("worker " + worker + " does not end: " + stacks(process));
                    members.get(worker).child().kill();
                } else if (!said(worker, "closed")) {
                    stuck.add("worker " + worker + " failed:\n" + output(worker));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted", e);
            }
        }
        living.clear();
        return stuck;
    }

    private String stacks(Process process) {
        try {
            Process jstack = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jstack")
                                    .toString(),
                            Long.toString(process.pid()))
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("stacks.txt").toFile())
                    .start();
            jstack.waitFor(10, TimeUnit.SECONDS);
            return "its stacks are in stacks.txt";
        } catch (IOException e) {
            return "no stacks: " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** What all of them did. */
    History history() throws IOException {
        return History.read(members.stream().map(Member::history).toList(), disturbances, System.nanoTime());
    }

    @Override
    public void close() {
        watch.close();
        members.forEach(member -> member.child().kill());
    }
}
