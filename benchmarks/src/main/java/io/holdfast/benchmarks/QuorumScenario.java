package io.holdfast.benchmarks;

import io.holdfast.Backoff;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * How long it takes to obtain a lock that several clients want all the time, of a quorum, which has no queue. Each client has
 * connections of its own; all of them are in this process.
 *
 * @param hold how long each lease is held
 */
record QuorumScenario(String id, Duration hold) implements Scenario {
    static final String ONE = "one-server";
    static final String THREE = "quorum-of-3";
    static final String FIVE = "quorum-of-5";
    private static final String SHORT = "quorum-of-3-short";
    private static final String LONG = "quorum-of-3-long";

    private static final LockOptions LOCK = LockOptions.defaults().withWaitLimit(Wait.forever());
    /** Windows are longer than for rates: the tail is looked for. */
    private static final int LONGER = 4;

    private static final int MOST_WARMINGS = 4;

    @Override
    public String title() {
        return hold.isZero()
                ? "A lock of a quorum that several clients want"
                : "A lock of a quorum that several clients want, held for " + hold.toMillis() + " ms";
    }

    @Override
    public String meaning() {
        return "So many clients, each with one thread, acquire one lock, "
                + (hold.isZero() ? "" : "hold it for " + hold.toMillis() + " ms, ")
                + "release it, and ask again at once. The times are of acquiring alone. A round asks all nodes once; one that"
                + " obtains no majority is lost. The row of one server is the floor: its queue decides whose turn it is. The"
                + " share is what the client with the fewest leases got of what the one with the most got.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(
                Metric.lower("p50", "p50 ms", 2),
                Metric.lower("p90", "p90 ms", 2),
                Metric.lower("p99", "p99 ms", 1),
                Metric.lower("max", "max ms", 0),
                Metric.higher("rate", "leases/s", 0),
                Metric.lower("rounds", "rounds a lease", 2),
                Metric.lower("lost", "lost rounds a lease", 2),
                Metric.lower("most", "most rounds", 0),
                Metric.higher("share", "share %", 0));
    }

    @Override
    public List<String> references() {
        return List.of(ONE);
    }

    @Override
    public List<Integer> sizes(Scale scale) {
        return scale.clients();
    }

    @Override
    public String sizeWord() {
        return "clients";
    }

    @Override
    public List<String> contestants(int size) {
        return List.of(ONE, THREE, FIVE, SHORT, LONG);
    }

    @Override
    public String label(String contestant) {
        return switch (contestant) {
            case ONE -> "one server, a queue";
            case THREE -> "3 servers";
            case FIVE -> "5 servers";
            case SHORT -> "3 servers, backoff 5 to 50 ms";
            case LONG -> "3 servers, backoff 100 ms to 1 s";
            default -> contestant;
        };
    }

    @Override
    public boolean isInTurn() {
        return false;
    }

    @Override
    public int rounds(Scale scale) {
        return scale.slowRounds();
    }

    private static QuorumOptions options(String contestant) {
        QuorumOptions defaults = QuorumOptions.defaults();
        return switch (contestant) {
            case SHORT -> defaults.withBackoff(jittered(5, 50));
            case LONG -> defaults.withBackoff(jittered(100, 1_000));
            default -> defaults;
        };
    }

    private static Backoff jittered(int first, int longest) {
        return Backoff.exponential(Duration.ofMillis(first), Duration.ofMillis(longest))
                .withJitter(0.9);
    }

    /** One client, which one thread uses, and what it counted. */
    private static final class Client implements HoldfastListener {
        private final DistributedLock lock;
        private final Runnable closing;
        private Histogram latencies = new Histogram();
        private final LongAdder rounds = new LongAdder();
        private final LongAccumulator most = new LongAccumulator(Math::max, 0);

        Client(String contestant, List<RedisServer> servers) {
            HoldfastOptions client = HoldfastOptions.defaults()
                    .withLockDefaults(LOCK)
                    .withListener(this)
                    .withExecutor(Runnable::run); // before the call returns
            if (contestant.equals(ONE)) {
                Holdfast one = Holdfast.over(Looking.driver(servers.get(0)), client);
                lock = one.lock("hot");
                closing = one::close;
            } else {
                List<QuorumNode> nodes = servers.stream()
                        .map(server -> QuorumNode.over(Looking.driver(server)))
                        .toList();
                Quorum quorum = Quorum.connect(nodes, options(contestant).withClient(client));
                lock = quorum.lock("hot");
                closing = quorum::close;
            }
        }

        @Override
        public void on(LockEvent event) {
            if (event instanceof LockEvent.Obtained obtained) {
                rounds.add(obtained.attempts());
                most.accumulate(obtained.attempts());
            }
        }

        void forget() {
            latencies = new Histogram();
            rounds.reset();
            most.reset();
        }

        /** Its last request begins before the end: waits that are longer than the window are in. */
        void work(long untilNanos, long holdNanos, int least) throws InterruptedException {
            for (int i = 0; i < least || System.nanoTime() - untilNanos < 0; i++) {
                long begin = System.nanoTime();
                Lease lease = lock.acquire();
                long obtained = System.nanoTime();
                latencies.add(obtained - begin);
                while (System.nanoTime() - obtained < holdNanos) {
                    LockSupport.parkNanos(holdNanos - (System.nanoTime() - obtained));
                }
                lease.release();
            }
        }

        void close() {
            closing.run();
        }
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        int nodes = contestant.equals(ONE) ? 1 : contestant.equals(FIVE) ? 5 : 3;
        List<RedisServer> servers =
                IntStream.range(0, nodes).mapToObj(i -> RedisServer.start()).toList();
        Scale scale = stage.scale();
        return new Session() {
            private final List<Client> clients = new ArrayList<>();

            @Override
            public void warm() throws Exception {
                servers.forEach(RedisServer::admit); // no quarantine
                for (int i = 0; i < size; i++) {
                    clients.add(new Client(contestant, servers));
                }
                for (int i = 0; i < Math.min(MOST_WARMINGS, scale.warmings()); i++) {
                    work(scale.warmMillis());
                }
            }

            private void work(long millis) throws Exception {
                AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
                CyclicBarrier begin = new CyclicBarrier(clients.size());
                List<Thread> threads = new ArrayList<>();
                for (Client client : clients) {
                    client.forget();
                    threads.add(Threads.start(false, () -> {
                        try {
                            begin.await();
                            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
                            client.work(until, hold.toNanos(), scale.least());
                        } catch (Exception | Error e) {
                            failure.compareAndSet(null, e);
                        }
                    }));
                }
                for (Thread each : threads) {
                    each.join();
                }
                Throwable failed = failure.get();
                if (failed != null) {
                    throw new Crew.Failed(String.valueOf(failed));
                }
            }

            @Override
            public Sample measure() throws Exception {
                long begin = System.nanoTime();
                work(LONGER * scale.millis());
                double seconds = (System.nanoTime() - begin) / 1e9;
                Histogram all = new Histogram();
                clients.forEach(each -> all.add(each.latencies));
                double rounds =
                        clients.stream().mapToLong(each -> each.rounds.sum()).sum();
                double leases = all.total();
                double fewest = leasesOfEach().min().orElseThrow();
                double most = leasesOfEach().max().orElseThrow();
                Map<String, Double> values = new LinkedHashMap<>();
                values.put("cycles", leases);
                values.put("p50", all.at(0.5) / 1e6);
                values.put("p90", all.at(0.9) / 1e6);
                values.put("p99", all.at(0.99) / 1e6);
                values.put("max", all.max() / 1e6);
                values.put("rate", leases / seconds);
                values.put("rounds", rounds / leases);
                values.put("lost", rounds / leases - 1);
                values.put("most", (double) clients.stream()
                        .mapToLong(each -> each.most.get())
                        .max()
                        .orElseThrow());
                values.put("share", 100 * fewest / most);
                return new Sample(values, all.sparse());
            }

            private LongStream leasesOfEach() {
                return clients.stream().mapToLong(each -> each.latencies.total());
            }

            @Override
            public void close() {
                clients.forEach(Client::close);
                servers.forEach(RedisServer::close);
            }
        };
    }
}
