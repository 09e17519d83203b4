package io.holdfast.faults.errors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Candidacy;
import io.holdfast.DeadlockException;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.OnDeadlock;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import io.holdfast.testkit.MemoryServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Executors of the application that run callbacks at once, refuse them, never run them, or have no thread left, in real time. */
final class ExecutorsTest {
    private static final Duration TERM = Duration.ofSeconds(1);
    private static final LockOptions STRICT = LockOptions.defaults()
            .withLeaseDuration(TERM)
            .withStrictOrder()
            .withWaitLimit(Wait.upTo(Duration.ofSeconds(10)));
    private static final LockOptions TURNS =
            LockOptions.defaults().withLeaseDuration(TERM).withWaitLimit(Wait.upTo(Duration.ofSeconds(10)));
    private static final int MANY = 5_000;

    private final MemoryServer server = MemoryServer.start();
    private final List<Holdfast> clients = new ArrayList<>();
    private final LoggedErrors log = new LoggedErrors();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    });

    private Holdfast client(Executor executor) {
        Holdfast client = server.client(HoldfastOptions.defaults()
                .withExecutor(executor)
                .withRefreshInterval(Duration.ofSeconds(1))
                .withCloseTimeout(Duration.ofMillis(500))
                .withDeadlockDetection(Duration.ofSeconds(1)));
        clients.add(client);
        return client;
    }

    @AfterEach
    void close() {
        clients.forEach(Holdfast::close);
        server.close();
        log.close();
        threads.shutdownNow();
    }

    private static <T> T in(Duration limit, Future<T> future) throws Exception {
        return future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    // ---- callbacks at once

    @Test
    void atOnce_manyRequestsInTurns_allAreServed() throws Exception {
        many(TURNS);
    }

    @Test
    void atOnce_manyRequestsOfAKeptLock_allAreServed() throws Exception {
        many(STRICT.withKeepFor(TERM));
    }

    private void many(LockOptions options) throws Exception {
        Holdfast client = client(Runnable::run);
        DistributedLock lock = client.lock("a", options);
        Lease first = lock.acquire();
        CountDownLatch served = new CountDownLatch(MANY);
        AtomicReference<Throwable> failed = new AtomicReference<>();
        for (int i = 0; i < MANY; i++) {
            lock.acquireAsync(Wait.forever()).thenCompose(Lease::releaseAsync).whenComplete((result, failure) -> {
                if (failure != null) {
                    failed.compareAndSet(null, failure);
                }
                served.countDown();
            });
        }
        first.release();
        boolean all = served.await(40, TimeUnit.SECONDS);
        assertEquals(List.of(), log.errors());
        assertTrue(all, () -> "never served: " + served.getCount() + ", failed: " + failed.get());
        assertEquals(null, failed.get());
        assertEquals(0, client.waiterCount());
    }

    // ---- an executor that refuses

    @Test
    void refused_everythingGoesOn() throws Exception {
        goesOn(task -> {
            throw new RejectedExecutionException("full");
        });
    }

    /** With requests, a lease that is renewed, a loss, and those that wait for it. */
    private void goesOn(Executor executor) throws Exception {
        Holdfast client = client(executor);
        Holdfast other = client(Runnable::run);
        Lease lease = in(TERM, client.lock("a", STRICT).acquireAsync());
        CompletableFuture<LossReason> lost = new CompletableFuture<>();
        lease.whenLost().thenAccept(lost::complete);
        CompletableFuture<Lease> next = client.lock("a", STRICT).acquireAsync();
        Thread.sleep(TERM.multipliedBy(2).toMillis()); // what is tested is that time passes
        assertTrue(lease.isValid());
        server.command("DEL", client.lock("a").key());
        assertEquals(LossReason.NOT_ON_SERVER, in(TERM.multipliedBy(2), lost));
        in(TERM.multipliedBy(4), next).release();
        in(TERM.multipliedBy(4), other.lock("a", STRICT).acquireAsync()).release();
    }

    // ---- an executor that never runs

    @Test
    void neverRun_blockingCallsGoOn() throws Exception {
        Holdfast client = client(task -> {});
        Lease first = client.lock("a", STRICT).acquire();
        Future<Lease> second = threads.submit(() -> client.lock("a", STRICT).acquire());
        Future<Lease> third = threads.submit(() -> client.lock("b", TURNS).acquire());
        Lease held = in(TERM, third);
        Future<Lease> fourth = threads.submit(() -> client.lock("b", TURNS).acquire());
        Thread.sleep(TERM.multipliedBy(2).toMillis()); // what is tested is that time passes
        assertTrue(first.isValid() && held.isValid());
        first.release();
        in(TERM, second).release();
        held.release();
        in(TERM, fourth).release();
    }

    @Test
    void neverRun_lossIsCountedByDeadline_andTheNextIsServed() throws Exception {
        for (LockOptions options : List.of(STRICT, TURNS)) {
            Holdfast client = client(task -> {});
            String name = options.equals(STRICT) ? "a" : "b";
            Lease lease = client.lock(name, options).acquire();
            Future<Lease> next = threads.submit(() -> client.lock(name, options).acquire());
            server.freeze();
            Thread.sleep(TERM.toMillis() + 200); // longer than the lease can last
            assertFalse(lease.isValid());
            server.thaw();
            in(TERM.multipliedBy(5), next).release();
        }
    }

    // ---- an executor without a thread left

    @Test
    void blocked_deadlockOnItsThreads_isBroken() throws Exception {
        ExecutorService two = Executors.newFixedThreadPool(2);
        try {
            Holdfast client = client(two);
            LockOptions breaks = STRICT.withDeadlock(OnDeadlock.BREAK);
            CountDownLatch both = new CountDownLatch(2);
            List<Future<String>> done = new ArrayList<>();
            for (String mine : List.of("a", "b")) {
                done.add(two.submit(() -> {
                    try (Lease held = client.lock(mine, breaks).acquire()) {
                        both.countDown();
                        both.await();
                        try (Lease wanted = client.lock(mine.equals("a") ? "b" : "a", breaks)
                                .acquire()) {
                            return "both";
                        } catch (DeadlockException e) {
                            return held.isValid() ? "broken" : "lost";
                        }
                    }
                }));
            }
            List<String> ends = new ArrayList<>(
                    List.of(in(Duration.ofSeconds(8), done.get(0)), in(Duration.ofSeconds(8), done.get(1))));
            ends.sort(null);
            assertEquals(List.of("both", "broken"), ends);
        } finally {
            two.shutdownNow();
        }
    }

    @Test
    void blocked_leaderIsInterruptedInTime() throws Exception {
        ExecutorService one = Executors.newSingleThreadExecutor();
        try {
            Holdfast client = client(one);
            CountDownLatch leads = new CountDownLatch(1);
            CompletableFuture<Long> interrupted = new CompletableFuture<>();
            Candidacy candidacy = client.election("e", STRICT).campaign(leadership -> {
                leads.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.complete(leadership.remaining().toMillis());
                }
            });
            assertTrue(leads.await(5, TimeUnit.SECONDS), "it never leads");
            CountDownLatch free = new CountDownLatch(1);
            one.submit(() -> {
                free.await();
                return "";
            });
            server.freeze();
            long left = in(TERM.multipliedBy(2), interrupted);
            assertTrue(left > 0, "interrupted only when it leads no more");
            server.thaw();
            free.countDown();
            candidacy.close();
        } finally {
            one.shutdownNow();
        }
    }

    @Test
    void blocked_nextWaiterOfTheSameClientIsServed() throws Exception {
        ExecutorService one = Executors.newSingleThreadExecutor();
        try {
            for (LockOptions options : List.of(STRICT, TURNS, STRICT.withKeepFor(TERM))) {
                Holdfast client = client(one);
                CountDownLatch free = new CountDownLatch(1);
                one.submit(() -> {
                    free.await();
                    return "";
                });
                DistributedLock lock = client.lock("a", options);
                Lease lease = lock.acquire();
                AtomicInteger served = new AtomicInteger();
                List<Future<?>> waiters = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    waiters.add(threads.submit(() -> {
                        try (Lease next = lock.acquire()) {
                            return served.incrementAndGet();
                        }
                    }));
                }
                lease.release();
                for (Future<?> each : waiters) {
                    in(TERM.multipliedBy(2), each);
                }
                assertEquals(3, served.get());
                free.countDown();
                client.close();
            }
        } finally {
            one.shutdownNow();
        }
    }

    // ---- threads of an election

    @Test
    void threadOfALeader_cannotBeMadeOnce_anotherLeads() throws Exception {
        Holdfast client = client(Runnable::run);
        AtomicInteger made = new AtomicInteger();
        CountDownLatch leads = new CountDownLatch(1);
        Candidacy candidacy = client.election("e", STRICT)
                .withThreads(task -> {
                    if (made.getAndIncrement() == 0) {
                        throw new Injected("unable to create native thread");
                    }
                    return new Thread(task);
                })
                .campaign(leadership -> leads.countDown());
        assertTrue(leads.await(6, TimeUnit.SECONDS), "it never leads after its first thread could not be made");
        candidacy.close();
    }
}
