package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contestants.Contestants;
import io.holdfast.benchmarks.contestants.Contestants.Ability;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What waiters cost while nothing happens. */
final class WaiterScenario implements Scenario {
    private static final Duration TERM = Duration.ofSeconds(30);
    private static final long LIMIT_MILLIS = 60_000;
    private static final long QUEUEING_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** More than this only without a thread for each. */
    private static final int MOST_THREADS = 1_000;
    /** Windows are longer than for rates: little is to happen in them. */
    private static final int LONGER = 3;

    @Override
    public String id() {
        return "waiters";
    }

    @Override
    public String title() {
        return "Waiting in silence";
    }

    @Override
    public String meaning() {
        return "One client holds a lock; another one has many requests for it. The table shows the server's load per"
                + " second from both clients together while nothing happens, and the growth of its memory for each"
                + " waiter. If a library queues inside the process, the server knows only one waiter. Heap is measured after a"
                + " garbage collection. A client's connections are those that are open while its requests wait.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(
                Metric.lower("rate", "requests/s", 1),
                Metric.lower("cpu", "server CPU µs/s", 0),
                Metric.lower("memory", "server bytes for each waiter", 0),
                Metric.lower("heap", "heap bytes for each waiter", 0),
                Metric.lower("threads", "threads of the waiting process", 0),
                Metric.lower("connections", "connections of a client", 1));
    }

    @Override
    public List<String> references() {
        return List.of("redisson-lock", "redisson-fair");
    }

    @Override
    public List<Integer> sizes(Scale scale) {
        return scale.waiters();
    }

    @Override
    public String sizeWord() {
        return "waiting";
    }

    @Override
    public List<String> contestants(int size) {
        return Contestants.forScenario(id()).stream()
                .filter(each -> each.can(Ability.WAITS))
                .filter(each -> size <= MOST_THREADS || each.can(Ability.ASYNC))
                .map(Contestants.Entry::id)
                .filter(each -> !each.equals("redisson-fenced")) // waits as Redisson's lock does
                .toList();
    }

    @Override
    public boolean isInTurn() {
        return false;
    }

    @Override
    public int rounds(Scale scale) {
        return scale.slowRounds();
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        Contestants.Entry entry = Contestants.of(contestant);
        RedisServer server = RedisServer.start();
        Crew.Member holder = stage.crew().start(contestant, server.url(), TERM);
        Crew.Member waiter = stage.crew().start(contestant, server.url(), TERM);
        long millis = LONGER * stage.scale().millis();
        return new Session() {
            private double memory;
            private double heap;

            @Override
            public void warm() {
                holder.awaitStart();
                waiter.awaitStart();
                holder.carryOut(Task.of(Task.Act.TAKE, "hot"), LIMIT_MILLIS);
                // One waiter, and what it subscribes to, is there before.
                waiter.carryOut(Task.of(Task.Act.ASK, "hot"), LIMIT_MILLIS);
                awaitRequests(1);
                long before = ServerCounts.usedMemory(server);
                long heapBefore = waiter.value(Task.Act.HEAP, LIMIT_MILLIS);
                long asked = ServerCounts.of(server, entry.requests()).requests();
                waiter.carryOut(Task.of(Task.Act.WAIT, "hot", size - 1), LIMIT_MILLIS);
                awaitRequests(asked + (entry.can(Ability.ASYNC) ? size - 1 : 0));
                memory = (double) (ServerCounts.usedMemory(server) - before) / (size - 1);
                heap = (double) (waiter.value(Task.Act.HEAP, LIMIT_MILLIS) - heapBefore) / (size - 1);
            }

            /** Until as many requests have come as are to come at least, and for a while no more do. */
            private void awaitRequests(long least) {
                long begin = System.nanoTime();
                long last = -1;
                while (System.nanoTime() - begin < QUEUEING_LIMIT_NANOS) {
                    LockSupport.parkNanos(LOOK_NANOS);
                    long now = ServerCounts.of(server, entry.requests()).requests();
                    if (now >= least && now - last <= 2) {
                        return;
                    }
                    last = now;
                }
            }

            @Override
            public Sample measure() {
                ServerCounts before = ServerCounts.of(server, entry.requests());
                long begin = System.nanoTime();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
                ServerCounts spent = ServerCounts.of(server, entry.requests()).since(before);
                double seconds = (System.nanoTime() - begin) / 1e9;
                Map<String, Double> values = new LinkedHashMap<>();
                values.put("rate", spent.requests() / seconds);
                values.put("cpu", spent.cpuMicros() / seconds);
                values.put("memory", memory);
                values.put("heap", heap);
                values.put("threads", (double) waiter.value(Task.Act.THREADS, LIMIT_MILLIS));
                values.put("connections", ServerCounts.connections(server) / 2.0);
                return new Sample(values, null);
            }

            @Override
            public void close() {
                waiter.close();
                holder.close();
                server.close();
            }
        };
    }
}
