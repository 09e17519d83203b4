package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an exclusive lock promises when nothing fails: one holder, the server's order, tokens, terms, nothing left behind. */
@SuppressWarnings("NullAway.Init") // the server is started before each test
public class ExclusiveLockContract extends LockSuite {
    private TestServer server;

    @BeforeEach
    final void start() {
        server = startLockServer();
    }

    @Test
    void acquire_freeLock_isHeldAndReleasedInOneTripEach() throws Exception {
        Holdfast holdfast = client(server);
        DistributedLock lock = holdfast.lock("invoice/42");
        Lease lease = lock.acquire();
        assertTrue(lease.isValid());
        assertTrue(lease.token() > 0);
        assertEquals(0, lease.initialPosition());
        assertEquals(1, lease.attempts());
        assertTrue(lease.remaining().compareTo(Duration.ofSeconds(30)) < 0);
        assertTrue(lease.remaining().compareTo(Duration.ofSeconds(25)) > 0);
        assertEquals(List.of("hf:{invoice/42}"), keysButTokens(server));
        assertEveryKeyExpires(server);

        assertEquals(ReleaseResult.RELEASED, lease.release());
        assertFalse(lease.isValid());
        assertEquals(Duration.ZERO, lease.remaining());
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        assertEquals(List.of(), keysButTokens(server));
    }

    @Test
    void attempt_takenLock_tellsTheHolderInWords() throws Exception {
        Holdfast first = client(server.address(), HoldfastOptions.defaults().withApplication("billing"));
        Lease lease = first.lock("a").acquire();
        Attempt<Lease> attempt = client(server).lock("a").attempt(Wait.none());
        Attempt.NotObtained<Lease> taken = assertNotObtained(Reason.TAKEN, attempt);
        var holder = taken.contention().holder().orElseThrow();
        assertEquals("billing", holder.application());
        assertEquals(Long.toString(ProcessHandle.current().pid()), holder.pid());
        assertEquals(Thread.currentThread().getName(), holder.actor());
        assertEquals(lease.token(), holder.token());
        assertEquals(lease.owner(), holder.owner());
        assertTrue(taken.contention().remaining().toSeconds() >= 25);
    }

    @Test
    void acquire_notFreeInTime_throwsWithHolderAndPlaceAndLeavesTheQueue() throws Exception {
        Lease lease = client(server).lock("a").acquire();
        DistributedLock lock = client(server).lock("a");
        LockTimeoutException failure = assertThrows(LockTimeoutException.class, () -> lock.acquire(IN_VAIN));
        assertEquals("a", failure.lockName());
        assertEquals(1, failure.contention().position());
        assertEquals(lease.owner(), failure.contention().holder().orElseThrow().owner());
        await("the request leaves the queue", () -> keysOfHoldsAndQueues(server).equals(List.of("hf:{a}")));
        assertNotObtained(Reason.TIMED_OUT, lock.attempt(IN_VAIN));
    }

