package io.holdfast.faults.subjects;

import io.holdfast.faults.history.Want;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** Spring Integration's registry of Redis locks, with renewal, which its users have to turn on, or without. */
final class SpringSubject implements Subject {
    private static final String REGISTRY = "locks";

    private final LettuceConnectionFactory connections;
    private final ThreadPoolTaskScheduler renewals = new ThreadPoolTaskScheduler();
    private final RedisLockRegistry registry;
    private final RedisLockType type;

    private SpringSubject(LettuceConnectionFactory connections, Duration term, RedisLockType type, boolean renewed) {
        this.connections = connections;
        this.type = type;
        renewals.setDaemon(true);
        renewals.initialize();
        registry = new RedisLockRegistry(connections, REGISTRY, term);
        registry.setRedisLockType(type);
        if (renewed) {
            registry.setRenewalTaskScheduler(renewals);
        }
    }

    static SpringSubject connect(String address, Duration term, RedisLockType type, boolean renewed) {
        RedisURI uri = RedisURI.create(address);
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(uri.getHost(), uri.getPort()));
        connections.afterPropertiesSet();
        connections.start();
        return new SpringSubject(connections, term, type, renewed);
    }

    @Override
    public Hold acquire(String name, Want want, Duration wait, Runnable onQueued, Consumer<String> onLost)
            throws NotObtained, InterruptedException {
        Lock lock = registry.obtain(name);
        try {
            if (!lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new NotObtained("TimedOut", null);
            }
        } catch (RuntimeException e) { // it wraps what Redis clients throw in a great many types
            throw new NotObtained(e.getClass().getSimpleName(), e);
        }
        return new Held(lock);
    }

    /** The library has no check that a holder could make. */
    private record Held(Lock lock) implements Hold {
        @Override
        public long token() {
            return 0;
        }

        @Override
        public boolean isHeld() {
            return true;
        }

        @Override
        public boolean isOver() {
            return false;
        }

        @Override
        public String release() {
            try {
                lock.unlock();
                return "released";
            } catch (ConcurrentModificationException e) {
                return "lost";
            } catch (RuntimeException e) {
                return e.getClass().getSimpleName();
            }
        }
    }

    @Override
    public String describe() {
        return "Spring Integration " + type;
    }

    @Override
    public void close() {
        registry.destroy();
        connections.destroy();
        renewals.shutdown();
    }
}
