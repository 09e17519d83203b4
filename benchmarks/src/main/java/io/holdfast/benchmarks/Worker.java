package io.holdfast.benchmarks;

import com.google.gson.Gson;
import io.holdfast.benchmarks.contestants.Contestant;
import io.holdfast.benchmarks.contestants.Contestant.Grip;
import io.holdfast.benchmarks.contestants.Contestants;
import io.holdfast.benchmarks.contestants.Contestants.Ability;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One client that is measured: reads {@link Task}s, a line of JSON each, and answers each with an {@link Answer}. A process
 * of its own when the run is one of benchmarks, and a thread where a test only wants to see that all of it works.
 */
final class Worker {
    /** Answers begin so; libraries may print, too. */
    static final String ANSWER = "answer ";

    /** How many requests are under way while many locks are taken. */
    private static final int TAKING = 500;

    private final Contestant.Maker maker;
    private final String address;
    private final Duration term;
    private final boolean async;
    private final Gson gson = new Gson();
    private final List<Grip> held = new ArrayList<>();
    private final Map<String, Grip> taken = new HashMap<>();
    private final AtomicLong keys = new AtomicLong();
    private final Map<String, CompletableFuture<Long>> asked = new ConcurrentHashMap<>();

    private @Nullable Contestant connected;

    private Worker(Contestants.Entry entry, String address, Duration term) {
        this.maker = entry.maker();
        this.async = entry.can(Ability.ASYNC);
        this.address = address;
        this.term = term;
    }

    private Contestant connect() throws Exception {
        Contestant made = maker.connect(address, term);
        connected = made;
        return made;
    }

    private Contestant contestant() {
        if (connected == null) {
            throw new IllegalStateException("not connected");
        }
        return connected;
    }

