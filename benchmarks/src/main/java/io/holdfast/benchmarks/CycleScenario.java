package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contestants.Contestants;
import io.holdfast.benchmarks.contestants.Contestants.Ability;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Cycles of acquire and release, as fast as a contestant can.
 *
 * @param task without times; its count is what the scale may make smaller
 * @param processes how many, each with that task
 * @param abilities that a contestant needs
 * @param trips whether the round trips take part, each in one thread
 * @param cold whether each measurement has processes of its own, which have done nothing before
 * @param growing whether the number of requests grows, and is divided among the processes
 */
record CycleScenario(
        String id,
        String title,
        String meaning,
        Task task,
        int processes,
        List<Ability> abilities,
        boolean trips,
        boolean cold,
        boolean growing,
        List<String> references)
        implements Scenario {
    private static final Duration TERM = Duration.ofSeconds(30);
    private static final long DRAIN_MILLIS = 60_000;
    /** More waiters than this make some peers take longer than anybody would wait. */
    private static final int MOST_OF_PEERS = 1_000;

    @Override
    public List<Metric> metrics() {
        List<Metric> metrics = new ArrayList<>();
        metrics.add(Metric.higher("rate", "cycles/s", 0));
        if (growing) {
            metrics.set(0, Metric.lower("handoff", "µs a cycle", 1));
        } else {
            metrics.add(Metric.lower("p50", "p50 µs", 1));
            metrics.add(Metric.lower("p90", "p90 µs", 1));
            metrics.add(Metric.lower("p99", "p99 µs", 1));
            metrics.add(Metric.lower("max", "max µs", 0));
        }
        if (processes > 1 && !growing) {
            metrics.add(Metric.higher("share", "slowest thread's share %", 1));
        }
        metrics.add(Metric.lower("requests", "requests a cycle", 2));
        metrics.add(Metric.lower("cpu", "server CPU µs a cycle", 1));
        metrics.add(Metric.lower("clientCpu", "client CPU µs a cycle", 1));
        if (countsAllocation()) {
            metrics.add(Metric.lower("allocated", "client kB allocated a cycle", 2));
            metrics.add(Metric.lower("heap", "client heap afterwards, MB", 1));
        }
        return metrics;
    }

    /** Where each thread has a lock of its own: a cycle then has the same steps each time. Virtual threads are not counted. */
    private boolean countsAllocation() {
        return task.act() == Task.Act.CYCLES && !task.shared() && !task.virtual();
    }

    @Override
    public List<Integer> sizes(Scale scale) {
        return growing ? scale.queues() : List.of(0);
    }

    @Override
    public String sizeWord() {
        return "waiting";
    }

    @Override
    public List<String> contestants(int size) {
        return Contestants.forScenario(id()).stream()
                .filter(each -> each.can(abilities.toArray(Ability[]::new)) || (trips && each.can(Ability.TRIP)))
                .map(Contestants.Entry::id)
                .filter(each -> size <= MOST_OF_PEERS || each.startsWith("holdfast"))
                .filter(each -> !growing || !each.equals("redisson-fenced")) // waits as Redisson's lock does
                .toList();
    }

    @Override
    public @Nullable String obstacle(Stage stage) {
        return task.virtual() && stage.newJdk() == null
                ? "virtual threads need a JDK of 21 or later, which --jdk25 would name"
                : null;
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        Contestants.Entry entry = Contestants.of(contestant);
        Scale scale = stage.scale();
        RedisServer server = RedisServer.start();
        Supplier<Crew.Member> starting = () -> task.virtual()
                ? stage.crew().startProcess(contestant, server.url(), TERM, stage.newJdk())
                : stage.crew().start(contestant, server.url(), TERM);
        int members = entry.can(Ability.TRIP) ? 1 : processes;
        IntUnaryOperator share = i -> {
            if (entry.can(Ability.TRIP)) {
                return 1;
            }
            // One more than wait: the one that holds the lock.
            return growing ? (size + 1 + i) / processes : scale.loaded(task.count());
        };
        CycleSession session = new CycleSession(entry, server, starting, members, share, scale, size);
        if (!cold) {
            session.start();
        }
        return session;
    }

    private final class CycleSession implements Session {
        private final Contestants.Entry entry;
        private final RedisServer server;
        private final Supplier<Crew.Member> starting;
        private final int count;
        private final List<Crew.Member> members = new ArrayList<>();
        private final IntUnaryOperator share;
        private final Scale scale;
        private final long queueMillis;

        CycleSession(
                Contestants.Entry entry,
                RedisServer server,
                Supplier<Crew.Member> starting,
                int count,
                IntUnaryOperator share,
                Scale scale,
                int size) {
            this.entry = entry;
            this.server = server;
            this.starting = starting;
            this.count = count;
            this.share = share;
            this.scale = scale;
            this.queueMillis = size / 5; // the line has to form before the clock runs
        }

        void start() {
            for (int i = 0; i < count; i++) {
                members.add(starting.get());
            }
        }

        void end() {
            members.forEach(Crew.Member::close);
            members.clear();
        }

        @Override
        public void warm() {
            if (cold) {
                return;
            }
            members.forEach(Crew.Member::awaitStart);
            // Many queues are measured one after the other, and the server has most of the work: once is enough.
            // Else each process compiles the same code, which takes the longer the more share the machine.
            int warmings = growing ? Math.min(1, scale.warmings()) : scale.warmings() * members.size();
            Warming.of(members, warmings, scale.warmMillis(), this::run);
        }

        private List<Answer> run(long millis) {
            for (int i = 0; i < members.size(); i++) {
                String lock = task.shared() ? "hot" : "own-" + i;
                Task mine = new Task(
                        task.act(),
                        lock,
                        share.applyAsInt(i),
                        task.shared(),
                        task.virtual(),
                        queueMillis,
                        millis,
                        scale.least());
                members.get(i).send(mine);
            }
            List<Answer> answers = new ArrayList<>();
            members.forEach(member -> answers.add(member.receive(queueMillis + millis + DRAIN_MILLIS)));
            return answers;
        }

        @Override
        public Sample measure() {
            if (!cold) {
                return measure(scale.millis());
            }
            start();
            try {
                members.forEach(Crew.Member::awaitStart);
                return measure(scale.coldMillis());
            } finally {
                end();
            }
        }

        private Sample measure(long millis) {
            ServerCounts before = ServerCounts.of(server, entry.requests());
            long cpuBefore = Crew.sumOf(members, Task.Act.CPU, DRAIN_MILLIS);
            List<Answer> answers = run(millis);
            long cpu = Crew.sumOf(members, Task.Act.CPU, DRAIN_MILLIS) - cpuBefore;
            ServerCounts spent = ServerCounts.of(server, entry.requests()).since(before);
            Histogram histogram = new Histogram();
            long all = 0;
            long allocated = 0;
            long slowest = Long.MAX_VALUE;
            long fastest = 0;
            for (Answer answer : answers) {
                if (answer.histogram() != null) {
                    histogram.add(Histogram.of(answer.histogram()));
                }
                all += answer.all();
                allocated += answer.value();
                slowest = Math.min(slowest, answer.slowest());
                fastest = Math.max(fastest, answer.fastest());
            }
            if (histogram.total() == 0) {
                throw new Crew.Failed("no cycle ended within " + millis + " ms, and " + all + " later");
            }
            Map<String, Double> values = new LinkedHashMap<>();
            values.put("cycles", (double) histogram.total());
            values.put("rate", histogram.total() * 1e3 / Math.max(1, millis));
            if (growing) {
                values.put("handoff", millis * 1e3 / histogram.total());
            }
            values.put("p50", histogram.at(0.5) / 1e3);
            values.put("p90", histogram.at(0.9) / 1e3);
            values.put("p99", histogram.at(0.99) / 1e3);
            values.put("max", histogram.max() / 1e3);
            values.put("share", 100.0 * slowest / Math.max(1, fastest));
            values.put("requests", (double) spent.requests() / all);
            values.put("commands", (double) spent.commands() / all);
            values.put("cpu", spent.cpuMicros() / all);
            values.put("clientCpu", cpu / 1e3 / all);
            if (countsAllocation()) {
                values.put("allocated", allocated / 1e3 / all);
                values.put("heap", Crew.sumOf(members, Task.Act.HEAP, DRAIN_MILLIS) / 1e6);
            }
            return new Sample(values, histogram.sparse());
        }

        @Override
        public void close() {
            end();
            server.close();
        }
    }
}
