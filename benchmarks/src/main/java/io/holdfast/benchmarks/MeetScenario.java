package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contestants.Contestants;
import io.holdfast.benchmarks.contestants.Contestants.Ability;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Callers of several processes that meet at work that is done once. */
final class MeetScenario implements Scenario {
    private static final Duration TERM = Duration.ofSeconds(30);
    private static final long LIMIT_MILLIS = 30_000;
    private static final int PROCESSES = 4;
    private static final int CALLERS = 8;
    /** So long that all have come before it ends, on a busy machine, too. */
    private static final long WORK_MILLIS = 20;
    /** Meetings are long beside handoffs, and each has many latencies. */
    private static final int HANDOFFS_FOR_A_MEETING = 4;

    @Override
    public String id() {
        return "once-meet";
    }

    @Override
    public String title() {
        return "Work that is done once, 32 callers meet";
    }

    @Override
    public String meaning() {
        return "Eight threads in each of four processes call at the same time for a fresh key. One thread works for 20"
                + " ms, and all get its result. The benchmark checks that all results are the same. A caller's time is"
                + " from the end of the work, or from its own call if that came later, until it has the result. By"
                + " hand, callers that wait ask again every 10 ms; a longer pause takes fewer requests and more time.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(
                Metric.lower("p50", "p50 µs", 1),
                Metric.lower("p90", "p90 µs", 1),
                Metric.lower("p99", "p99 µs", 1),
                Metric.lower("max", "max µs", 0),
                Metric.lower("requests", "requests a caller", 2),
                Metric.lower("cpu", "server CPU µs a caller", 1),
                Metric.lower("clientCpu", "client CPU µs a caller", 1));
    }

    @Override
    public List<String> references() {
        return Scenarios.ONCE_BY_HAND;
    }

    @Override
    public List<String> contestants(int size) {
        return Contestants.forScenario(id()).stream()
                .filter(each -> each.can(Ability.ONCE))
                .map(Contestants.Entry::id)
                .toList();
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        RedisServer server = RedisServer.start();
        MeetSession session = new MeetSession(Contestants.of(contestant), server, stage.scale());
        for (int i = 0; i < PROCESSES; i++) {
            session.members.add(stage.crew().start(contestant, server.url(), TERM));
        }
        return session;
    }

    private static final class MeetSession implements Session {
        final List<Crew.Member> members = new ArrayList<>();
        private final Contestants.Entry entry;
        private final RedisServer server;
        private final Scale scale;
        private int number;

        MeetSession(Contestants.Entry entry, RedisServer server, Scale scale) {
            this.entry = entry;
            this.server = server;
            this.scale = scale;
        }

        @Override
        public void warm() {
            members.forEach(Crew.Member::awaitStart);
            Warming.of(members, scale.warmings() * members.size(), scale.warmMillis(), this::meetFor);
        }

        private void meetFor(long millis) {
            Histogram ignored = new Histogram();
            for (long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis); System.nanoTime() - end < 0; ) {
                meet(ignored);
            }
        }

        private void meet(Histogram histogram) {
            Task task = Task.of(Task.Act.MEET, "meet-" + number++, scale.loaded(CALLERS))
                    .lasting(0, WORK_MILLIS);
            members.forEach(member -> member.send(task));
            List<Answer> answers = new ArrayList<>();
            members.forEach(member -> answers.add(member.receive(LIMIT_MILLIS)));
            if (answers.stream().mapToLong(Answer::value).distinct().count() != 1) {
                throw new Crew.Failed("processes have results that differ: " + answers);
            }
            for (Answer answer : answers) {
                if (answer.histogram() != null) {
                    histogram.add(Histogram.of(answer.histogram()));
                }
            }
        }

        @Override
        public Sample measure() {
            Histogram histogram = new Histogram();
            ServerCounts before = ServerCounts.of(server, entry.requests());
            long cpuBefore = Crew.sumOf(members, Task.Act.CPU, LIMIT_MILLIS);
            for (int i = 0; i < Math.max(1, scale.handoffs() / HANDOFFS_FOR_A_MEETING); i++) {
                meet(histogram);
            }
            double cpu = Crew.sumOf(members, Task.Act.CPU, LIMIT_MILLIS) - cpuBefore;
            ServerCounts spent = ServerCounts.of(server, entry.requests()).since(before);
            double callers = histogram.total();
            Map<String, Double> values = new LinkedHashMap<>();
            values.put("cycles", callers);
            values.put("p50", histogram.at(0.5) / 1e3);
            values.put("p90", histogram.at(0.9) / 1e3);
            values.put("p99", histogram.at(0.99) / 1e3);
            values.put("max", histogram.max() / 1e3);
            values.put("requests", spent.requests() / callers);
            values.put("commands", spent.commands() / callers);
            values.put("cpu", spent.cpuMicros() / callers);
            values.put("clientCpu", cpu / 1e3 / callers);
            return new Sample(values, histogram.sparse());
        }

        @Override
        public void close() {
            members.forEach(Crew.Member::close);
            server.close();
        }
    }
}
