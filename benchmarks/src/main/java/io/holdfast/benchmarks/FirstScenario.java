package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contestants.Contestants;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a process gets that has just begun. */
final class FirstScenario implements Scenario {
    private static final Duration TERM = Duration.ofSeconds(30);
    private static final long LIMIT_MILLIS = 60_000;
    private static final List<String> CONTESTANTS = List.of(
            "holdfast-lettuce", "holdfast-jedis", "redisson-lock", "spring-pubsub", "floor-lettuce", "floor-jedis");

    @Override
    public String id() {
        return "first";
    }

    @Override
    public String title() {
        return "The first seconds of a process";
    }

    @Override
    public String meaning() {
        return "Each measurement has a fresh JVM, which has run nothing of the library. The time is from just before it"
                + " connects until it has its first lease. Then one thread acquires and releases a lock that no other"
                + " client wants. The measurement takes five seconds (two in a quick run), starting with the connect.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(
                Metric.lower("lease", "ms to the first lease", 0),
                Metric.higher("rate", "cycles/s from the connect on", 0),
                Metric.lower("p50", "p50 µs", 1),
                Metric.lower("p99", "p99 µs", 1));
    }

    @Override
    public List<String> references() {
        return List.of("floor-lettuce", "floor-jedis", "redisson-lock", "spring-pubsub");
    }

    @Override
    public List<String> contestants(int size) {
        return Contestants.forScenario(id()).stream()
                .map(Contestants.Entry::id)
                .filter(CONTESTANTS::contains)
                .toList();
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        RedisServer server = RedisServer.start();
        return new Session() {
            @Override
            public Sample measure() {
                Task task = Task.of(Task.Act.FIRST, "first")
                        .lasting(0, stage.scale().firstMillis());
                Answer answer;
                try (Crew.Member member = stage.crew().startUnconnected(contestant, server.url(), TERM)) {
                    member.awaitStart();
                    answer = member.carryOut(task, task.millis() + LIMIT_MILLIS);
                }
                if (answer.histogram() == null) {
                    throw new Crew.Failed("no cycle was counted");
                }
                Histogram histogram = Histogram.of(answer.histogram());
                Map<String, Double> values = new LinkedHashMap<>();
                values.put("lease", answer.value() / 1e6);
                values.put("cycles", (double) histogram.total());
                values.put("rate", histogram.total() * 1e3 / task.millis());
                values.put("p50", histogram.at(0.5) / 1e3);
                values.put("p99", histogram.at(0.99) / 1e3);
                return new Sample(values, histogram.sparse());
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }
}
