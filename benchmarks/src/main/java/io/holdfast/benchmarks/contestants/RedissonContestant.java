package io.holdfast.benchmarks.contestants;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** One of Redisson's locks, with its defaults. The term is what it calls the lock watchdog timeout. */
final class RedissonContestant implements Contestant {
    interface Locks {
        RLock get(RedissonClient client, String name);
    }

    private final RedissonClient client;
    private final Locks locks;

    RedissonContestant(String address, Duration term, Locks locks) {
        Config config = new Config();
        config.setLockWatchdogTimeout(term.toMillis());
        config.useSingleServer().setAddress(address);
        this.client = Redisson.create(config);
        this.locks = locks;
    }

    @Override
    public Grip acquire(String name) {
        RLock lock = locks.get(client, name);
        lock.lock();
        return new Held(lock, 0);
    }

    @Override
    public CompletionStage<Grip> acquireAsync(String name, long actor) {
        RLock lock = locks.get(client, name);
        return lock.lockAsync(actor).thenApply(none -> new Held(lock, actor));
    }

    private record Held(RLock lock, long actor) implements Grip {
        @Override
        public void release() {
            lock.unlock();
        }

        @Override
        public CompletionStage<?> releaseAsync() {
            return lock.unlockAsync(actor);
        }
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
