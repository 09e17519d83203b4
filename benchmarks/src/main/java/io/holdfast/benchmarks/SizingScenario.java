package io.holdfast.benchmarks;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.RespClient;
import io.holdfast.lettuce.LettuceDriver;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * What a server has to do for very many clients while nothing is acquired. Each has connections of its own, and what is left at its
 * default costs what it costs by default; they share the threads of a process.
 */
final class SizingScenario implements OwnScenario {
    private static final String IDLE = "sizing-idle";
    private static final String LOCKS = "sizing-locks";
    private static final String WAITS = "sizing-waits";
    private static final String ELECTIONS = "sizing-elections";
    private static final String ALL = "sizing-all";
    private static final Map<String, String> LABELS = Map.of(
            IDLE, "nothing else",
            LOCKS, "each holds 100 locks",
            WAITS, "each holds 10 locks that another waits for",
            ELECTIONS, "each leads in an election and is a candidate in another",
            ALL, "each does all of that");

    private static final int LOCKS_OF_EACH = 100;
    private static final int WAITS_OF_EACH = 10;

    private static final long PING_MILLIS = 50;
    private static final long PATIENCE_SECONDS = 120;

    @Override
    public String id() {
        return "sizing";
    }

    @Override
    public String title() {
        return "Many clients that hold, wait and lead";
    }

