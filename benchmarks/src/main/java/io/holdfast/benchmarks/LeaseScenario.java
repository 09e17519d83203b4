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

/** What it costs to hold many locks. */
final class LeaseScenario implements Scenario {
    private static final long LIMIT_MILLIS = 180_000;

    @Override
    public String id() {
        return "leases";
    }

    @Override
    public String title() {
        return "Many held locks under renewal";
    }

    @Override
    public String meaning() {
        return "One client holds many locks, and renews them. A measurement takes a third of the lease duration, in"
                + " which each lock is renewed about once. Memory on the server is its growth over the first 10,000"
                + " locks; memory of the client is the growth of its heap, after a garbage collection. The floor is the"
                + " bare renewal: keys and values in lists of a hundred, each sent in one script that compares and"
                + " moves expiries. It has no deadlines.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(
                Metric.lower("clientCpu", "client CPU % of a core", 1),
                Metric.lower("rate", "requests/s", 1),
                Metric.lower("bytes", "kB/s", 0),
                Metric.lower("cpu", "server CPU % of a core", 1),
                Metric.lower("memory", "server bytes a lock", 0),
                Metric.lower("heap", "client bytes a lock", 0));
    }

    @Override
    public List<String> references() {
        return List.of("redisson-lock", "floor-renewal-lettuce", "floor-renewal-jedis");
    }

    @Override
    public List<Integer> sizes(Scale scale) {
        return List.of(scale.leases());
    }

    @Override
    public String sizeWord() {
        return "held";
    }

    @Override
    public List<String> contestants(int size) {
        return Contestants.forScenario(id()).stream()
                .filter(each -> each.can(Ability.RENEWS))
                .map(Contestants.Entry::id)
                .filter(each -> !each.equals("redisson-fenced") && !each.equals("spring-spin")) // renew as their kin do
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
        Scale scale = stage.scale();
        Duration term = Duration.ofSeconds(scale.leaseTermSeconds());
        RedisServer server = RedisServer.start();
        Crew.Member member = stage.crew().start(contestant, server.url(), term);
        return new Session() {
            private double memory;
            private double heap;

            @Override
            public void warm() {
                member.awaitStart();
                member.carryOut(Task.of(Task.Act.HOLD, "before", 1), LIMIT_MILLIS);
                long heapBefore = member.value(Task.Act.HEAP, LIMIT_MILLIS);
                long before = ServerCounts.usedMemory(server);
                member.carryOut(Task.of(Task.Act.HOLD, "first", scale.firstLeases()), LIMIT_MILLIS);
                memory = (double) (ServerCounts.usedMemory(server) - before) / scale.firstLeases();
                member.carryOut(Task.of(Task.Act.HOLD, "others", size - scale.firstLeases()), LIMIT_MILLIS);
                heap = (double) (member.value(Task.Act.HEAP, LIMIT_MILLIS) - heapBefore) / size;
                awaitThird(); // each has been renewed once before anything is counted
            }

            /** A third of the term: the time in which each is renewed about once. */
            private void awaitThird() {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(term.toMillis() / 3));
            }

            @Override
            public Sample measure() {
                ServerCounts before = ServerCounts.of(server, entry.requests());
                long cpuBefore = member.value(Task.Act.CPU, LIMIT_MILLIS);
                long begin = System.nanoTime();
                awaitThird();
                long cpu = member.value(Task.Act.CPU, LIMIT_MILLIS) - cpuBefore;
                ServerCounts spent = ServerCounts.of(server, entry.requests()).since(before);
                double seconds = (System.nanoTime() - begin) / 1e9;
                Map<String, Double> values = new LinkedHashMap<>();
                values.put("clientCpu", cpu / 1e7 / seconds);
                values.put("rate", spent.requests() / seconds);
                values.put("bytes", spent.bytes() / 1e3 / seconds);
                values.put("cpu", spent.cpuMicros() / 1e4 / seconds);
                values.put("memory", memory);
                values.put("heap", heap);
                return new Sample(values, null);
            }

            @Override
            public void close() {
                member.close();
                server.close();
            }
        };
    }
}