    /**
     * Runs the program.
     *
     * @param arguments contestant, address, term in milliseconds, whether it connects only with its first task
     */
    public static void main(String[] arguments) throws Exception {
        serve(
                arguments[0],
                arguments[1],
                Duration.ofMillis(Long.parseLong(arguments[2])),
                Boolean.parseBoolean(arguments[3]),
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)),
                System.out);
        System.exit(0); // threads of libraries may be left
    }

    /** Connects, unless that is its first task; says that it is there, and does what it is told until its input ends. */
    static void serve(String id, String address, Duration term, boolean unconnected, BufferedReader in, PrintStream out)
            throws IOException {
        Worker worker = new Worker(Contestants.of(id), address, term);
        Gson gson = new Gson();
        try {
            if (!unconnected) {
                worker.connect();
            }
        } catch (Exception e) {
            say(out, gson.toJson(Answer.failed("could not connect: " + e)));
            return;
        }
        say(out, gson.toJson(Answer.done()));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Task task = gson.fromJson(line, Task.class);
            if (task.act() == Task.Act.END) {
                break;
            }
            say(out, worker.answer(task));
        }
        if (worker.connected != null) {
            worker.connected.close();
        }
        say(out, gson.toJson(Answer.done()));
    }

    private static void say(PrintStream out, String answer) {
        out.println(ANSWER + answer);
        out.flush();
    }

    private String answer(Task task) {
        try {
            return gson.toJson(carryOut(task));
        } catch (Exception e) {
            Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
            return gson.toJson(Answer.failed(cause.toString()));
        }
    }

    private Answer carryOut(Task task) throws Exception {
        switch (task.act()) {
            case CYCLES -> {
                return cycles(task, this::takeAndGive);
            }
            case ONCE -> {
                return cycles(task, key -> contestant().once(key, Worker::now));
            }
            case ONCE_FRESH -> {
                return cycles(task, key -> contestant().once(key + "-" + keys.incrementAndGet(), Worker::now));
            }
            case MEET -> {
                return meet(task);
            }
            case ASYNC -> {
                return async(task);
            }
            case FIRST -> {
                return first(task);
            }
            case HOLD -> hold(task.lock(), task.count());
            case WAIT -> waitFor(task.lock(), task.count());
            case TAKE -> taken.put(task.lock(), contestant().acquire(task.lock()));
            case GIVE -> {
                Grip grip = taken.remove(task.lock());
                if (grip == null) {
                    throw new IllegalStateException(task.lock() + " was not taken");
                }
                long begin = System.nanoTime();
                grip.release();
                return Answer.at(begin);
            }
            case ASK -> {
                long begin = System.nanoTime();
                ask(task.lock());
                return Answer.at(begin);
            }
            case AWAIT -> {
                CompletableFuture<Long> answer = asked.remove(task.lock());
                if (answer == null) {
                    throw new IllegalStateException(task.lock() + " was not asked for");
                }
                return Answer.at(answer.get(Math.max(1, task.millis()), TimeUnit.MILLISECONDS));
            }
            case HEAP -> {
                return Answer.of(heapInUse());
            }
            case CPU -> {
                return Answer.of(cpuNanos());
            }
            case THREADS -> {
                return Answer.of(ManagementFactory.getThreadMXBean().getThreadCount());
            }
            case COMPILED -> {
                return Answer.of(ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
            }
            case END -> throw new AssertionError("ends in serve");
        }
        return Answer.done();
    }

    // ---- cycles

    private static final class Lane {
        final Histogram histogram = new Histogram();
        long all;
        /** By its thread, in all. */
        long allocated;
    }

    /** What is done again and again. */
    private interface Cycle {
        void run(String lock) throws Exception;
    }

    private void takeAndGive(String lock) throws Exception {
        contestant().acquire(lock).release();
    }

    /** Work that takes no time: its result is the moment of its end. */
    private static String now() {
        return Long.toString(System.nanoTime());
    }

    private Answer cycles(Task task, Cycle cycle) throws Exception {
        Lane[] lanes = new Lane[task.count()];
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        CountDownLatch ready = new CountDownLatch(task.count());
        CountDownLatch go = new CountDownLatch(1);
        long[] window = new long[2];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < lanes.length; i++) {
            Lane lane = new Lane();
            lanes[i] = lane;
            String lock = nameOf(task, i);
            threads.add(Threads.start(task.virtual(), () -> {
                ready.countDown();
                try {
                    go.await();
                    repeat(cycle, lock, lane, window[0], window[1], task.least());
                    lane.allocated = allocated(Thread.currentThread().getId());
                } catch (Exception e) {
                    failure.compareAndSet(null, e);
                }
            }));
        }
        ready.await();
        long before = allocatedByOthers(threads);
        window[0] = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(task.warmMillis());
        window[1] = window[0] + TimeUnit.MILLISECONDS.toNanos(task.millis());
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        Exception failed = failure.get();
        if (failed != null) {
            throw failed;
        }
        long byLanes = Arrays.stream(lanes).mapToLong(lane -> lane.allocated).sum();
        return sum(lanes).with(byLanes + allocatedByOthers(threads) - before);
    }

    /** The clock runs from before the connect; the value is the time until the first lease is there. */
    private Answer first(Task task) throws Exception {
        Lane lane = new Lane();
        long begin = System.nanoTime();
        long until = begin + TimeUnit.MILLISECONDS.toNanos(task.millis());
        Contestant contestant = connect();
        long asked = System.nanoTime();
        Grip grip = contestant.acquire(task.lock());
        long obtained = System.nanoTime();
        grip.release();
        count(lane, asked, System.nanoTime(), begin, until, 1);
        repeat(this::takeAndGive, task.lock(), lane, begin, until, task.least());
        return sum(new Lane[] {lane}).with(obtained - begin);
    }

    private static String nameOf(Task task, int index) {
        return task.shared() ? task.lock() : task.lock() + "-" + index;
    }

    /** Until the window is over. What ends later is not in the histogram, but for the least that is to be. */
    private static void repeat(Cycle cycle, String lock, Lane lane, long from, long until, int least) throws Exception {
        for (long begin = System.nanoTime(); begin - until < 0 || lane.all < least; ) {
            cycle.run(lock);
            long end = System.nanoTime();
            count(lane, begin, end, from, until, least);
            begin = end;
        }
    }

    private static void count(Lane lane, long begin, long end, long from, long until, int least) {
        lane.all++;
        if ((end - from >= 0 && end - until < 0) || lane.all <= least) {
            lane.histogram.add(end - begin);
        }
    }

    private static Answer sum(Lane[] lanes) {
        Histogram counted = new Histogram();
        long all = 0;
        long slowest = Long.MAX_VALUE;
        long fastest = 0;
        for (Lane lane : lanes) {
            counted.add(lane.histogram);
            all += lane.all;
            slowest = Math.min(slowest, lane.histogram.total());
            fastest = Math.max(fastest, lane.histogram.total());
        }
        return Answer.of(all, slowest, fastest, counted);
    }

    private Answer async(Task task) throws InterruptedException, ExecutionException {
        Lane[] lanes = new Lane[task.count()];
        CompletableFuture<?>[] ends = new CompletableFuture<?>[task.count()];
        long from = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(task.warmMillis());
        long until = from + TimeUnit.MILLISECONDS.toNanos(task.millis());
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Lane();
            CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
            ends[i] = end;
            next(nameOf(task, i), i, lanes[i], from, until, task.least(), end);
        }
        CompletableFuture.allOf(ends).get();
        return sum(lanes);
    }

    private void next(
            String lock,
            int actor,
            Lane lane,
            long from,
            long until,
            int least,
            CompletableFuture<@Nullable Void> end) {
        long begin = System.nanoTime();
        if (begin - until >= 0 && lane.all >= least) {
            end.complete(null);
            return;
        }
        contestant()
                .acquireAsync(lock, actor + 1L)
                .thenCompose(Grip::releaseAsync)
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        end.completeExceptionally(failure);
                        return;
                    }
                    count(lane, begin, System.nanoTime(), from, until, least);
                    next(lock, actor, lane, from, until, least, end);
                });
    }

    // ---- work that is done once

    /** The value is what the work has returned, which all callers must have; latencies count from its end. */
    private Answer meet(Task task) throws Exception {
        Contestant contestant = contestant();
        Supplier<String> work = () -> {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(task.millis()));
            return now();
        };
        CountDownLatch go = new CountDownLatch(1);
        List<CompletableFuture<long[]>> calls = new ArrayList<>();
        for (int i = 0; i < task.count(); i++) {
            CompletableFuture<long[]> call = new CompletableFuture<>();
            calls.add(call);
            Threads.start(false, () -> {
                try {
                    go.await();
                    long begin = System.nanoTime();
                    long result = Long.parseLong(contestant.once(task.lock(), work));
                    call.complete(new long[] {result, System.nanoTime() - Math.max(begin, result)});
                } catch (Exception e) {
                    call.completeExceptionally(e);
                }
            });
        }
        go.countDown();
        Histogram histogram = new Histogram();
        long result = calls.get(0).get()[0];
        for (CompletableFuture<long[]> call : calls) {
            if (call.get()[0] != result) {
                throw new IllegalStateException(task.lock() + " was done twice");
            }
            histogram.add(call.get()[1]);
        }
        return Answer.of(task.count(), 0, 0, histogram).with(result);
    }

    // ---- holding and waiting

    private void hold(String prefix, int count) throws Exception {
        Contestant contestant = contestant();
        if (!async) {
            for (int i = 0; i < count; i++) {
                held.add(contestant.acquire(prefix + "-" + i));
            }
            return;
        }
        Semaphore room = new Semaphore(TAKING);
        List<CompletableFuture<Grip>> all = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            room.acquire();
            all.add(contestant
                    .acquireAsync(prefix + "-" + i, i + 1L)
                    .whenComplete((grip, failure) -> room.release())
                    .toCompletableFuture());
        }
        for (CompletableFuture<Grip> each : all) {
            held.add(each.get());
        }
    }

    private void waitFor(String lock, int count) throws InterruptedException {
        Contestant contestant = contestant();
        for (int i = 0; i < count; i++) {
            if (async) {
                contestant.acquireAsync(lock, i + 1L);
            } else {
                Threads.start(false, () -> {
                    try {
                        contestant.acquire(lock);
                    } catch (Exception e) {
                        // The process is about to end.
                    }
                });
            }
        }
    }

    private void ask(String lock) throws InterruptedException {
        Contestant contestant = contestant();
        CompletableFuture<Long> obtained = new CompletableFuture<>();
        asked.put(lock, obtained);
        CountDownLatch running = new CountDownLatch(1);
        Threads.start(false, () -> {
            running.countDown();
            try {
                Grip grip = contestant.join(lock);
                obtained.complete(System.nanoTime());
                grip.release();
            } catch (Exception e) {
                obtained.completeExceptionally(e);
            }
        });
        running.await();
    }

    // ---- the process

    private static long heapInUse() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    /** What the other threads that live have allocated so far, in bytes: those of the client among them. */
    private static long allocatedByOthers(List<Thread> these) {
        Set<Long> left = these.stream().map(Thread::getId).collect(Collectors.toSet());
        return Arrays.stream(ManagementFactory.getThreadMXBean().getAllThreadIds())
                .filter(id -> !left.contains(id))
                .map(Worker::allocated)
                .sum();
    }

    /** By a thread so far, in bytes; 0 where that is not known, as of a virtual thread: its carrier's count has it. */
    private static long allocated(long thread) {
        return ManagementFactory.getThreadMXBean() instanceof com.sun.management.ThreadMXBean known
                ? Math.max(0, known.getThreadAllocatedBytes(thread))
                : 0;
    }

    /** Of this process so far; 0 where that is not known. */
    static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean known
                ? known.getProcessCpuTime()
                : 0;
    }
}
