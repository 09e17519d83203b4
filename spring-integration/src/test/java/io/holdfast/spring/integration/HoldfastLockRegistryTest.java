package io.holdfast.spring.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.ServerUnreachableException;
import io.holdfast.contracts.LockSuite;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import java.lang.reflect.InvocationTargetException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/** The registry's own promises, and those that Spring Integration's registry for Redis is tested for. */
// The server is started before each test; locking is what is tested.
@SuppressWarnings({"NullAway.Init", "LockNotBeforeTry"})
class HoldfastLockRegistryTest extends LockSuite {
    private RedisServer server;
    private Holdfast holdfast;
    private HoldfastLockRegistry registry;
    private HoldfastLockRegistry elsewhere;

    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }

    @BeforeEach
    void start() {
        server = startServer();
        holdfast = client(server);
        registry = HoldfastLockRegistry.of(holdfast, "orders");
        elsewhere = HoldfastLockRegistry.of(client(server), "orders");
    }

    private static <T> T inOtherThread(Callable<T> work) throws Exception {
        FutureTask<T> task = new FutureTask<>(work);
        new Thread(task, "other").start();
        return task.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static boolean isFree(HoldfastLockRegistry registry, String key) throws Exception {
        return inOtherThread(() -> {
            Lock lock = registry.obtain(key);
            boolean free = lock.tryLock();
            if (free) {
                lock.unlock();
            }
            return free;
        });
    }

    private boolean isLocked(String key) {
        return holdfast.inspect().isLocked("orders:" + key);
    }

    @Test
    void registry_isOfAllItsKinds() {
        assertInstanceOf(ExpirableLockRegistry.class, registry);
        assertInstanceOf(RenewableLockRegistry.class, registry);
    }

    @Test
    void obtain_sameKey_isTheSameLock() {
        Lock lock = registry.obtain("a");
        assertSame(lock, registry.obtain("a"));
        assertNotSame(lock, registry.obtain("b"));
        assertNotSame(lock, elsewhere.obtain("a"));
        assertEquals(lock, registry.obtain("a"));
        assertEquals(lock.hashCode(), registry.obtain("a").hashCode());
        assertTrue(lock.toString().contains("orders:a"), lock.toString());
    }

    @Test
    void obtain_keyThatIsNoString_isRefused() {
        String message = assertThrows(IllegalArgumentException.class, () -> registry.obtain(42))
                .getMessage();
        assertTrue(String.valueOf(message).contains("java.lang.Integer"), message);
    }

    @Test
    void lock_inEachWay_excludesOtherThreadsAndRegistries() throws Exception {
        Lock lock = registry.obtain("a");
        List<Callable<Boolean>> ways = List.of(
                () -> {
                    lock.lock();
                    return true;
                },
                () -> {
                    lock.lockInterruptibly();
                    return true;
                },
                lock::tryLock,
                () -> lock.tryLock(1, TimeUnit.SECONDS));
        for (Callable<Boolean> way : ways) {
            assertTrue(way.call());
            assertTrue(isLocked("a"));
            assertFalse(isFree(registry, "a"));
            assertFalse(isFree(elsewhere, "a"));
            assertTrue(isFree(registry, "b"));
            assertFalse(inOtherThread(() -> elsewhere.obtain("a").tryLock(50, TimeUnit.MILLISECONDS)));
            lock.unlock();
            assertFalse(isLocked("a"));
            assertTrue(isFree(elsewhere, "a"));
        }
    }

    @Test
    void lock_again_entersAgainUntilUnlockedAsOften() throws Exception {
        registry.obtain("a").lock();
        registry.obtain("a").lockInterruptibly();
        assertTrue(registry.obtain("a").tryLock());
        assertTrue(registry.obtain("a").tryLock(0, TimeUnit.SECONDS));
        for (int i = 0; i < 3; i++) {
            registry.obtain("a").unlock();
            assertFalse(isFree(registry, "a"));
        }
        registry.obtain("a").unlock();
        assertTrue(isFree(registry, "a"));
    }

    @Test
    void lock_waiting_isGrantedInTheOtherProcessWhenUnlocked() throws Exception {
        Lock lock = registry.obtain("a");
        lock.lock();
        CompletableFuture<Boolean> granted = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            Lock theirs = elsewhere.obtain("a");
            theirs.lock();
            granted.complete(theirs.tryLock());
            theirs.unlock();
            theirs.unlock();
        });
        waiter.start();
        await("it waits", () -> holdfast.inspect().isQueued("orders:a"));
        assertFalse(granted.isDone());
        lock.unlock();
        assertTrue(granted.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        waiter.join();
        assertFalse(isLocked("a"));
    }

    @Test
    void lockInterruptibly_interruptedWhileItWaits_leavesTheQueue() throws Exception {
        registry.obtain("a").lock();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread waiter = new Thread(() -> {
            try {
                elsewhere.obtain("a").lockInterruptibly();
            } catch (InterruptedException | RuntimeException e) {
                thrown.complete(e);
            }
        });
        waiter.start();
        await("it waits", () -> holdfast.inspect().isQueued("orders:a"));
        waiter.interrupt();
        assertInstanceOf(InterruptedException.class, thrown.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        await("it has left", () -> !holdfast.inspect().isQueued("orders:a"));
        registry.obtain("a").unlock();
    }

    @Test
    void lock_interruptedThread_locksAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        Lock lock = registry.obtain("a");
        lock.lock();
        assertTrue(lock.tryLock());
        assertTrue(Thread.interrupted());
        lock.unlock();
        lock.unlock();
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> lock.tryLock(1, TimeUnit.SECONDS));
        assertFalse(Thread.currentThread().isInterrupted());
    }

    @Test
    void unlock_byAThreadThatHasNotLocked_throwsAndChangesNothing() throws Exception {
        Lock lock = registry.obtain("a");
        lock.lock();
        assertInstanceOf(
                IllegalMonitorStateException.class,
                inOtherThread(() -> assertThrows(IllegalMonitorStateException.class, lock::unlock)));
        assertFalse(isFree(elsewhere, "a"));
        lock.unlock();
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
        assertThrows(UnsupportedOperationException.class, lock::newCondition);
    }

    @Test
    void lock_heldLongerThanItsTerm_isRenewed() throws Exception {
        HoldfastLockRegistry brief =
                registry.withOptions(LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2)));
        Lock lock = brief.obtain("a");
        lock.lock();
        long begin = System.nanoTime();
        await("two terms have passed", () -> {
            assertTrue(isLocked("a"));
            return System.nanoTime() - begin > 4_100_000_000L;
        });
        lock.unlock();
        assertTrue(isFree(elsewhere, "a"));
    }

    @Test
    void lock_thatIsLost_tellsAtTheNextCallAndIsUnlockedByUnlock() throws Exception {
        Lock lock = registry.obtain("a");
        lock.lock();
        lock.lock();
        holdfast.admin().release("orders:a", Admin.Waiters.HAND_OFF);
        await("it is known", () -> {
            try {
                lock.lock();
                lock.unlock();
                return false;
            } catch (LeaseLostException e) {
                return true;
            }
        });
        assertThrows(LeaseLostException.class, lock::tryLock);
        assertThrows(LeaseLostException.class, () -> lock.tryLock(1, TimeUnit.SECONDS));
        assertThrows(IllegalStateException.class, () -> registry.renewLock("a"));
        assertTrue(isFree(registry, "a"), "others are not concerned");
        assertThrows(LeaseLostException.class, lock::unlock);
        assertThrows(LeaseLostException.class, lock::unlock);
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
        assertTrue(lock.tryLock());
        lock.unlock();
    }

    @Test
    void tryLock_serverThatDoesNotAnswer_throws() {
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        HoldfastLockRegistry remote = HoldfastLockRegistry.of(
                client(proxy.address(), HoldfastOptions.defaults().withCommandTimeout(Duration.ofMillis(300))),
                "orders");
        proxy.stall(TcpProxy.Kind.COMMANDS);
        Lock lock = remote.obtain("a");
        assertThrows(ServerUnreachableException.class, lock::tryLock);
        assertThrows(ServerUnreachableException.class, () -> lock.tryLock(100, TimeUnit.MILLISECONDS));
        assertThrows(IllegalMonitorStateException.class, lock::unlock);
        proxy.resume();
    }

    @Test
    void lock_serverAwayMeanwhile_isWaitedFor() throws Exception {
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        HoldfastLockRegistry remote = HoldfastLockRegistry.of(
                client(
                        proxy.address(),
                        HoldfastOptions.defaults()
                                .withCommandTimeout(Duration.ofMillis(200))
                                .withRefreshInterval(Duration.ofMillis(300))),
                "orders");
        proxy.stall(TcpProxy.Kind.COMMANDS);
        FutureTask<Boolean> task = new FutureTask<>(() -> {
            remote.obtain("a").lock();
            boolean there = isLocked("a");
            remote.obtain("a").unlock();
            return there;
        });
        new Thread(task, "waits").start();
        assertThrows(TimeoutException.class, () -> task.get(800, TimeUnit.MILLISECONDS));
        proxy.resume();
        assertTrue(task.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
    }

    @Test
    void renewLock_byItsThread_makesItLast() throws Exception {
        registry.obtain("a").lock();
        registry.renewLock("a");
        registry.renewLock("a", Duration.ofMinutes(10));
        long left = server.command("PTTL", holdfast.lock("orders:a").key()).asLong();
        assertTrue(left > 590_000, "left: " + left);
        assertInstanceOf(
                IllegalStateException.class,
                inOtherThread(() -> assertThrows(IllegalStateException.class, () -> registry.renewLock("a"))));
        assertThrows(IllegalStateException.class, () -> registry.renewLock("b"));
        registry.obtain("a").unlock();
    }

    @Test
    void executeLocked_work_isDoneUnderTheLock() throws Exception {
        AtomicInteger done = new AtomicInteger();
        registry.executeLocked("a", () -> {
            assertTrue(isLocked("a"));
            done.incrementAndGet();
        });
        assertFalse(isLocked("a"));
        elsewhere.obtain("a").lock();
        assertThrows(
                TimeoutException.class,
                () -> registry.executeLocked("a", Duration.ofMillis(20), () -> {
                    done.incrementAndGet();
                }));
        elsewhere.obtain("a").unlock();
        assertEquals(1, done.get());
    }

    @Test
    void views_thatNobodyRefersTo_areForgottenAndHeldOnesAreNot() throws Exception {
        for (int i = 0; i < 20; i++) {
            registry.obtain("held " + i).lock(); // nobody refers to the lock itself
        }
        Lock referred = registry.obtain("referred");
        int many = 10_000;
        Lock[] once = new Lock[many];
        for (int i = 0; i < many; i++) {
            once[i] = registry.obtain("once " + i);
        }
        assertEquals(many + 21, registry.size());
        assertSame(once[many - 1], registry.obtain("once " + (many - 1)));
        Arrays.fill(once, null);
        await("they are forgotten", () -> {
            System.gc();
            return registry.size() == 21;
        });
        registry.expireUnusedOlderThan(0);
        assertSame(referred, registry.obtain("referred"));
        for (int i = 0; i < 20; i++) {
            assertTrue(registry.obtain("held " + i).tryLock(), "the thread holds it");
            registry.obtain("held " + i).unlock();
            registry.obtain("held " + i).unlock();
            assertFalse(isLocked("held " + i));
        }
    }

    @Test
    void views_manyThreadsAtOnce_neverLockTwice() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        List<FutureTask<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            HoldfastLockRegistry mine = i % 2 == 0 ? registry : elsewhere;
            FutureTask<Boolean> task = new FutureTask<>(() -> {
                for (int n = 0; n < 30; n++) {
                    mine.obtain("a").lock();
                    if (inside.incrementAndGet() > 1) {
                        overlaps.incrementAndGet();
                    }
                    mine.expireUnusedOlderThan(0);
                    inside.decrementAndGet();
                    mine.obtain("a").unlock();
                }
                return true;
            });
            tasks.add(task);
            new Thread(task, "worker " + i).start();
        }
        for (FutureTask<Boolean> task : tasks) {
            assertTrue(task.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        }
        assertEquals(0, overlaps.get());
    }

    /** The interface came with Spring Integration 7. */
    @Test
    void locks_withSpringIntegration7_takeATimeToLive() throws Exception {
        Lock lock = registry.obtain("a");
        Class<?> timed;
        try {
            timed = Class.forName("org.springframework.integration.support.locks.DistributedLock");
        } catch (ClassNotFoundException e) {
            assertInstanceOf(RegistryLock.class, lock);
            return;
        }
        assertInstanceOf(timed, lock);
        timed.getMethod("lock", Duration.class).invoke(lock, Duration.ofMinutes(20));
        long left = server.command("PTTL", holdfast.lock("orders:a").key()).asLong();
        assertTrue(left > 1_190_000, "left: " + left);
        lock.unlock();
        var tryLock = timed.getMethod("tryLock", Duration.class, Duration.class);
        elsewhere.obtain("a").lock();
        assertEquals(false, tryLock.invoke(lock, Duration.ofMillis(20), Duration.ofMinutes(20)));
        elsewhere.obtain("a").unlock();
        assertEquals(true, tryLock.invoke(lock, Duration.ofMillis(20), Duration.ofMinutes(20)));
        lock.unlock();
        assertInstanceOf(
                IllegalArgumentException.class,
                assertThrows(
                                InvocationTargetException.class,
                                () -> timed.getMethod("lock", Duration.class).invoke(lock, Duration.ZERO))
                        .getCause());
        assertTrue(isFree(elsewhere, "a"));
    }
}