    @Override
    public String meaning() {
        return "So many clients, with two connections each, on one server. Nothing is acquired or released meanwhile: it is what"
                + " renewals, waiting and connections cost. A measurement lasts a third of the lease duration, in which each lease"
                + " is renewed about once. The clients run in one process. A PING is sent every 50 ms on a connection of its own, and is in the server's time.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(
                Metric.lower("cpu", "server CPU ms/s", 2),
                Metric.lower("rate", "requests/s", 1),
                Metric.lower("bytes", "kB/s", 1),
                Metric.lower("memory", "server MB", 1),
                Metric.lower("ping", "longest answer to a PING, ms", 1),
                Metric.lower("clientCpu", "CPU of all clients, ms/s", 1),
                Metric.lower("begun", "s until all hold, wait and lead", 2),
                Metric.lower("back", "s until all are back after all connections broke", 2),
                Metric.lower("backCpu", "server CPU ms for that", 0));
    }

    @Override
    public List<Integer> sizes(Scale scale) {
        int most = Math.max(2, scale.leases() / LOCKS_OF_EACH);
        return IntStream.of(most / 100, most / 10, most)
                .filter(size -> size > 1)
                .boxed()
                .toList();
    }

    @Override
    public String sizeWord() {
        return "clients";
    }

    @Override
    public List<String> contestants(int size) {
        return List.of(IDLE, LOCKS, WAITS, ELECTIONS, ALL);
    }

    @Override
    public Map<String, String> labels() {
        return LABELS;
    }

    @Override
    public int rounds(Scale scale) {
        return 1;
    }

    /** What a server has to do with now. */
    private record Present(long connections, long channels) {
        static Present of(RedisServer server) {
            Map<String, String> info = ServerCounts.info(server, "everything");
            return new Present(
                    Long.parseLong(info.getOrDefault("connected_clients", "0")),
                    Long.parseLong(info.getOrDefault("pubsub_channels", "0")));
        }

        boolean isAtLeast(Present other) {
            return connections >= other.connections && channels >= other.channels;
        }
    }

    private record Seen(double longestMillis, long pings) {}

    /** The longest time that a server took to answer, since it was asked for last. */
    private static final class Silence implements AutoCloseable {
        private final RespClient connection;
        private final Thread thread = new Thread(this::run, "silence");
        private long longestNanos;
        private long sent;
        private boolean closed;

        Silence(RedisServer server) {
            connection = RespClient.connect("127.0.0.1", server.port());
            thread.setDaemon(true);
            thread.start();
        }

        private synchronized void run() {
            try {
                while (!closed) {
                    long begin = System.nanoTime();
                    connection.command("PING");
                    longestNanos = Math.max(longestNanos, System.nanoTime() - begin);
                    sent++;
                    wait(PING_MILLIS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** What it has seen since the last call. */
        synchronized Seen take() {
            Seen seen = new Seen(longestNanos / 1e6, sent);
            longestNanos = 0;
            sent = 0;
            return seen;
        }

        @Override
        public void close() throws Exception {
            synchronized (this) {
                closed = true;
                notifyAll();
            }
            thread.join();
            connection.close();
        }
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        LockOptions held = LockOptions.defaults()
                .withLeaseDuration(Duration.ofSeconds(stage.scale().leaseTermSeconds()));
        RedisServer server = RedisServer.start();
        RedisClient redis = RedisClient.create(RedisURI.create(server.url()));
        OneThread timers = new OneThread();
        return new Session() {
            private final List<Holdfast> clients = new ArrayList<>();
            private final List<Lease> leases = new ArrayList<>();
            private final List<CompletableFuture<Lease>> waiting = new ArrayList<>();
            private final List<AutoCloseable> candidates = new ArrayList<>();
            private final CountDownLatch leading = new CountDownLatch(size);
            private double begunSeconds;

            private boolean does(String part) {
                return contestant.equals(part) || contestant.equals(ALL);
            }

            @Override
            public void warm() throws Exception {
                long begin = System.nanoTime();
                HoldfastOptions options =
                        HoldfastOptions.defaults().withExecutor(Runnable::run).withLockDefaults(held);
                for (int i = 0; i < size; i++) {
                    clients.add(Holdfast.over(LettuceDriver.over(redis), options, timers.environment()));
                }
                int locks = does(LOCKS) ? LOCKS_OF_EACH : does(WAITS) ? WAITS_OF_EACH : 0;
                for (int i = 0; i < size; i++) {
                    hold(i, locks);
                }
                for (int i = 0; does(WAITS) && i < size; i++) {
                    waitFor(i);
                }
                if (does(ELECTIONS)) {
                    for (int i = 0; i < size; i++) {
                        stand(i, i);
                    }
                    if (!leading.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                        throw new Crew.Failed(leading.getCount() + " elections have no leader");
                    }
                    for (int i = 0; i < size; i++) {
                        stand(i, (i + 1) % size);
                    }
                }
                begunSeconds = (System.nanoTime() - begin) / 1e9;
                // Each lease has been renewed before anything is counted.
                TimeUnit.MILLISECONDS.sleep(held.leaseDuration().toMillis() / 2);
            }

            /** Requests of one client under way together. Leases that nothing refers to would be dropped. */
            private void hold(int client, int locks) throws Exception {
                List<CompletableFuture<Lease>> asked = new ArrayList<>();
                for (int lock = 0; lock < locks; lock++) {
                    asked.add(clients.get(client).lock(name(client, lock)).acquireAsync());
                }
                for (CompletableFuture<Lease> each : asked) {
                    leases.add(each.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
                }
            }

            private static String name(int client, int lock) {
                return "lock-" + client + "-" + lock;
            }

            /** One client after the other: requests of all at once would time out. An answer comes after those of earlier requests. */
            private void waitFor(int client) throws Exception {
                Holdfast own = clients.get(client);
                for (int lock = 0; lock < WAITS_OF_EACH; lock++) {
                    waiting.add(own.lock(name((client + 1) % size, lock)).acquireAsync(Wait.forever()));
                }
                own.lock("last-" + client)
                        .acquireAsync()
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .release();
            }

            private void stand(int client, int election) {
                candidates.add(
                        clients.get(client).election("election-" + election).campaign(leadership -> {
                            leading.countDown();
                            new CountDownLatch(1).await();
                        }));
            }

            @Override
            public Sample measure() throws Exception {
                Map<String, Double> values = new LinkedHashMap<>();
                try (Silence silence = new Silence(server)) {
                    ServerCounts before = ServerCounts.of(server, List.of());
                    long cpuBefore = Worker.cpuNanos();
                    silence.take();
                    long begin = System.nanoTime();
                    TimeUnit.MILLISECONDS.sleep(held.leaseDuration().toMillis() / 3);
                    Seen seen = silence.take();
                    long cpu = Worker.cpuNanos() - cpuBefore;
                    ServerCounts spent = ServerCounts.of(server, List.of()).since(before);
                    double seconds = (System.nanoTime() - begin) / 1e9;
                    values.put("cpu", spent.cpuMicros() / 1e3 / seconds);
                    values.put("rate", (spent.requests() - seen.pings()) / seconds);
                    values.put("bytes", spent.bytes() / 1e3 / seconds);
                    values.put("memory", ServerCounts.usedMemory(server) / 1e6);
                    values.put("ping", seen.longestMillis());
                    values.put("clientCpu", cpu / 1e6 / seconds);
                    values.put("begun", begunSeconds);
                }
                comeBack(values);
                return new Sample(values, null);
            }

            /** Breaks all connections but the one that asks, and waits until there are as many, with as many channels. */
            private void comeBack(Map<String, Double> values) throws Exception {
                ServerCounts before = ServerCounts.of(server, List.of());
                Present present = Present.of(server);
                long begin = System.nanoTime();
                server.command("CLIENT", "KILL", "SKIPME", "yes", "TYPE", "normal");
                server.command("CLIENT", "KILL", "SKIPME", "yes", "TYPE", "pubsub");
                while (!Present.of(server).isAtLeast(present)) {
                    if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
                        throw new Crew.Failed("only " + Present.of(server) + " of " + present + " are back");
                    }
                    TimeUnit.MILLISECONDS.sleep(10);
                }
                values.put("back", (System.nanoTime() - begin) / 1e9);
                values.put(
                        "backCpu",
                        ServerCounts.of(server, List.of()).since(before).cpuMicros() / 1e3);
            }

            @Override
            public void close() {
                timers.close(); // a close of each client would release 100,000 locks one after the other
                redis.shutdown(0, 1, TimeUnit.SECONDS);
                server.close();
            }
        };
    }
}
