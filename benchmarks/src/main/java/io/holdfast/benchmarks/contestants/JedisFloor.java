package io.holdfast.benchmarks.contestants;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.params.SetParams;

/** The least that can be done over a pool of Jedis: a lock without waiters. */
final class JedisFloor implements Contestant {
    /** As many as the busiest scenario has threads: the pool is not to be what is measured. */
    private static final int CONNECTIONS = 64;

    private final RedisClient pool;
    private final AtomicLong values = new AtomicLong(System.nanoTime());
    private final SetParams whenAbsent;
    private final String deletion;

    JedisFloor(String address, Duration term) {
        ConnectionPoolConfig config = new ConnectionPoolConfig();
        config.setMaxTotal(CONNECTIONS);
        config.setMaxIdle(CONNECTIONS);
        URI uri = URI.create(address);
        this.pool = RedisClient.builder()
                .hostAndPort(uri.getHost(), uri.getPort())
                .poolConfig(config)
                .build();
        this.whenAbsent = SetParams.setParams().nx().px(term.toMillis());
        this.deletion = pool.scriptLoad(LettuceFloor.COMPARE_AND_DELETE);
    }

    @Override
    public Grip acquire(String lock) {
        String value = Long.toString(values.incrementAndGet());
        if (pool.set(lock, value, whenAbsent) == null) {
            throw new IllegalStateException(lock + " is taken, and the floor cannot wait");
        }
        return () -> pool.evalsha(deletion, List.of(lock), List.of(value));
    }

    @Override
    public void close() {
        pool.close();
    }
}
