package io.holdfast.benchmarks.contestants;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/**
 * Work that is done once as people write it: a lock and a key. The one that sets the lock looks for the record, does the work if there
 * is none, sets the record, and releases the lock by a script. The others ask again a little later. The lock is not renewed, so that
 * work that lasts longer than its term is done twice.
 */
final class OnceByHand implements Contestant {
    /** As many as callers of a process; the pool is not to be what is measured. */
    private static final int CONNECTIONS = 64;

    /** Between two tries of a caller that waits: short, as where the others are to have the result soon. */
    private static final long PAUSE_MILLIS = 10;

    private static final Duration KEEP = Duration.ofDays(1);

    /** Not by GET: the server counts what scripts call, too, and a GET is to be a request. */
    private static final String RELEASE =
            "if redis.call('MGET', KEYS[1])[1] == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    /** A client of Redis, as far as it is needed. */
    private interface Client extends AutoCloseable {
        @Nullable
        String get(String key);

        void set(String key, String value, long millis);

        /** Whether it was absent. */
        boolean setWhenAbsent(String key, String value, long millis);

        void release(String key, String value);

        @Override
        void close();
    }

    private final Client client;
    private final long termMillis;
    private final boolean looksFirst;
    private final AtomicLong values = new AtomicLong(System.nanoTime());

    private OnceByHand(Client client, Duration term, boolean looksFirst) {
        this.client = client;
        this.termMillis = term.toMillis();
        this.looksFirst = looksFirst;
    }

    /**
     * How one is made.
     *
     * @param looksFirst whether it looks for the record before it asks for the lock, too: one request more where there is none
     */
    static Maker maker(boolean lettuce, boolean looksFirst) {
        return (address, term) ->
                new OnceByHand(lettuce ? new OverLettuce(address) : new OverJedis(address), term, looksFirst);
    }

    @Override
    public Grip acquire(String lock) {
        throw new UnsupportedOperationException("it does work once, and hands out no lock");
    }

    @Override
    public String once(String key, Supplier<String> work) throws InterruptedException {
        String lock = "lock:" + key;
        String record = "record:" + key;
        String value = Long.toString(values.incrementAndGet());
        while (true) {
            String done = looksFirst ? client.get(record) : null;
            if (done != null) {
                return done;
            }
            if (client.setWhenAbsent(lock, value, termMillis)) {
                try {
                    return underLock(record, work);
                } finally {
                    client.release(lock, value);
                }
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    private String underLock(String record, Supplier<String> work) {
        String done = client.get(record);
        if (done != null) {
            return done;
        }
        String result = work.get();
        client.set(record, result, KEEP.toMillis());
        return result;
    }

    @Override
    public void close() {
        client.close();
    }

    private static final class OverLettuce implements Client {
        private final io.lettuce.core.RedisClient lettuce;
        private final StatefulRedisConnection<String, String> connection;
        private final RedisCommands<String, String> commands;
        private final String releasing;

        OverLettuce(String address) {
            lettuce = io.lettuce.core.RedisClient.create(address);
            connection = lettuce.connect();
            commands = connection.sync();
            releasing = commands.scriptLoad(RELEASE);
        }

        @Override
        public @Nullable String get(String key) {
            return commands.get(key);
        }

        @Override
        public void set(String key, String value, long millis) {
            commands.set(key, value, SetArgs.Builder.px(millis));
        }

        @Override
        public boolean setWhenAbsent(String key, String value, long millis) {
            return commands.set(key, value, SetArgs.Builder.nx().px(millis)) != null;
        }

        @Override
        public void release(String key, String value) {
            commands.<Long>evalsha(releasing, ScriptOutputType.INTEGER, new String[] {key}, value);
        }

        @Override
        public void close() {
            connection.close();
            lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        }
    }

    private static final class OverJedis implements Client {
        private final RedisClient pool;
        private final String releasing;

        OverJedis(String address) {
            ConnectionPoolConfig config = new ConnectionPoolConfig();
            config.setMaxTotal(CONNECTIONS);
            config.setMaxIdle(CONNECTIONS);
            URI uri = URI.create(address);
            pool = RedisClient.builder()
                    .hostAndPort(uri.getHost(), uri.getPort())
                    .poolConfig(config)
                    .build();
            releasing = pool.scriptLoad(RELEASE);
        }

        @Override
        public @Nullable String get(String key) {
            return pool.get(key);
        }

        @Override
        public void set(String key, String value, long millis) {
            pool.set(key, value, SetParams.setParams().px(millis));
        }

        @Override
        public boolean setWhenAbsent(String key, String value, long millis) {
            return pool.set(key, value, SetParams.setParams().nx().px(millis)) != null;
        }

        @Override
        public void release(String key, String value) {
            pool.evalsha(releasing, List.of(key), List.of(value));
        }

        @Override
        public void close() {
            pool.close();
        }
    }
}
