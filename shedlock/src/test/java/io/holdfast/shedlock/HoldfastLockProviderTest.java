package io.holdfast.shedlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.ServerUnreachableException;
import io.holdfast.contracts.LockSuite;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockingTaskExecutor;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What ShedLock's own tests do not ask. */
@SuppressWarnings("NullAway.Init") // the server is started before each test
class HoldfastLockProviderTest extends LockSuite {
    private static final LockOptions BRIEF = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2));

    private RedisServer server;
    private Holdfast holdfast;
    private Holdfast other;

    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }

    @BeforeEach
    void start() {
        server = startServer();
        holdfast = client(server);
        other = client(server);
    }

    private static LockConfiguration job(Duration atMost, Duration atLeast) {
        return new LockConfiguration(Instant.now(), "job", atMost, atLeast);
    }

    private static LockConfiguration job(Duration atMost) {
        return job(atMost, Duration.ZERO);
    }

    private long left() {
        return server.command("PTTL", holdfast.lock("job").key()).asLong();
    }

    private boolean isFreeForOthers() {
        Optional<SimpleLock> taken = HoldfastLockProvider.exact(other).lock(job(Duration.ofMinutes(1)));
        taken.ifPresent(SimpleLock::unlock);
        return taken.isPresent();
    }

    @Test
    void renewing_runLongerThanTerm_keepsTheLock() {
        SimpleLock lock = HoldfastLockProvider.renewing(holdfast)
                .withOptions(BRIEF)
                .lock(job(Duration.ofHours(2)))
                .orElseThrow();
        long begin = System.nanoTime();
        await("two terms have passed", () -> {
            assertTrue(left() <= 2_000, "the server is told of the term only");
            assertFalse(isFreeForOthers());
            return System.nanoTime() - begin > 4_000_000_000L;
        });
        lock.unlock();
        assertTrue(isFreeForOthers());
    }

    @Test
    void renewing_runLongerThanLockAtMostFor_isNotWaitedFor() {
        SimpleLock lock = HoldfastLockProvider.renewing(holdfast)
                .lock(job(Duration.ofMillis(1_200)))
                .orElseThrow();
        long begin = System.nanoTime();
        assertFalse(isFreeForOthers());
        await("the bound", this::isFreeForOthers);
        long millis = (System.nanoTime() - begin) / 1_000_000;
        assertTrue(millis > 800, "free after " + millis + " ms");
        lock.unlock(); // harmless
    }

    @Test
    void extend_lockAtMostForIsOverAndTheTimerIsLate_isRefused() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Executor inTimersThread = CompletableFuture.delayedExecutor(0, TimeUnit.MILLISECONDS, Runnable::run);
        CompletableFuture<Boolean> timers = CompletableFuture.supplyAsync(() -> awaitLatch(go), inTimersThread);
        try {
            SimpleLock lock = HoldfastLockProvider.exact(holdfast)
                    .lock(job(Duration.ofMillis(2)))
                    .orElseThrow();
            long begin = System.nanoTime();
            await("its time is over", () -> System.nanoTime() - begin > 3_000_000);
            assertTrue(lock.extend(Duration.ofSeconds(10), Duration.ZERO).isEmpty());
            assertTrue(isFreeForOthers());
        } finally {
            go.countDown();
        }
        assertTrue(timers.get(20, TimeUnit.SECONDS));
    }

    private static boolean awaitLatch(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void renewing_processThatIsCutOff_blocksForATermAndNotForLockAtMostFor() {
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        Holdfast remote = client(proxy.address(), HoldfastOptions.defaults().withCommandTimeout(Duration.ofSeconds(1)));
        assertTrue(HoldfastLockProvider.renewing(remote)
                .withOptions(BRIEF)
                .lock(job(Duration.ofHours(2)))
                .isPresent());
        proxy.refuse();
        for (TcpProxy.Kind kind : TcpProxy.Kind.values()) {
            proxy.killConnections(kind);
        }
        assertFalse(isFreeForOthers());
        await("a term", this::isFreeForOthers);
    }

    @Test
    void exact_lock_isTakenForLockAtMostForAndNotRenewed() {
        assertTrue(HoldfastLockProvider.exact(holdfast)
                .lock(job(Duration.ofMinutes(10)))
                .isPresent());
        assertTrue(left() > 590_000, "left: " + left());
        assertTrue(HoldfastLockProvider.renewing(holdfast)
                .lock(new LockConfiguration(Instant.now(), "renewed", Duration.ofMinutes(10), Duration.ZERO))
                .isPresent());
        assertTrue(server.command("PTTL", holdfast.lock("renewed").key()).asLong() <= 30_000);
    }

    @Test
    void lockAtLeastFor_runThatEndsSooner_leavesTheLockResting() {
        for (HoldfastLockProvider provider : new HoldfastLockProvider[] {
            HoldfastLockProvider.exact(holdfast), HoldfastLockProvider.renewing(holdfast)
        }) {
            provider.lock(job(Duration.ofMinutes(10), Duration.ofMinutes(5)))
                    .orElseThrow()
                    .unlock();
            assertTrue(holdfast.inspect().lock("job").holder().orElseThrow().resting());
            assertTrue(left() > 290_000 && left() <= 300_000, "left: " + left());
            assertFalse(isFreeForOthers());
            holdfast.admin().release("job", Admin.Waiters.HAND_OFF);
        }
    }

    @Test
    void lockAtLeastFor_clientThatIsClosedWhileTheJobRuns_leavesTheLockResting() {
        assertTrue(HoldfastLockProvider.renewing(holdfast)
                .lock(job(Duration.ofMinutes(10), Duration.ofMinutes(5)))
                .isPresent());
        holdfast.close();
        assertTrue(other.inspect().lock("job").holder().orElseThrow().resting());
    }

    @Test
    void extend_inTime_movesBothTimes() {
        SimpleLock lock = HoldfastLockProvider.renewing(holdfast)
                .lock(job(Duration.ofMillis(500)))
                .orElseThrow();
        SimpleLock extended =
                lock.extend(Duration.ofMinutes(10), Duration.ofMinutes(5)).orElseThrow();
        long begin = System.nanoTime();
        await("the first bound has passed", () -> {
            assertFalse(isFreeForOthers());
            return System.nanoTime() - begin > 700_000_000L;
        });
        extended.unlock();
        assertTrue(holdfast.inspect().lock("job").holder().orElseThrow().resting());
        assertTrue(left() > 200_000, "left: " + left());
    }

    @Test
    void extend_lockThatWasReleasedByAnOperator_isEmpty() {
        SimpleLock lock = HoldfastLockProvider.renewing(holdfast)
                .lock(job(Duration.ofMinutes(10)))
                .orElseThrow();
        holdfast.admin().release("job", Admin.Waiters.HAND_OFF);
        assertTrue(lock.extend(Duration.ofMinutes(10), Duration.ofMinutes(5)).isEmpty());
        assertTrue(isFreeForOthers());
    }

    @Test
    void lock_serverThatDoesNotAnswer_throwsAndIsNotEmpty() {
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        Holdfast remote = client(proxy.address(), HoldfastOptions.defaults().withCommandTimeout(Duration.ofSeconds(1)));
        proxy.stall(TcpProxy.Kind.COMMANDS);
        AtomicInteger runs = new AtomicInteger();
        LockingTaskExecutor executor = new DefaultLockingTaskExecutor(HoldfastLockProvider.renewing(remote));
        assertThrows(
                ServerUnreachableException.class,
                () -> executor.executeWithLock((Runnable) runs::incrementAndGet, job(Duration.ofMinutes(1))));
        assertEquals(0, runs.get());
        proxy.resume();
        await("what may have been granted is given back", this::isFreeForOthers);
    }

    @Test
    void lock_interruptedThread_throwsAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        assertThrows(
                LockException.class,
                () -> HoldfastLockProvider.renewing(holdfast).lock(job(Duration.ofMinutes(1))));
        assertTrue(Thread.interrupted());
        assertTrue(isFreeForOthers());
    }

    @Test
    void lock_byWhoHoldsItAlready_isEmptyWhateverTheOptionsSay() {
        HoldfastLockProvider provider = HoldfastLockProvider.renewing(holdfast)
                .withOptions(LockOptions.defaults()
                        .withReentrancy(LockOptions.Reentrancy.REENTER)
                        .withMinRemaining(Duration.ofSeconds(20)));
        SimpleLock lock = provider.lock(job(Duration.ofSeconds(1))).orElseThrow();
        assertTrue(provider.lock(job(Duration.ofSeconds(1))).isEmpty());
        lock.unlock();
    }

    @Test
    void lock_ofTheSameNameInHoldfast_isTheSame() throws Exception {
        try (Lease lease = other.lock("job").acquire()) {
            assertTrue(lease.isValid());
            assertTrue(HoldfastLockProvider.renewing(holdfast)
                    .lock(job(Duration.ofMinutes(1)))
                    .isEmpty());
        }
        assertTrue(isFreeForOthers());
    }

    @Test
    void withInterrupt_lockThatIsLost_interruptsTheRunAndNothingAfterIt() {
        LockingTaskExecutor executor = new DefaultLockingTaskExecutor(
                HoldfastLockProvider.renewing(holdfast).withInterrupt());
        AtomicInteger interrupted = new AtomicInteger();
        executor.executeWithLock(
                (Runnable) () -> {
                    other.admin().release("job", Admin.Waiters.HAND_OFF);
                    awaitInterrupt(interrupted);
                },
                job(Duration.ofMinutes(1)));
        executor.executeWithLock((Runnable) () -> awaitInterrupt(interrupted), job(Duration.ofMillis(300)));
        assertEquals(2, interrupted.get());
        executor.executeWithLock(
                (Runnable) () ->
                        await("it is interrupted", () -> Thread.currentThread().isInterrupted()),
                job(Duration.ofMillis(200)));
        assertFalse(Thread.currentThread().isInterrupted(), "an interrupt outlived its run");
    }

    private static void awaitInterrupt(AtomicInteger interrupted) {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            interrupted.incrementAndGet();
        }
    }

    @Test
    void executor_withLockExtender_extendsAndUnlocks() {
        LockingTaskExecutor executor = new DefaultLockingTaskExecutor(HoldfastLockProvider.exact(holdfast));
        executor.executeWithLock(
                (Runnable) () -> {
                    LockExtender.extendActiveLock(Duration.ofMinutes(20), Duration.ZERO);
                    assertTrue(left() > 1_100_000, "left: " + left());
                },
                job(Duration.ofMinutes(1)));
        assertTrue(isFreeForOthers());
    }
}
