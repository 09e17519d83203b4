package io.holdfast.benchmarks.contestants;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** The least that can be done over one connection of Lettuce: a lock without waiters, or one round trip. */
final class LettuceFloor implements Contestant {
    static final String COMPARE_AND_DELETE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";

    static final String SET_WHEN_ABSENT = "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])";

    private enum Act {
        LOCK,
        LOCK_BY_SCRIPT,
        PING,
        SCRIPT
    }

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final AtomicLong values = new AtomicLong(System.nanoTime());
    private final SetArgs whenAbsent;
    private final Act act;
    private final String term;
    private final String setting;
    private final String deletion;
    private final String nothing;

    private LettuceFloor(String address, Duration term, Act act) {
        this.client = RedisClient.create(address);
        this.connection = client.connect();
        this.whenAbsent = SetArgs.Builder.nx().px(term.toMillis());
        this.term = Long.toString(term.toMillis());
        this.act = act;
        this.setting = connection.sync().scriptLoad(SET_WHEN_ABSENT);
        this.deletion = connection.sync().scriptLoad(COMPARE_AND_DELETE);
        this.nothing = connection.sync().scriptLoad("return 1");
    }

    static LettuceFloor lock(String address, Duration term) {
        return new LettuceFloor(address, term, Act.LOCK);
    }

    static LettuceFloor scripts(String address, Duration term) {
        return new LettuceFloor(address, term, Act.LOCK_BY_SCRIPT);
    }

    static LettuceFloor ping(String address, Duration term) {
        return new LettuceFloor(address, term, Act.PING);
    }

    static LettuceFloor script(String address, Duration term) {
        return new LettuceFloor(address, term, Act.SCRIPT);
    }

    @Override
    public Grip acquire(String lock) {
        switch (act) {
            case PING -> {
                connection.sync().ping();
                return () -> {};
            }
            case SCRIPT -> {
                connection.sync().<Long>evalsha(nothing, ScriptOutputType.INTEGER, lock);
                return () -> {};
            }
            case LOCK, LOCK_BY_SCRIPT -> {
                String value = Long.toString(values.incrementAndGet());
                String set = act == Act.LOCK
                        ? connection.sync().set(lock, value, whenAbsent)
                        : connection.sync().evalsha(setting, ScriptOutputType.STATUS, new String[] {lock}, value, term);
                if (set == null) {
                    throw new IllegalStateException(lock + " is taken, and the floor cannot wait");
                }
                return new Held(lock, value);
            }
        }
        throw new AssertionError(act);
    }

    @Override
    public CompletionStage<Grip> acquireAsync(String lock, long actor) {
        String value = Long.toString(values.incrementAndGet());
        return connection.async().set(lock, value, whenAbsent).thenApply(set -> {
            if (set == null) {
                throw new RedisException(lock + " is taken, and the floor cannot wait");
            }
            return new Held(lock, value);
        });
    }

    private final class Held implements Grip {
        private final String[] keys;
        private final String value;

        Held(String lock, String value) {
            this.keys = new String[] {lock};
            this.value = value;
        }

        @Override
        public void release() {
            connection.sync().<Long>evalsha(deletion, ScriptOutputType.INTEGER, keys, value);
        }

        @Override
        public CompletionStage<?> releaseAsync() {
            return connection.async().<Long>evalsha(deletion, ScriptOutputType.INTEGER, keys, value);
        }
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
