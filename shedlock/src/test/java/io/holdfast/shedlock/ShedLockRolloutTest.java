package io.holdfast.shedlock;

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
import java.time.Instant;
import java.util.List;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.support.LockException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** From ShedLock's own provider for Redis to Holdfast's, with instances of both sides at the same time. */
@SuppressWarnings("NullAway.Init") // the server is started before each test
class ShedLockRolloutTest extends LockSuite {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private Holdfast holdfast;
    private ExtensibleLockProvider old;
    private ExtensibleLockProvider next;
    private ExtensibleLockProvider both;

    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }

    @BeforeEach
    void start() {
        RedisServer server = startServer();
        holdfast = client(server);
        LettuceConnectionFactory redis = new LettuceConnectionFactory("127.0.0.1", server.port());
        redis.afterPropertiesSet();
        redis.start();
        closeLater(redis::destroy);
        old = new RedisLockProvider(redis);
        HoldfastLockProvider renewing = HoldfastLockProvider.renewing(holdfast);
        next = renewing;
        both = renewing.beside(old);
    }

    private static LockConfiguration job(Duration atMost, Duration atLeast) {
        return new LockConfiguration(Instant.now(), "job", atMost, atLeast);
    }

    private static boolean isFree(LockProvider provider) {
        var taken = provider.lock(job(MINUTE, Duration.ZERO));
        taken.ifPresent(SimpleLock::unlock);
        return taken.isPresent();
    }

    @Test
    void instances_ofNeighbouringSteps_excludeEachOther() {
        for (LockProvider one : List.of(old, both, next)) {
            for (LockProvider two : List.of(old, both, next)) {
                if ((one == old && two == next) || (one == next && two == old)) {
                    continue; // these must not be there at the same time
                }
                SimpleLock lock = one.lock(job(MINUTE, Duration.ZERO)).orElseThrow();
                assertFalse(isFree(two), two + " beside " + one);
                lock.unlock();
                assertTrue(isFree(two));
            }
        }
    }

    @Test
    void lockAtLeastFor_ofBoth_isKeptForBothSides() {
        both.lock(job(MINUTE, Duration.ofSeconds(50))).orElseThrow().unlock();
        assertFalse(isFree(old));
        assertFalse(isFree(next));
    }

    @Test
    void lock_takenAtTheOtherSide_isGivenBackWithoutARest() {
        SimpleLock ofOld = old.lock(job(MINUTE, Duration.ZERO)).orElseThrow();
        assertTrue(both.lock(job(MINUTE, Duration.ofSeconds(50))).isEmpty());
        assertTrue(isFree(next), "the next run of this job would be skipped");
        ofOld.unlock();

        SimpleLock ofNext = next.lock(job(MINUTE, Duration.ZERO)).orElseThrow();
        assertTrue(both.lock(job(MINUTE, Duration.ofSeconds(50))).isEmpty());
        assertTrue(isFree(old));
        ofNext.unlock();
    }

    @Test
    void lock_oldProviderThatThrows_isGivenBack() {
        LockProvider broken = configuration -> {
            throw new LockException("no connection");
        };
        ExtensibleLockProvider besideBroken =
                HoldfastLockProvider.exact(holdfast).beside(broken);
        assertThrows(LockException.class, () -> besideBroken.lock(job(MINUTE, Duration.ofSeconds(50))));
        assertTrue(isFree(next));
    }

    @Test
    void extend_ofBoth_extendsBoth() {
        SimpleLock lock = both.lock(job(MINUTE, Duration.ZERO)).orElseThrow();
        SimpleLock extended =
                lock.extend(MINUTE.multipliedBy(2), Duration.ofSeconds(50)).orElseThrow();
        assertThrows(IllegalStateException.class, lock::unlock);
        extended.unlock();
        assertFalse(isFree(old));
        assertFalse(isFree(next));
    }

    @Test
    void extend_oldLockThatIsGone_isEmptyAndKeepsNothing() {
        SimpleLock lock = both.lock(job(Duration.ofMillis(300), Duration.ZERO)).orElseThrow();
        await("the old lock has expired", () -> isFree(old));
        assertTrue(lock.extend(MINUTE, Duration.ZERO).isEmpty());
        assertTrue(isFree(both));
    }

    @Test
    void rollout_stepByStep_neverRunsTwoJobsAtATime() throws Exception {
        Rollout.<LockProvider>neverOverlaps(
                (provider, work) -> provider.lock(job(MINUTE, Duration.ZERO)).ifPresent(lock -> {
                    work.run();
                    lock.unlock();
                }),
                () -> old,
                () -> both,
                () -> next);
    }
}
