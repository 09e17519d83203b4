package io.holdfast.contracts;

import static io.holdfast.contracts.FaultSuite.get;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastOptions;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.AnyLock.Answer;
import io.holdfast.contracts.AnyLock.Outcome;
import io.holdfast.contracts.AnyLock.Terms;
import io.holdfast.contracts.LockClient.AskingAgain;
import io.holdfast.testkit.TestServer;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is true of any lease, for each kind of lock. Whatever a test did, nothing is left on the servers once all clients
 * are closed.
 */
public abstract class LockContract extends LockKindSuite {
    /** Leaves the collector time before the next renewal. */
    private static final Terms DROPPED = Terms.LONG.lasting(Duration.ofSeconds(3));

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
            CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
            results.add(result);
            new Thread(() -> {
                        try {
                            all.await();
                            result.complete(lease.release());
                        } catch (Throwable e) {
                            result.completeExceptionally(e);
                        }
                    })
                    .start();
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
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int c = 0; c < 3; c++) {
            AnyLock lock = client(kind).against(NAME, Terms.LONG);
            for (int t = 0; t < 3; t++) {
                CompletableFuture<Void> end = new CompletableFuture<>();
                ends.add(end);
                new Thread(() -> {
                            try {
                                for (int i = 0; i < rounds; i++) {
                                    lock.call(lease -> {
                                        assertEquals(1, inside.incrementAndGet());
                                        assertTrue(lease.isValid());
                                        inside.decrementAndGet();
                                        return done.incrementAndGet();
                                    });
                                }
                                end.complete(null);
                            } catch (Throwable e) {
                                end.completeExceptionally(e);
                            }
                        })
                        .start();
            }
        }
        for (CompletableFuture<Void> end : ends) {
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
        assertEquals(Optional.empty(), lock(client(kind)).tryAcquire(Wait.upTo(Duration.ofMillis(200))));
        awaitHeldOnly(kind);
        assertTrue(lease.isValid());
    }

    @EachKind
    void attempt_takenLock_namesTheHolder(LockKind kind) throws Exception {
        AnyLease lease = against(client(kind)).acquire();
        AnyLock lock = lock(client(kind));
        assertEquals(new Answer(Outcome.TAKEN, Optional.empty(), lease.holder()), lock.attempt(Wait.none()));
        assertEquals(
                new Answer(Outcome.TIMED_OUT, Optional.empty(), lease.holder()),
                lock.attempt(Wait.upTo(Duration.ofMillis(200))));
        awaitHeldOnly(kind);
    }

    @EachKind
    void acquire_notFreeInTime_throwsAndLeavesNothing(LockKind kind) throws Exception {
        AnyLease lease = against(client(kind)).acquire();
        AnyLock lock = lock(client(kind));
        LockTimeoutException failure =
                assertThrows(LockTimeoutException.class, () -> lock.acquire(Wait.upTo(Duration.ofMillis(300))));
        assertEquals(NAME, failure.lock());
        assertEquals(
                NAME,
                assertThrows(LockTimeoutException.class, () -> lock.acquire(Wait.none()))
                        .lock());
        ExecutionException later =
                assertThrows(ExecutionException.class, () -> get(lock.acquireAsync(Wait.upTo(Duration.ofMillis(200)))));
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

    // ---- terms

    @EachKind
    void term_withRenewal_isRenewedBeyondIt(LockKind kind) throws Exception {
        AnyLease lease = client(kind).lock(NAME, Terms.BRIEF).acquire();
        long end = System.nanoTime() + Terms.BRIEF.term().multipliedBy(3).toNanos();
        await("three terms are over", () -> System.nanoTime() - end > 0);
        assertTrue(lease.isValid());
        assertTrue(lease.isHeldOnServer());
        assertFalse(lease.lost().toCompletableFuture().isDone());
        assertEquals(kind.released(), lease.release());
    }

    @EachKind
    void term_withoutRenewal_isLostAtItsEndBeforeAnotherHasTheLock(LockKind kind) throws Exception {
        AnyLease lease = client(kind)
                .lock(NAME, Terms.BRIEF.lasting(Duration.ofMillis(400)).notRenewed())
                .acquire();
        LockClient other = client(kind);
        CompletableFuture<Boolean> overlap = new CompletableFuture<>();
        CompletableFuture<AnyLease> next = against(other)
                .acquireAsync(Wait.forever())
                .thenApply(held -> {
                    overlap.complete(lease.isValid());
                    return AnyLease.of(held);
                });
        assertEquals(LossReason.TERM_ENDED, get(lease.lost()));
        assertFalse(lease.isValid());
        assertEquals(Duration.ZERO, lease.remaining());
        assertThrows(LeaseLostException.class, lease::requireValid);
        assertThrows(LeaseLostException.class, () -> lease.extend(Duration.ofMinutes(1)));
        assertEquals(false, get(overlap), "both are valid");
        assertTrue(get(next).isValid());
    }

    @EachKind
    void release_afterItsTerm_leavesTheNextHolderAlone(LockKind kind) throws Exception {
        AnyLease late = client(kind)
                .lock(NAME, Terms.BRIEF.lasting(Duration.ofMillis(200)).notRenewed())
                .acquire();
        get(late.lost());
        AnyLease present = against(client(kind)).acquire();
        assertEquals(ReleaseResult.ALREADY_GONE, late.release());
        assertTrue(present.isValid());
        assertTrue(present.isHeldOnServer());
    }

    @EachKind
    void longestHold_reached_endsTheRenewal(LockKind kind) throws Exception {
        Terms terms = Terms.BRIEF.lasting(Duration.ofMillis(300)).renewedUntil(Duration.ofMillis(500));
        AnyLease lease = client(kind).lock(NAME, terms).acquire();
        assertEquals(LossReason.TERM_ENDED, get(lease.lost()));
        assertFree(kind);
    }

    @EachKind
    void renewed_leaseIsDropped_isForgottenWithItsTerm(LockKind kind) throws Exception {
        assertEquals(LossReason.FORGOTTEN, endOfDropped(client(kind).lock(NAME, DROPPED)));
        assertFree(kind);
    }

    @EachKind
    void notRenewed_leaseIsDropped_endsWithItsTermAsIfItWereNot(LockKind kind) throws Exception {
        LossReason end = endOfDropped(client(kind).lock(NAME, DROPPED.notRenewed()));
        assertEquals(LossReason.TERM_ENDED, end, "nobody would have renewed it");
    }

    /** Why a lease has ended that nobody can reach any more. */
    private static LossReason endOfDropped(AnyLock lock) throws InterruptedException {
        Dropped dropped = Dropped.by(lock);
        await("nothing in the client keeps the lease reachable", () -> {
            System.gc();
            return dropped.lease.refersTo(null);
        });
        // What stands behind the lease may be cleared by a later collection only.
        await("the lease has ended", () -> {
            System.gc();
            return dropped.lost.isDone();
        });
        return dropped.lost.join();
    }

    private record Dropped(Reference<Object> lease, CompletableFuture<LossReason> lost) {
        static Dropped by(AnyLock lock) throws InterruptedException {
            AnyLease lease = lock.acquire();
            return new Dropped(
                    new WeakReference<>(lease.handedOut()), lease.lost().toCompletableFuture());
        }
    }

    @EachKind
    void extend_heldLease_lastsLongerAndNeverShorter(LockKind kind) throws Exception {
        AnyLease lease = lock(client(kind)).acquire();
        Duration before = lease.remaining();
        lease.extend(Duration.ofMillis(1));
        assertTrue(lease.remaining().compareTo(before.minusSeconds(20)) > 0);
        lease.extend(Duration.ofMinutes(5));
        assertTrue(lease.remaining().toSeconds() > 270, () -> "left: " + lease.remaining());
        lease.extend(Duration.ofSeconds(1));
        assertTrue(lease.remaining().toSeconds() > 270, () -> "left: " + lease.remaining());
        long lasting = servers.stream()
                .filter(server -> server.command("PTTL", kind.key(NAME)).asLong() > 270_000)
                .count();
        assertTrue(lasting > kind.servers() / 2, "so says the server");
        assertThrows(IllegalArgumentException.class, () -> lease.extend(Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> lease.extend(Duration.ofMillis(-1)));
        lease.release();
        assertThrows(LeaseLostException.class, () -> lease.extend(Duration.ofMinutes(5)));
        ExecutionException later =
                assertThrows(ExecutionException.class, () -> get(lease.extendAsync(Duration.ofMinutes(5))));
        assertInstanceOf(LeaseLostException.class, later.getCause());
        assertFree(kind);
    }

    // ---- servers that fail

    @EachKind
    void lost_serverHangs_isToldAtTheDeadlineAtTheLatest(LockKind kind) throws Exception {
        AnyLease lease = client(kind).lock(NAME, Terms.BRIEF).acquire();
        servers.forEach(TestServer::freeze);
        try {
            assertEquals(LossReason.EXPIRED, get(lease.lost()));
            assertFalse(lease.isValid());
            assertEquals(Duration.ZERO, lease.remaining());
        } finally {
            servers.forEach(TestServer::thaw);
        }
    }

    @EachKind
    void lost_serverHasForgottenTheHold_isToldByTheNextRenewal(LockKind kind) throws Exception {
        AnyLease lease = client(kind).lock(NAME, Terms.BRIEF).acquire();
        awaitHeldOnly(kind);
        servers.forEach(server -> server.command("DEL", kind.key(NAME)));
        assertEquals(LossReason.GONE, get(lease.lost()));
        assertFalse(lease.isValid());
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
    }

    @EachKind
    void extend_serverHangs_throwsAndReleasesNothing(LockKind kind) throws Exception {
        AnyLease lease = client(kind, EAGER).lock(NAME, Terms.LONG).acquire();
        servers.forEach(TestServer::freeze);
        try {
            assertThrows(ServerUnreachableException.class, () -> lease.extend(Duration.ofMinutes(2)));
            assertTrue(lease.isValid());
        } finally {
            servers.forEach(TestServer::thaw);
        }
        await("the server answers again", () -> {
            try {
                return lease.isHeldOnServer();
            } catch (ServerUnreachableException e) {
                return false;
            }
        });
        assertTrue(lease.isValid());
        assertNotEquals(ReleaseResult.ALREADY_GONE, lease.release());
    }

    @EachKind
    void attempt_serverHangs_isUnknownAndLeavesNothing(LockKind kind) throws Exception {
        AnyLock lock = client(kind, EAGER).lock(NAME, Terms.LONG);
        servers.forEach(TestServer::freeze);
        try {
            assertEquals(Outcome.UNKNOWN, lock.attempt(Wait.none()).outcome());
            assertThrows(ServerUnreachableException.class, () -> lock.tryAcquire(Wait.none()));
        } finally {
            servers.forEach(TestServer::thaw);
        }
        assertFree(kind);
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
    void call_lockIsTaken_isNotBegun(LockKind kind) throws Exception {
        AnyLease lease = against(client(kind)).acquire();
        AnyLock lock = lock(client(kind));
        AtomicInteger begun = new AtomicInteger();
        assertEquals(Optional.empty(), lock.tryCall(Wait.none(), under -> begun.incrementAndGet()));
        assertEquals(
                Optional.empty(), lock.tryCall(Wait.upTo(Duration.ofMillis(200)), under -> begun.incrementAndGet()));
        lease.release();
        assertFree(kind);
        assertEquals(0, begun.get());
    }

    @EachKind
    void call_leaseIsLostMeanwhile_throwsWithTheResult(LockKind kind) {
        AnyLock lock = client(kind)
                .lock(NAME, Terms.BRIEF.lasting(Duration.ofMillis(300)).notRenewed());
        LeaseLostException lost = assertThrows(
                LeaseLostException.class,
                () -> lock.call(lease -> {
                    get(lease.lost());
                    return "result";
                }));
        assertEquals("result", lost.result());
        assertEquals(LossReason.TERM_ENDED, lost.reason());
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

    // ---- what a client tells

    @EachKind
    void holding_leasesOfEveryKind_areCounted(LockKind kind) throws Exception {
        LockClient client = client(kind);
        assertEquals(0, client.holding());
        AnyLease renewed = lock(client).acquire();
        assertEquals(1, client.holding());
        AnyLease other = client.lock("b", Terms.LONG.notRenewed()).acquire();
        assertEquals(2, client.holding());
        int during = client.lock("c", Terms.LONG).call(lease -> client.holding());
        assertEquals(3, during);
        assertEquals(2, client.holding());
        renewed.release();
        assertEquals(1, client.holding());
        other.release();
        assertEquals(0, client.holding());
    }

    @EachKind
    void waiting_requestsOfEveryKind_areCounted(LockKind kind) throws Exception {
        AnyLease lease = against(client(kind)).acquire();
        LockClient client = client(kind);
        assertEquals(0, client.waiting());
        CompletableFuture<?> asked = lock(client).acquireAsync(Wait.forever());
        awaitWaiting(client);
        assertEquals(1, client.waiting());
        asked.cancel(false);
        await("nothing waits", () -> client.waiting() == 0);
        assertTrue(lease.isValid());
    }

    @EachKind
    void events_leaseObtainedReleasedLost_areTold(LockKind kind) throws Exception {
        List<LockEvent> told = new CopyOnWriteArrayList<>();
        LockClient client = client(kind, HoldfastOptions.defaults().withListener(told::add));
        AnyLease first = lock(client).acquire();
        await("it is told as obtained", () -> has(told, LockEvent.Obtained.class, 1));
        first.release();
        await("it is told as released", () -> has(told, LockEvent.Released.class, 1));
        AnyLease second = client.lock(
                        "b", Terms.BRIEF.lasting(Duration.ofMillis(300)).notRenewed())
                .acquire();
        get(second.lost());
        await("it is told as lost", () -> has(told, LockEvent.Lost.class, 1));
        AnyLease foreign = client(kind).against("c", Terms.LONG).acquire();
        assertEquals(Optional.empty(), client.lock("c", Terms.LONG).tryAcquire(Wait.none()));
        await("it is told as not obtained", () -> has(told, LockEvent.NotObtained.class, 1));
        assertTrue(foreign.isValid());
        List<String> inOrder = new ArrayList<>();
        for (LockEvent event : told) {
            if (event instanceof LockEvent.Obtained obtained) {
                inOrder.add(obtained.lock() + " obtained, attempts " + obtained.attempts());
            } else if (event instanceof LockEvent.Released released) {
                inOrder.add(released.lock() + " " + released.result());
            } else if (event instanceof LockEvent.Lost gone) {
                inOrder.add(gone.lock() + " lost " + gone.reason());
            } else if (event instanceof LockEvent.NotObtained not) {
                inOrder.add(not.lock() + " " + not.reason());
            }
        }
        assertEquals(
                List.of(
                        "a obtained, attempts 1",
                        "a " + kind.released(),
                        "b obtained, attempts 1",
                        "b lost TERM_ENDED",
                        "c TAKEN"),
                inOrder);
        assertTrue(told.stream()
                .filter(event -> event.lock().equals(NAME))
                .allMatch(event -> event.subject().key().equals(kind.key(NAME))));
    }

    private static boolean has(List<LockEvent> told, Class<? extends LockEvent> type, int count) {
        return told.stream().filter(type::isInstance).count() == count;
    }

    // ---- the end of a client

    @EachKind
    void close_leasesAndWaiters_areReleasedAndEnded(LockKind kind) throws Exception {
        LockClient other = client(kind);
        AnyLease foreign = other.against("b", Terms.LONG).acquire();
        LockClient closing = client(kind);
        AnyLease lease = lock(closing).acquire();
        CompletableFuture<?> waiting = closing.lock("b", Terms.LONG).acquireAsync(Wait.forever());
        await("it waits", () -> closing.waits("b"));
        closing.close();
        assertEquals(LossReason.CLIENT_CLOSED, get(lease.lost()));
        assertFalse(lease.isValid());
        ExecutionException thrown = assertThrows(ExecutionException.class, () -> get(waiting));
        assertInstanceOf(HoldfastClosedException.class, thrown.getCause());
        assertEquals(
                Collections.nCopies(kind.servers(), List.of(kind.key("b"))),
                holdsAndQueues(),
                "what is released was released before close returned");
        assertTrue(foreign.isValid());
        assertThrows(HoldfastClosedException.class, () -> lock(closing).acquire());
        assertThrows(HoldfastClosedException.class, () -> lock(closing).tryAcquire(Wait.none()));
        closing.close();
    }
}
