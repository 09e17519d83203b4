package io.holdfast.benchmarks.contestants;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.redisson.Redisson;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's semaphores: one whose permits expire with the term, and are not renewed; and one whose permits do not expire. */
final class RedissonPermits implements Contestant {
    private interface Taking {
        Grip acquire(String name) throws InterruptedException;
    }

    private final RedissonClient client;
    private final Taking taking;
    private final Consumer<String> settingUp;
    private final Set<String> known = ConcurrentHashMap.newKeySet(); // semaphores whose number of permits is set

    private RedissonPermits(String address, long expiryMillis) {
        Config config = new Config();
        config.useSingleServer().setAddress(address);
        this.client = Redisson.create(config);
        if (expiryMillis > 0) {
            this.settingUp = name -> client.getPermitExpirableSemaphore(name).trySetPermits(Contestants.PERMITS);
            this.taking = name -> {
                RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(name);
                String permit = semaphore.acquire(expiryMillis, TimeUnit.MILLISECONDS);
                return () -> semaphore.release(permit);
            };
        } else {
            this.settingUp = name -> client.getSemaphore(name).trySetPermits(Contestants.PERMITS);
            this.taking = name -> {
                RSemaphore semaphore = client.getSemaphore(name);
                semaphore.acquire();
                return semaphore::release;
            };
        }
    }

    static Contestant expiring(String address, Duration term) {
        return new RedissonPermits(address, term.toMillis());
    }

    static Contestant bare(String address, Duration term) {
        return new RedissonPermits(address, 0);
    }

    @Override
    public Grip acquire(String name) throws InterruptedException {
        if (!known.contains(name)) {
            settingUp.accept(name);
            known.add(name);
        }
        return taking.acquire(name);
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
