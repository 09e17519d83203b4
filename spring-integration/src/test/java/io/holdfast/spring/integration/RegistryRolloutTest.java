package io.holdfast.spring.integration;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.contracts.LockSuite;
import io.holdfast.contracts.Rollout;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

/** From Spring Integration's own registry for Redis to Holdfast's, with instances of both sides at the same time. */
// The server is started before each test; with 6 there are no parameters; locking is what is tested.
@SuppressWarnings({"NullAway.Init", "rawtypes", "LockNotBeforeTry"})
class RegistryRolloutTest extends LockSuite {
    private RedisServer server;
    private Holdfast holdfast;

    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }

    @BeforeEach
    void start() {
        server = startServer();
        holdfast = client(server);
    }

    /** What each instance of the application has of its own. */
    private RedisLockRegistry old() {
        LettuceConnectionFactory redis = new LettuceConnectionFactory("127.0.0.1", server.port());
        redis.afterPropertiesSet();
        redis.start();
        closeLater(redis::destroy);
        RedisLockRegistry registry = new RedisLockRegistry(redis, "orders");
        registry.setIdleBetweenTries(Duration.ofMillis(5));
        closeLater(registry::destroy);
        return registry;
    }

    private HoldfastLockRegistry next() {
        return HoldfastLockRegistry.of(holdfast, "orders");
    }

    private static boolean isFree(LockRegistry registry) throws Exception {
        FutureTask<Boolean> task = new FutureTask<>(() -> {
            Lock lock = registry.obtain("a");
            boolean free = lock.tryLock();
            if (free) {
                lock.unlock();
            }
            return free;
        });
        new Thread(task, "other").start();
        return task.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Test
    void instances_ofNeighbouringSteps_excludeEachOther() throws Exception {
        LockRegistry old = old();
        LockRegistry both = next().beside(old());
        LockRegistry bothToo = next().beside(old());
        LockRegistry next = next();
        List<List<LockRegistry>> pairs = List.of(
                List.of(old, both),
                List.of(both, old),
                List.of(both, bothToo),
                List.of(both, next),
                List.of(next, both));
        for (List<LockRegistry> pair : pairs) {
            Lock lock = pair.get(0).obtain("a");
            lock.lock();
            lock.lock();
            assertFalse(isFree(pair.get(1)), pair.toString());
            assertFalse(isFree(pair.get(0)), pair.toString());
            lock.unlock();
            assertFalse(isFree(pair.get(1)), pair.toString());
            lock.unlock();
            assertTrue(isFree(pair.get(1)), pair.toString());
            assertTrue(isFree(pair.get(0)), pair.toString());
        }
    }

    @Test
    void lock_thatIsNotFreeAtOneSide_isGivenBackAtTheOther() throws Exception {
        RedisLockRegistry old = old();
        HoldfastLockRegistry next = next();
        HoldfastLockRegistry both = next().beside(old());
        next.obtain("a").lock();
        assertFalse(both.obtain("a").tryLock());
        assertFalse(both.obtain("a").tryLock(20, TimeUnit.MILLISECONDS));
        assertTrue(isFree(old));
        next.obtain("a").unlock();

        old.obtain("a").lock();
        assertFalse(both.obtain("a").tryLock());
        assertFalse(both.obtain("a").tryLock(20, TimeUnit.MILLISECONDS));
        assertTrue(isFree(next));
        old.obtain("a").unlock();
        assertThrows(IllegalMonitorStateException.class, both.obtain("a")::unlock);
    }

    @Test
    void renewLock_ofBoth_renewsBoth() {
        HoldfastLockRegistry both = next().beside(old());
        both.obtain("a").lock();
        server.command("PEXPIRE", "orders:a", "5000");
        both.renewLock("a");
        assertTrue(server.command("PTTL", "orders:a").asLong() > 50_000);
        both.obtain("a").unlock();
    }

    @Test
    void rollout_stepByStep_neverLocksTwice() throws Exception {
        Rollout.<LockRegistry>neverOverlaps(
                (registry, work) -> {
                    Lock lock = registry.obtain("a");
                    lock.lock();
                    try {
                        work.run();
                    } finally {
                        lock.unlock();
                    }
                },
                this::old,
                () -> next().beside(old()),
                this::next);
    }
}
