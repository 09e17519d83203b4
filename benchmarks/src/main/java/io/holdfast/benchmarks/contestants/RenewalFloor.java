package io.holdfast.benchmarks.contestants;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The least that renews: keys and their values in lists of a hundred, each of which is sent a third of the term after the last time, in
 * one script that compares and moves expiries. It knows no deadline, and only counts what it has lost.
 */
final class RenewalFloor implements Contestant {
    private static final int BATCH = 100;

    private static final String RENEW = """
            local held, count = redis.call('MGET', unpack(KEYS)), 0
            for i = 1, #KEYS do
              if held[i] == ARGV[i] then
                redis.call('PEXPIRE', KEYS[i], ARGV[#KEYS + 1])
                count = count + 1
              end
            end
            return count
            """;

    /** A client of Redis, as far as it is needed. */
    private interface Client extends AutoCloseable {
        String load(String script);

        CompletionStage<?> call(String sha1, List<String> keys, List<String> args);

        @Override
        void close();
    }

    private final Client client;
    private final String setting;
    private final String renewing;
    private final String term;
    private final long thirdNanos;
    private final AtomicLong values = new AtomicLong(System.nanoTime());
    private final AtomicLong lost = new AtomicLong();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "renewal");
        thread.setDaemon(true);
        return thread;
    });
    private List<String> keys = new ArrayList<>(BATCH); // guarded by this
    private List<String> words = new ArrayList<>(BATCH + 1); // guarded by this

    private RenewalFloor(Client client, Duration term) {
        this.client = client;
        this.term = Long.toString(term.toMillis());
        this.thirdNanos = term.toNanos() / 3;
        this.setting = client.load(LettuceFloor.SET_WHEN_ABSENT);
        this.renewing = client.load(RENEW);
    }

    static RenewalFloor lettuce(String address, Duration term) {
        RedisClient lettuce = RedisClient.create(address);
        StatefulRedisConnection<String, String> connection = lettuce.connect();
        return new RenewalFloor(
                new Client() {
                    @Override
                    public String load(String script) {
                        return connection.sync().scriptLoad(script);
                    }

                    @Override
                    public CompletionStage<?> call(String sha1, List<String> keys, List<String> args) {
                        return connection
                                .async()
                                .<Object>evalsha(
                                        sha1,
                                        ScriptOutputType.VALUE,
                                        keys.toArray(String[]::new),
                                        args.toArray(String[]::new));
                    }

                    @Override
                    public void close() {
                        connection.close();
                        lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(1));
                    }
                },
                term);
    }

    static RenewalFloor jedis(String address, Duration term) {
        URI uri = URI.create(address);
        redis.clients.jedis.RedisClient jedis = redis.clients.jedis.RedisClient.builder()
                .hostAndPort(uri.getHost(), uri.getPort())
                .build();
        return new RenewalFloor(
                new Client() {
                    @Override
                    public String load(String script) {
                        return jedis.scriptLoad(script);
                    }

                    @Override
                    public CompletionStage<?> call(String sha1, List<String> keys, List<String> args) {
                        return CompletableFuture.completedFuture(jedis.evalsha(sha1, keys, args));
                    }

                    @Override
                    public void close() {
                        jedis.close();
                    }
                },
                term);
    }

    @Override
    public Grip acquire(String lock) throws Exception {
        String value = Long.toString(values.incrementAndGet());
        Object set = client.call(setting, List.of(lock), List.of(value, term))
                .toCompletableFuture()
                .get();
        if (set == null) {
            throw new IllegalStateException(lock + " is taken, and the floor cannot wait");
        }
        keep(lock, value);
        return () -> {
            throw new UnsupportedOperationException("it only renews");
        };
    }

    private synchronized void keep(String lock, String value) {
        keys.add(lock);
        words.add(value);
        if (keys.size() == BATCH) {
            List<String> full = keys;
            List<String> args = words;
            args.add(term);
            timer.scheduleAtFixedRate(() -> renew(full, args), thirdNanos, thirdNanos, TimeUnit.NANOSECONDS);
            keys = new ArrayList<>(BATCH);
            words = new ArrayList<>(BATCH + 1);
        }
    }

    private void renew(List<String> held, List<String> args) {
        client.call(renewing, held, args).thenAccept(count -> {
            if (Long.parseLong(String.valueOf(count)) != held.size()) {
                lost.incrementAndGet();
            }
        });
    }

    /** @throws IllegalStateException if something was lost meanwhile, so that there was less to renew */
    @Override
    public void close() {
        timer.shutdownNow();
        client.close();
        if (lost.get() > 0) {
            throw new IllegalStateException(lost + " calls found that something was lost");
        }
    }
}
