package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LockRefusedException;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossReason;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.testkit.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Ten thousand uses of a few locks, each ended in one of all the ways in which a use can end. Throughout, no two leases of
 * one lock are valid at once and tokens rise; in the end nothing is held and nobody waits.
 *
 * <p>What each thread does follows from a seed, which a failure tells and {@code -Dholdfast.test.seed=…} sets; how the
 * threads meet does not.
 */
@SuppressWarnings("NullAway.Init") // everything is made before each test
public class RandomLoadContract extends LockSuite {
    private static final int USES = 10_000;
    private static final int CLIENTS = 3;
    private static final int THREADS = 12;
    private static final List<String> NAMES = List.of("a", "b", "c");
    private static final List<LockOptions.Order> ORDERS =
            List.of(LockOptions.Order.FIFO, LockOptions.Order.LIFO, LockOptions.Order.RANDOM);
    private static final LockOptions OPTIONS = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(10));
    private static final LockOptions NEVER_RENEWED =
            LockOptions.defaults().withLeaseDuration(Duration.ofMillis(200)).withRenewal(false);

    /** The ways in which a use of a lock can be begun and ended. */
    private enum Way {
        ACQUIRE,
        TRY,
        TIMED,
        INTERRUPTED,
        CALL,
        ASYNC,
        CANCELLED,
        COMPLETED,
        TIMED_OUT_OUTSIDE,
        CALL_ASYNC,
        CALL_ASYNC_CANCELLED,
        EVICTING,
        FORGOTTEN,
        CLOSED
    }

    private static final List<Way> COMMON =
            List.copyOf(EnumSet.complementOf(EnumSet.of(Way.EVICTING, Way.FORGOTTEN, Way.CLOSED)));

    /** What is known of one lock, from inside it. */
    private final class Inside {
        final AtomicReference<@Nullable Lease> last = new AtomicReference<>();
        final AtomicLong token = new AtomicLong();

        /** Called by whoever has just obtained a lease. */
        void enter(Lease lease) {
            Lease before = last.getAndSet(lease);
            // Asked in this order: if the one before is valid now, and this one is so later, both were just now.
            if (before != null && before.isValid() && lease.isValid()) {
                violations.add(before + " and " + lease + " are valid at once");
            }
            long highest = token.getAndAccumulate(lease.token(), Math::max);
            if (highest >= lease.token() && lease.isValid()) {
                violations.add("token " + lease.token() + " of " + lease + " after " + highest);
            }
            entered.incrementAndGet();
        }
    }

    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger entered = new AtomicInteger();
    private final Map<Way, Integer> uses = new ConcurrentHashMap<>();
    private final AtomicInteger left = new AtomicInteger(USES);
    private final List<AtomicReference<Holdfast>> clients = new ArrayList<>();
    private final List<Inside> locks = List.of(new Inside(), new Inside(), new Inside());
    private ScheduledExecutorService scheduler;
    private TestServer server;
    private long seed;

    @BeforeEach
    final void start() {
        server = startLockServer();
        scheduler = new ScheduledThreadPoolExecutor(2);
        seed = Long.getLong("holdfast.test.seed", System.nanoTime());
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new AtomicReference<>(newClient()));
        }
    }

    @AfterEach
    final void stop() {
        scheduler.shutdownNow();
    }

    private Holdfast newClient() {
        return closeLater(Holdfast.over(driver(server.address()), HoldfastOptions.defaults()));
    }

    @Test
    void locks_usedInAllWaysAtRandom_excludeAndLeaveNothing() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(seed + i);
            Thread thread = new Thread(() -> useUntilDone(random), "random-" + i);
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                thread.join(50);
                assertEveryKeyExpires(server);
            }
        }
        String told = "seed " + seed + ", uses " + uses + ", entered " + entered;
        assertEquals(List.of(), List.copyOf(violations), told);
        assertTrue(entered.get() > USES / 4, told);
        assertEquals(Way.values().length, uses.size(), told);
        try {
            // A request that was not answered before it ended leaves a tombstone, and one that was dropped is
            // remembered;
            // no test can wait until that has gone.
            awaitNothingLeft(server, key -> !key.contains(":x:") && !key.endsWith(":e"));
        } catch (AssertionError e) {
            throw new AssertionError(told, e);
        }
        assertEveryKeyExpires(server);
    }

    private void useUntilDone(Random random) {
        while (left.getAndDecrement() > 0 && violations.isEmpty()) {
            Way way = choose(random);
            uses.merge(way, 1, Integer::sum);
            try {
                use(way, random);
            } catch (HoldfastClosedException | LockTimeoutException | InterruptedException | CancellationException e) {
                // Each of them is an end that somebody here has asked for.
            } catch (ServerUnreachableException e) {
                // No answer came within the few milliseconds that the request wanted to wait.
                expect(way == Way.TIMED, way, e);
            } catch (LockRefusedException e) {
                // The queue was full, or somebody here has dropped those who waited.
            } catch (LeaseLostException e) {
                expect(e.reason() == LossReason.CLIENT_CLOSED, way, e);
            } catch (ExecutionException e) {
                expect(
                        e.getCause() instanceof HoldfastClosedException
                                || e.getCause() instanceof LockTimeoutException
                                || e.getCause() instanceof LockRefusedException
                                || e.getCause() instanceof TimeoutException
                                || e.getCause() instanceof WorkFailed
                                || (e.getCause() instanceof LeaseLostException lost
                                        && lost.reason() == LossReason.CLIENT_CLOSED),
                        way,
                        e);
            } catch (Exception | AssertionError e) {
                expect(false, way, e);
            }
        }
    }

    private void expect(boolean expected, Way way, Throwable e) {
        if (!expected) {
            violations.add(way + ": " + e + " because of " + e.getCause());
        }
    }

    private static Way choose(Random random) {
        if (random.nextInt(50) == 0) {
            return List.of(Way.CLOSED, Way.CLOSED, Way.EVICTING, Way.FORGOTTEN).get(random.nextInt(4));
        }
        return COMMON.get(random.nextInt(COMMON.size()));
    }

    private static final class WorkFailed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private void use(Way way, Random random) throws Exception {
        int which = random.nextInt(NAMES.size());
        AtomicReference<Holdfast> slot = clients.get(random.nextInt(CLIENTS));
        LockOptions options = OPTIONS.withPriority(random.nextInt(3) - 1)
                .withOrder(ORDERS.get(random.nextInt(ORDERS.size())))
                .withQueueLimit(random.nextInt(4) == 0 ? 1 + random.nextInt(THREADS) : 0);
        if (options.order() == LockOptions.Order.FIFO && random.nextBoolean()) {
            options = options.withPriority(0).withGroup("group " + random.nextInt(3), 1 + random.nextInt(3));
        }
        Holdfast holdfast = Objects.requireNonNull(slot.get());
        DistributedLock lock = holdfast.lock(NAMES.get(which), options);
        Inside inside = locks.get(which);
        Duration moment = Duration.ofNanos(random.nextInt(3_000_000));
        switch (way) {
            case ACQUIRE -> release(work(inside, lock.acquire()), random);
            case TRY -> {
                Attempt<Lease> attempt = lock.attempt(Wait.none());
                attempt.asOptional().ifPresent(lease -> release(work(inside, lease), random));
            }
            case TIMED -> {
                Wait wait = Wait.upTo(Duration.ofMillis(1 + random.nextInt(20)));
                lock.tryAcquire(wait).ifPresent(lease -> release(work(inside, lease), random));
            }
            case INTERRUPTED -> {
                try (Alarm alarm = new Alarm(Thread.currentThread())) {
                    scheduler.schedule(alarm::ring, moment.toNanos(), TimeUnit.NANOSECONDS);
                    release(work(inside, lock.acquire()), random);
                }
            }
            case CALL -> {
                long token = lock.call(lease -> work(inside, lease).token());
                expect(token > 0, way, new AssertionError("token " + token));
            }
            case ASYNC -> {
                Lease lease = lock.acquireAsync().get();
                release(work(inside, lease), random);
            }
            case CANCELLED -> {
                CompletableFuture<Lease> future = lock.acquireAsync();
                scheduler.schedule(() -> future.cancel(true), moment.toNanos(), TimeUnit.NANOSECONDS);
                release(work(inside, future.get()), random);
            }
            case COMPLETED -> {
                CompletableFuture<Lease> future = lock.acquireAsync();
                scheduler.schedule(
                        () -> future.completeExceptionally(new WorkFailed()), moment.toNanos(), TimeUnit.NANOSECONDS);
                release(work(inside, future.get()), random);
            }
            case TIMED_OUT_OUTSIDE -> {
                CompletableFuture<Lease> future = lock.acquireAsync();
                future.orTimeout(moment.toNanos(), TimeUnit.NANOSECONDS);
                release(work(inside, future.get()), random);
            }
            case CALL_ASYNC -> {
                boolean fails = random.nextInt(4) == 0;
                lock.callAsync(lease -> {
                            work(inside, lease);
                            return fails
                                    ? CompletableFuture.failedFuture(new WorkFailed())
                                    : CompletableFuture.supplyAsync(lease::token);
                        })
                        .get();
            }
            case CALL_ASYNC_CANCELLED -> {
                CompletableFuture<Lease> future =
                        lock.callAsync(lease -> CompletableFuture.completedFuture(work(inside, lease)));
                scheduler.schedule(() -> future.cancel(true), moment.toNanos(), TimeUnit.NANOSECONDS);
                future.get();
            }
            // Drops those who wait and leaves the hold alone, which has another token for certain.
            case EVICTING -> holdfast.admin().release(NAMES.get(which), 1, Admin.Waiters.DROP);
            case FORGOTTEN -> work(inside, lock.with(NEVER_RENEWED).acquire());
            case CLOSED -> Objects.requireNonNull(slot.getAndSet(newClient())).close();
        }
    }

    private static Lease work(Inside inside, Lease lease) {
        inside.enter(lease);
        return lease;
    }

    private static void release(Lease lease, Random random) {
        if (random.nextBoolean()) {
            lease.release();
        } else {
            lease.releaseAsync();
        }
    }

    /** Interrupts a thread, but never after it was closed. */
    private static final class Alarm implements AutoCloseable {
        private @Nullable Thread thread;

        Alarm(Thread thread) {
            this.thread = thread;
        }

        synchronized void ring() {
            Thread armed = thread;
            if (armed != null) {
                armed.interrupt();
            }
        }

        @Override
        public void close() {
            synchronized (this) {
                thread = null;
            }
            Thread.interrupted();
        }
    }
}
