package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.HoldfastOptions;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.AnyLock.Answer;
import io.holdfast.contracts.AnyLock.Outcome;
import io.holdfast.contracts.AnyLock.Terms;
import io.holdfast.contracts.LockClient.AskingAgain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is true of asking for any lock and of work under it, for each kind of lock. Whatever a test did, nothing is left on
 * the servers once all clients are closed.
 */
public class LockContract extends LockKindSuite {
    // ---- obtaining and giving back

    @EachKind
    void acquire_freeLock_isHeldUntilItIsReleased(LockKind kind) throws Exception {
        AnyLock lock = lock(client(kind));
        AnyLease lease = lock.acquire();
        assertTrue(lease.isValid());
        lease.requireValid();
        assertTrue(lease.isHeldOnServer());
        assertEquals(1, lease.attempts());
        Duration term = Terms.LONG.term();
        assertTrue(lease.remaining().compareTo(term) < 0, "less than the term, by the allowance for the clocks");
        assertTrue(lease.remaining().compareTo(term.dividedBy(2)) > 0);
        assertTrue(lock.remaining().compareTo(Duration.ZERO) > 0
                && lock.remaining().compareTo(term) <= 0);
        awaitHeldOnly(kind);
        servers.forEach(LockSuite::assertEveryKeyExpires);

        assertEquals(kind.released(), lease.release());
        assertFalse(lease.isValid());
        assertEquals(Duration.ZERO, lease.remaining());
        assertThrows(LeaseLostException.class, lease::requireValid);
        assertFalse(lease.isHeldOnServer());
        assertFree(kind);
    }

