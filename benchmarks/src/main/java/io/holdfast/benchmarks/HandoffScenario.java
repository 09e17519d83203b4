package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contestants.Contestants;
import io.holdfast.benchmarks.contestants.Contestants.Ability;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** From the release in one process to the return of the acquire in another. */
final class HandoffScenario implements Scenario {
    private static final Duration TERM = Duration.ofSeconds(30);
    private static final long LIMIT_MILLIS = 30_000;
    /** In which who asks comes to wait: nobody tells when that is. */
    private static final long QUEUEING_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

    @Override
    public String id() {
        return "handoff";
    }

    @Override
    public String title() {
        return "Handing over between two processes";
    }

    @Override
    public String meaning() {
        return "One process holds a lock; another one asked for it some milliseconds ago. The time is from the call of"
                + " release in the first to the return of acquire in the second. All processes of a machine share one"
                + " monotonic clock. The floor is one message by PUBLISH. A plain handoff is a script over Lettuce that"
                + " appoints the next waiter and publishes, without any rule for failures.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(
                Metric.lower("p50", "p50 µs", 1),
                Metric.lower("p90", "p90 µs", 1),
                Metric.lower("p99", "p99 µs", 1),
                Metric.lower("max", "max µs", 0));
    }

    @Override
    public List<String> references() {
        return List.of("hop", "hop-script", "redisson-fair");
    }

    @Override
    public List<String> contestants(int size) {
        return Contestants.forScenario(id()).stream()
                .filter(each -> each.can(Ability.WAITS) || each.can(Ability.HOP))
                .map(Contestants.Entry::id)
                .toList();
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        RedisServer server = RedisServer.start();
        Crew.Member holder = stage.crew().start(contestant, server.url(), TERM);
        Crew.Member waiter = stage.crew().start(contestant, server.url(), TERM);
        Scale scale = stage.scale();
        return new Session() {
            private int number;

            @Override
            public void warm() {
                holder.awaitStart();
                waiter.awaitStart();
                Warming.of(List.of(holder, waiter), scale.warmings(), scale.warmMillis(), this::handOverFor);
            }

            private void handOverFor(long millis) {
                Histogram ignored = new Histogram();
                for (long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
                        System.nanoTime() - end < 0; ) {
                    ignored.add(handOver(0));
                }
            }

            private long handOver(long queueingNanos) {
                String lock = "handoff-" + number++;
                holder.carryOut(Task.of(Task.Act.TAKE, lock), LIMIT_MILLIS);
                waiter.carryOut(Task.of(Task.Act.ASK, lock), LIMIT_MILLIS);
                LockSupport.parkNanos(queueingNanos);
                long released = holder.carryOut(Task.of(Task.Act.GIVE, lock), LIMIT_MILLIS)
                        .nanos();
                return waiter.carryOut(Task.of(Task.Act.AWAIT, lock).lasting(0, LIMIT_MILLIS), 2 * LIMIT_MILLIS)
                                .nanos()
                        - released;
            }

            @Override
            public Sample measure() {
                Histogram histogram = new Histogram();
                for (int i = 0; i < scale.handoffs(); i++) {
                    histogram.add(handOver(QUEUEING_NANOS));
                }
                return new Sample(
                        Map.of(
                                "cycles", (double) histogram.total(),
                                "p50", histogram.at(0.5) / 1e3,
                                "p90", histogram.at(0.9) / 1e3,
                                "p99", histogram.at(0.99) / 1e3,
                                "max", histogram.max() / 1e3),
                        histogram.sparse());
            }

            @Override
            public void close() {
                holder.close();
                waiter.close();
                server.close();
            }
        };
    }
}
