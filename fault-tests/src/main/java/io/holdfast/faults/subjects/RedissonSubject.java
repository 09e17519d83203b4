package io.holdfast.faults.subjects;

import io.holdfast.faults.history.Want;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

/** Redisson's lock, its fair lock or its lock with fencing tokens, renewed by its watchdog. */
final class RedissonSubject implements Subject {
    private final RedissonClient client;
    private final BiFunction<RedissonClient, String, RLock> locks;
    private final String name;

    private RedissonSubject(RedissonClient client, BiFunction<RedissonClient, String, RLock> locks, String name) {
        this.client = client;
        this.locks = locks;
        this.name = name;
    }

    /** The term is what Redisson calls the lock watchdog timeout. */
    static RedissonSubject connect(
            String address, Duration term, BiFunction<RedissonClient, String, RLock> locks, String name) {
        Config config = new Config();
        config.setLockWatchdogTimeout(term.toMillis());
        config.useSingleServer().setAddress(address);
        return new RedissonSubject(Redisson.create(config), locks, name);
    }

    @Override
    public Hold acquire(String lockName, Want want, Duration wait, Runnable onQueued, Consumer<String> onLost)
            throws NotObtained, InterruptedException {
        RLock lock = locks.apply(client, lockName);
        long token = 0;
        try {
            if (lock instanceof RFencedLock fenced) {
                Long given = fenced.tryLockAndGetToken(wait.toMillis(), TimeUnit.MILLISECONDS);
                if (given == null) {
                    throw new NotObtained("TimedOut", null);
                }
                token = given;
            } else if (!lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new NotObtained("TimedOut", null);
            }
        } catch (RedisException e) {
            throw new NotObtained(e.getClass().getSimpleName(), e);
        }
        return new Held(lock, token);
    }

    /** The check asks the server, which is the best that the library offers. */
    private record Held(RLock lock, long token) implements Hold {
        @Override
        public boolean isHeld() {
            try {
                return lock.isHeldByCurrentThread();
            } catch (RedisException e) {
                return false;
            }
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
            } catch (IllegalMonitorStateException | RedisException e) {
                return e.getClass().getSimpleName();
            }
        }
    }

    @Override
    public String describe() {
        return name;
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