    @EachKind
    void release_byManyThreads_isAnsweredOnceAndIsNoLoss(LockKind kind) throws Exception {
        AnyLease lease = lock(client(kind)).acquire();
        CompletableFuture<LossReason> lost = lease.lost().toCompletableFuture();
        CountDownLatch all = new CountDownLatch(1);
        List<CompletableFuture<ReleaseResult>> results = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            results.add(inThread(() -> {
                all.await();
                return lease.release();
            }));
        }
        all.countDown();
        List<ReleaseResult> answers = new ArrayList<>();
        for (CompletableFuture<ReleaseResult> result : results) {
            answers.add(get(result));
        }
        assertEquals(1, Collections.frequency(answers, kind.released()), answers::toString);
        assertEquals(results.size() - 1, Collections.frequency(answers, ReleaseResult.ALREADY_GONE), answers::toString);
        assertEquals(ReleaseResult.ALREADY_GONE, get(lease.releaseAsync()));
        assertFree(kind);
        assertFalse(lost.isDone(), "who gives something back has not lost it");
    }

    @EachKind
    void call_manyThreadsOfManyClients_neverOverlap(LockKind kind) throws Exception {
        int rounds = 15;
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        List<CompletableFuture<?>> ends = new ArrayList<>();
        for (int c = 0; c < 3; c++) {
            AnyLock lock = client(kind).against(NAME, Terms.LONG);
            for (int t = 0; t < 3; t++) {
                ends.add(inThread(() -> {
                    for (int i = 0; i < rounds; i++) {
                        lock.call(lease -> {
                            assertEquals(1, inside.incrementAndGet());
                            assertTrue(lease.isValid());
                            inside.decrementAndGet();
                            return done.incrementAndGet();
                        });
                    }
                    return true;
                }));
            }
        }
        for (CompletableFuture<?> end : ends) {
            end.get(60, TimeUnit.SECONDS);
        }
        assertEquals(ends.size() * rounds, done.get());
    }

    // ---- asking in vain

    @EachKind
    void tryAcquire_takenLock_isEmptyAndLeavesNothing(LockKind kind) throws Exception {
        LockClient holder = client(kind);
        AnyLease lease = against(holder).acquire();
        assertEquals(Optional.empty(), lock(client(kind)).tryAcquire(Wait.none()));
        assertEquals(Optional.empty(), lock(holder).tryAcquire(Wait.none()));
        assertEquals(Optional.empty(), lock(client(kind)).tryAcquire(IN_VAIN));
        awaitHeldOnly(kind);
        assertTrue(lease.isValid());
    }

    @EachKind
    void attempt_takenLock_namesTheHolder(LockKind kind) throws Exception {
        AnyLease lease = against(client(kind)).acquire();
        AnyLock lock = lock(client(kind));
        assertEquals(new Answer(Outcome.TAKEN, Optional.empty(), lease.holder()), lock.attempt(Wait.none()));
        assertEquals(new Answer(Outcome.TIMED_OUT, Optional.empty(), lease.holder()), lock.attempt(IN_VAIN));
        awaitHeldOnly(kind);
    }

    @EachKind
    void acquire_notFreeInTime_throwsAndLeavesNothing(LockKind kind) throws Exception {
        AnyLease lease = against(client(kind)).acquire();
        AnyLock lock = lock(client(kind));
        LockTimeoutException failure = assertThrows(LockTimeoutException.class, () -> lock.acquire(IN_VAIN));
        assertEquals(NAME, failure.lockName());
        assertEquals(
                NAME,
                assertThrows(LockTimeoutException.class, () -> lock.acquire(Wait.none()))
                        .lockName());
        ExecutionException later = assertThrows(ExecutionException.class, () -> get(lock.acquireAsync(IN_VAIN)));
        assertInstanceOf(LockTimeoutException.class, later.getCause());
        awaitHeldOnly(kind);
        assertTrue(lease.isValid());
    }

    @EachKind
    void ask_threadIsInterruptedAlready_throwsAndDoesNotAsk(LockKind kind) throws Exception {
        AnyLock lock = lock(client(kind));
        List<Executable> ways = List.of(
                lock::acquire,
                () -> lock.tryAcquire(Wait.none()),
                () -> lock.attempt(Wait.none()),
                () -> lock.call(lease -> "never"),
                () -> lock.tryCall(Wait.none(), lease -> "never"));
        for (Executable way : ways) {
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, way);
            assertFalse(Thread.interrupted(), "told by the exception");
        }
        assertEquals(Collections.nCopies(kind.servers(), List.of()), holdsAndQueues());
    }

    @EachKind
    void ask_interruptedWhileWaiting_throwsAndLeavesNothing(LockKind kind) throws Exception {
        AnyLease lease = against(client(kind)).acquire();
        LockClient acquiring = client(kind);
        LockClient calling = client(kind);
        Blocked acquire = Blocked.in(() -> lock(acquiring).acquire(Wait.forever()));
        Blocked call = Blocked.in(() -> lock(calling).call(under -> "never"));
        awaitWaiting(acquiring);
        awaitWaiting(calling);
        acquire.thread().interrupt();
        call.thread().interrupt();
        assertInstanceOf(InterruptedException.class, get(acquire.thrown()));
        assertInstanceOf(InterruptedException.class, get(call.thrown()));
        awaitHeldOnly(kind);
        assertTrue(lease.isValid());
        lease.release();
        assertFree(kind);
    }

    @EachKind
    void askAsync_completedFromOutside_isWithdrawn(LockKind kind) throws Exception {
        AnyLease lease = against(client(kind)).acquire();
        List<LockClient> asking = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            asking.add(client(kind));
        }
        CompletableFuture<?> cancelled = lock(asking.get(0)).acquireAsync(Wait.forever());
        CompletableFuture<?> timedOut = lock(asking.get(1)).acquireAsync(Wait.forever());
        CompletableFuture<?> failed = lock(asking.get(2)).attemptAsync(Wait.forever());
        CompletableFuture<String> called =
                lock(asking.get(3)).callAsync(under -> CompletableFuture.completedFuture("never"));
        asking.forEach(this::awaitWaiting);
        cancelled.cancel(true);
        timedOut.orTimeout(1, TimeUnit.MILLISECONDS);
        failed.completeExceptionally(new IllegalStateException("on purpose"));
        called.cancel(false);
        assertThrows(ExecutionException.class, () -> get(timedOut)); // or it would be obtained in time
        awaitHeldOnly(kind);
        assertTrue(lease.isValid());
        lease.release();
        assertFree(kind);
    }

    /** The other kinds are told, and take no such function. */
    @ParameterizedTest
    @EnumSource(
            value = LockKind.class,
            names = {"PLAIN", "QUORUM"})
    void ask_backoffOfTheCallerThrows_endsWithThatVeryException(LockKind kind) throws Exception {
        AnyLease lease = against(client(kind)).acquire();
        UnsupportedOperationException own = new UnsupportedOperationException("the caller's own");
        LockClient client = client(kind, HoldfastOptions.defaults(), new AskingAgain(attempt -> {
            throw own;
        }));
        AnyLock lock = lock(client);
        Wait wait = Wait.upTo(PATIENCE);
        for (CompletableFuture<?> asked : List.of(
                lock.acquireAsync(wait),
                lock.attemptAsync(wait),
                lock.callAsync(under -> CompletableFuture.completedFuture("never")))) {
            assertSame(
                    own,
                    assertThrows(ExecutionException.class, () -> get(asked)).getCause());
        }
        List<Executable> blocking = List.of(
                lock::acquire,
                () -> lock.acquire(wait),
                () -> lock.tryAcquire(wait),
                () -> lock.attempt(wait),
                () -> lock.call(under -> "never"),
                () -> lock.tryCall(wait, under -> "never"));
        for (Executable way : blocking) {
            assertSame(own, assertThrows(RuntimeException.class, way));
        }
        awaitHeldOnly(kind);
        assertTrue(lease.isValid());
    }

    // ---- work under the lock

    @EachKind
    void call_workEndsOrThrows_isReleasedAndPassedOn(LockKind kind) throws Exception {
        AnyLock lock = lock(client(kind));
        assertEquals("done", lock.call(lease -> "done"));
        assertFree(kind);
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> lock.call(lease -> {
                    throw new IllegalStateException("the work's own");
                }));
        assertEquals("the work's own", thrown.getMessage());
        assertFree(kind);
        assertEquals(Optional.of(7), lock.tryCall(Wait.upTo(PATIENCE), lease -> 7));
        assertFree(kind);
    }

    @EachKind
    void forms_ofWork_beginItOnlyIfObtainedAndSaySo(LockKind kind) throws Exception {
        Forms.assertAllWork(
                lock(client(kind)).lock(), () -> against(client(kind)).acquire()::release);
        assertFree(kind);
    }

    @EachKind
    void call_lockIsTaken_isNotBegun(LockKind kind) throws Exception {
        AnyLease lease = against(client(kind)).acquire();
        AnyLock lock = lock(client(kind));
        AtomicInteger begun = new AtomicInteger();
        assertEquals(Optional.empty(), lock.tryCall(Wait.none(), under -> begun.incrementAndGet()));
        assertEquals(Optional.empty(), lock.tryCall(IN_VAIN, under -> begun.incrementAndGet()));
        lease.release();
        assertFree(kind);
        assertEquals(0, begun.get());
    }

    @EachKind
    void call_leaseIsLostMeanwhile_throwsWithTheResult(LockKind kind) {
        AnyLock lock = client(kind)
                .lock(NAME, Terms.BRIEF.lasting(Duration.ofSeconds(2)).notRenewed());
        LeaseLostException lost = assertThrows(
                LeaseLostException.class,
                () -> lock.call(lease -> {
                    get(lease.lost());
                    return "result";
                }));
        assertEquals("result", lost.result());
        assertEquals(LossReason.LEASE_LIMIT_REACHED, lost.reason());
        IllegalStateException own = assertThrows(
                IllegalStateException.class,
                () -> lock.call(lease -> {
                    get(lease.lost());
                    throw new IllegalStateException("the work's own");
                }));
        assertEquals("the work's own", own.getMessage());
    }

    @EachKind
    void callAsync_stageCompletesOrFails_isReleasedAndPassedOn(LockKind kind) throws Exception {
        AnyLock lock = lock(client(kind));
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = lock.callAsync(lease -> work);
        awaitHeldOnly(kind);
        work.complete("value");
        assertEquals("value", get(result));
        assertFree(kind);
        ExecutionException failed = assertThrows(
                ExecutionException.class,
                () -> get(
                        lock.callAsync(lease -> CompletableFuture.failedFuture(new IllegalStateException("stage's")))));
        assertEquals(
                "stage's",
                assertInstanceOf(IllegalStateException.class, failed.getCause()).getMessage());
        assertFree(kind);
        ExecutionException thrown = assertThrows(
                ExecutionException.class,
                () -> get(lock.callAsync(lease -> {
                    throw new IllegalStateException("in place of a stage");
                })));
        assertInstanceOf(IllegalStateException.class, thrown.getCause());
        assertFree(kind);
    }
}
