package io.holdfast.benchmarks;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisSentinels;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.routing.Location;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriverProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The death of a master that Sentinels watch, while very many requests wait. Each measurement has servers and clients of its own. */
final class FailoverScenario implements OwnScenario {
    private static final String LETTUCE = "failover-lettuce";
    private static final String JEDIS = "failover-jedis";
    private static final Map<String, String> LABELS =
            Map.of(LETTUCE, "Holdfast over Lettuce", JEDIS, "Holdfast over Jedis");

    private static final ConnectOptions CONNECT = new ConnectOptions(Duration.ofSeconds(60), "holdfast");
    private static final int CLIENTS = 10;
    private static final int LOCKS = 100;
    private static final long PATIENCE_SECONDS = 60;
    private static final long LOOK_MILLIS = 5;

    @Override
    public String id() {
        return "failover";
    }

    @Override
    public String title() {
        return "A failover while many requests wait";
    }

    @Override
    public String meaning() {
        return "Sentinels watch a master and its replicas, and promote a replica " + RedisSentinels.DOWN_AFTER_MILLIS
                + " ms after the master stops answering, at the earliest. One client holds a hundred locks, and ten more clients have the"
                + " given number of requests for them. The master is killed. When all clients are back, the hundred leases are"
                + " released, and each request that is granted a lock releases it at once. All clients run in one process.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(
                Metric.lower("promoted", "s until a replica is promoted", 2),
                Metric.lower("back", "s until all clients are back after that", 2),
                Metric.lower("cpu", "server CPU ms for that", 0),
                Metric.lower("served", "s until all requests have been granted after that", 2));
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
        return List.of(LETTUCE, JEDIS);
    }

    @Override
    public Map<String, String> labels() {
        return LABELS;
    }

    @Override
    public int rounds(Scale scale) {
        return scale.slowRounds();
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        RedisDriverProvider provider =
                contestant.equals(JEDIS) ? new JedisDriverProvider() : new LettuceDriverProvider();
        return new Session() {
            @Override
            public void warm() throws Exception {
                measure();
            }

            @Override
            public Sample measure() throws Exception {
                try (Failover failover = new Failover(provider)) {
                    failover.hold();
                    failover.queue(size);
                    return new Sample(failover.run(), null);
                }
            }

            @Override
            public void close() {
                // Each measurement has closed what it began.
            }
        };
    }

    /** Servers and clients of one failover. */
    private static final class Failover implements AutoCloseable {
        private final RedisSentinels sentinels = RedisSentinels.start();
        private final Holdfast holder;
        private final List<Holdfast> waiting = new ArrayList<>();
        private final List<Lease> held = new ArrayList<>();
        private final List<CompletableFuture<Void>> served = new ArrayList<>();

        Failover(RedisDriverProvider provider) {
            String hosts = sentinels.addresses().stream()
                    .map(RedisAddress::hostAndPort)
                    .collect(Collectors.joining(","));
            Location location = Location.parse("redis-sentinel://" + hosts + "/" + RedisSentinels.NAME);
            holder = Holdfast.over(location.connect(provider, CONNECT));
            for (int i = 0; i < CLIENTS; i++) {
                waiting.add(Holdfast.over(location.connect(provider, CONNECT)));
            }
        }

        private static String name(int lock) {
            return "lock-" + lock;
        }

        void hold() throws Exception {
            for (int i = 0; i < LOCKS; i++) {
                held.add(holder.lock(name(i)).acquireAsync().get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            }
        }

        /** An answer to a client comes after those to its earlier requests. */
        void queue(int size) throws Exception {
            for (int i = 0; i < CLIENTS; i++) {
                for (int j = i; j < size; j += CLIENTS) {
                    served.add(waiting.get(i)
                            .lock(name(j / CLIENTS % LOCKS))
                            .acquireAsync(Wait.forever())
                            .thenCompose(Lease::releaseAsync)
                            .thenAccept(released -> {}));
                }
                ask(waiting.get(i), "last-" + i);
            }
        }

        private static void ask(Holdfast client, String name) throws Exception {
            client.lock(name)
                    .acquireAsync()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .release();
        }

        Map<String, Double> run() throws Exception {
            RedisServer old = sentinels.master();
            old.command("SET", "last", "1", "PX", "10000");
            old.command("WAIT", "1", "10000"); // a replica that is behind would lose requests
            long channels = channels(old);
            Map<String, Double> values = new LinkedHashMap<>();
            long begin = System.nanoTime();
            old.kill();
            RedisServer master = sentinels.awaitOtherMasterThan(old);
            ServerCounts before = ServerCounts.of(master, List.of());
            values.put("promoted", secondsSince(begin));
            begin = System.nanoTime();
            await(this::isHolderBack);
            await(() -> channels(master) >= channels);
            values.put("back", secondsSince(begin));
            values.put("cpu", ServerCounts.of(master, List.of()).since(before).cpuMicros() / 1e3);
            begin = System.nanoTime();
            held.forEach(Lease::releaseAsync);
            CompletableFuture.allOf(served.toArray(CompletableFuture[]::new)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            values.put("served", secondsSince(begin));
            return values;
        }

        private static void await(Callable<Boolean> back) throws Exception {
            long begin = System.nanoTime();
            while (!back.call()) {
                if (secondsSince(begin) > PATIENCE_SECONDS) {
                    throw new Crew.Failed("not all clients are back");
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            }
        }

        private boolean isHolderBack() throws InterruptedException {
            try (Lease back = holder.lock("back").acquire()) {
                return back.isValid();
            } catch (HoldfastException e) {
                return false;
            }
        }

        private static long channels(RedisServer server) {
            return Long.parseLong(ServerCounts.info(server, "stats").getOrDefault("pubsub_channels", "0"));
        }

        private static double secondsSince(long nanos) {
            return (System.nanoTime() - nanos) / 1e9;
        }

        @Override
        public void close() {
            waiting.forEach(Holdfast::close);
            holder.close();
            sentinels.close();
        }
    }
}
