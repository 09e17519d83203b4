package io.holdfast.benchmarks.contestants;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring Integration's registry of Redis locks, mostly with renewal, which its users have to turn on. */
final class SpringContestant implements Contestant {
    static final String REGISTRY = "locks";
    /** It forgets locks, held ones too, when there are more than this. */
    private static final int CAPACITY = 1_000_000;

    private final LettuceConnectionFactory connections;
    private final ThreadPoolTaskScheduler renewals = new ThreadPoolTaskScheduler();
    private final RedisLockRegistry registry;

    SpringContestant(String address, Duration term, RedisLockType type, boolean renewing) {
        RedisURI uri = RedisURI.create(address);
        connections = new LettuceConnectionFactory(new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()));
        connections.afterPropertiesSet();
        connections.start();
        renewals.setDaemon(true);
        renewals.initialize();
        registry = new RedisLockRegistry(connections, REGISTRY, term);
        registry.setRedisLockType(type);
        if (renewing) {
            registry.setRenewalTaskScheduler(renewals);
        }
        registry.setCacheCapacity(CAPACITY);
    }

    @Override
    public Grip acquire(String name) {
        Lock lock = registry.obtain(name);
        lock.lock();
        return lock::unlock;
    }

    @Override
    public void close() {
        registry.destroy();
        connections.destroy();
        renewals.shutdown();
    }
}