    @Test
    void release_withWaiters_handsOffInTheOrderOfArrival() throws Exception {
        Holdfast holder = client(server);
        List<Holdfast> clients = List.of(client(server), client(server), client(server));
        Lease lease = holder.lock("a").acquire();
        List<Integer> order = new ArrayList<>();
        List<CompletableFuture<Void>> waiting = new ArrayList<>();
        AtomicReference<Long> lastToken = new AtomicReference<>(lease.token());
        for (int i = 0; i < 30; i++) {
            int number = i;
            waiting.add(clients.get(i % 3).lock("a", STRICT).acquireAsync().thenAccept(next -> {
                order.add(number); // under the lock
                assertTrue(next.token() > lastToken.getAndSet(next.token()));
                assertTrue(next.isValid());
                assertEquals(number + 1, next.initialPosition());
                next.releaseAsync();
            }));
            int queued = i + 1;
            await("waiter " + i + " is queued", () -> holder.inspect().lock("a").waiters() == queued);
        }
        lease.release();
        CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            expected.add(i);
        }
        assertEquals(expected, order);
        awaitNothingLeft(server);
    }

    @Test
    void acquire_manyThreadsOfManyClients_neverOverlapAndTokensRise() throws Exception {
        int rounds = 50;
        List<Thread> threads = new ArrayList<>();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        long[] last = new long[1];
        for (int c = 0; c < 3; c++) {
            DistributedLock lock = client(server).lock("counter");
            for (int t = 0; t < 4; t++) {
                threads.add(new Thread(() -> {
                    try {
                        for (int i = 0; i < rounds; i++) {
                            lock.call(lease -> {
                                assertEquals(1, inside.incrementAndGet());
                                assertTrue(lease.token() > last[0]);
                                last[0] = lease.token();
                                assertTrue(lease.isValid());
                                inside.decrementAndGet();
                                return done.incrementAndGet();
                            });
                        }
                    } catch (Throwable e) {
                        failure.compareAndSet(null, e);
                    }
                }));
            }
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertNull(failure.get(), () -> "failed: " + failure.get());
        assertEquals(12 * rounds, done.get());
        awaitNothingLeft(server);
    }

    @Test
    void shortestHold_afterRelease_keepsTheLockTakenByNobody() throws Exception {
        Holdfast holdfast = client(server.address(), LAZY);
        Holdfast other = client(server);
        LockOptions options = LockOptions.defaults().withMinHold(Duration.ofMillis(600));
        Lease lease = holdfast.lock("job", options).acquire();
        assertEquals(ReleaseResult.RELEASED, lease.release());
        Attempt.NotObtained<Lease> taken =
                assertNotObtained(Reason.TAKEN, other.lock("job").attempt(Wait.none()));
        assertTrue(taken.contention().holder().orElseThrow().resting());
        long begin = System.nanoTime();
        Lease next = holdfast.lock("job").acquire();
        assertTrue(next.token() > lease.token());
        assertBeforeARefresh(begin);
    }

    @Test
    void requestLife_toTheTail_servesTheNextFirst() throws Exception {
        Holdfast holder = client(server);
        Lease lease = holder.lock("a").acquire();
        LockOptions shortLife =
                LockOptions.defaults().withRequestLife(Duration.ofMillis(100), LockOptions.RequestEnd.TO_TAIL);
        List<String> order = new ArrayList<>();
        CompletableFuture<Void> first = client(server)
                .lock("a", shortLife)
                .acquireAsync()
                .thenAccept(next -> {
                    order.add("short life");
                    next.release();
                });
        await("it is queued", () -> holder.inspect().lock("a").waiters() == 1);
        CompletableFuture<Void> second = client(server).lock("a").acquireAsync().thenAccept(next -> {
            order.add("long life");
            next.release();
        });
        await("it is queued", () -> holder.inspect().lock("a").waiters() == 2);
        // The second may have come after the end of the first's life, and so behind the next one.
        long queued = serverMillis();
        await("the first request outlives its life", () -> serverMillis() > queued + 150);
        lease.release();
        CompletableFuture.allOf(first, second).get(20, TimeUnit.SECONDS);
        assertEquals(List.of("long life", "short life"), order);
    }

    @Test
    void requestLife_leave_endsAsTimedOutAndLeavesTheQueue() throws Exception {
        Lease lease = client(server).lock("a").acquire();
        LockOptions shortLife =
                LockOptions.defaults().withRequestLife(Duration.ofMillis(100), LockOptions.RequestEnd.LEAVE);
        assertNotObtained(Reason.TIMED_OUT, client(server).lock("a", shortLife).attempt());
        await("the request leaves the queue", () -> keysOfHoldsAndQueues(server).equals(List.of("hf:{a}")));
        assertTrue(lease.isValid());
    }

    private long serverMillis() {
        List<Reply> time = server.command("TIME").asList();
        return time.get(0).asLong() * 1_000 + time.get(1).asLong() / 1_000;
    }

    @Test
    void leastRemaining_isArmedAnewWhenLess() throws Exception {
        // A handoff brings a claim window of a second only; ten seconds are asked for.
        Holdfast first = client(server);
        Lease lease = first.lock("a").acquire();
        LockOptions options = LockOptions.defaults().withMinRemaining(Duration.ofSeconds(10));
        CompletableFuture<Lease> next = client(server).lock("a", options).acquireAsync();
        await("it is queued", () -> first.inspect().lock("a").waiters() == 1);
        lease.release();
        assertTrue(next.get(10, TimeUnit.SECONDS).remaining().toSeconds() >= 10);
    }

    @Test
    void detach_livesItsTermAfterTheClientClosed() throws Exception {
        Holdfast holdfast = client(server);
        Lease lease = holdfast.lock("a").acquire();
        lease.detach();
        holdfast.close();
        assertEquals(List.of("hf:{a}"), keysButTokens(server));
        assertTrue(server.command("PTTL", "hf:{a}").asLong() > 25_000);
    }

    @Test
    void inspect_showsHoldersAndTheQueueInOrder() throws Exception {
        Holdfast holdfast = client(server.address(), HoldfastOptions.defaults().withApplication("my app/1 %"));
        Lease lease = holdfast.lock("with {braces} and \n control % chars").acquire();
        CompletableFuture<Lease> first = holdfast.lock(lease.name(), STRICT).acquireAsync();
        await("it is queued", () -> holdfast.inspect().lock(lease.name()).waiters() == 1);
        CompletableFuture<Lease> second = holdfast.lock(lease.name(), STRICT).acquireAsync();
        await("it is queued", () -> holdfast.inspect().lock(lease.name()).waiters() == 2);
        LockInfo info = holdfast.inspect().lock(lease.name());
        assertEquals("my app/1 %", info.holder().orElseThrow().application());
        assertEquals(lease.token(), info.holder().orElseThrow().token());
        assertEquals(Duration.ofSeconds(30), info.leaseDuration());
        assertEquals(2, info.queue().size());
        List<LockInfo> all = new ArrayList<>();
        holdfast.inspect().locks().forEach(all::add);
        assertEquals(1, all.size());
        assertEquals(lease.name(), all.get(0).name());
        assertEquals(2, all.get(0).waiters());
        first.cancel(false);
        second.cancel(false);
        LockInfo free = holdfast.inspect().lock("nobody");
        assertEquals(Optional.empty(), free.holder());
        assertEquals(0, free.waiters());
    }
}
