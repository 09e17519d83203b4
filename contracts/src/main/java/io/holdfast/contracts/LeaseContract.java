package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastOptions;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.AnyLock.Outcome;
import io.holdfast.contracts.AnyLock.Terms;
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
import java.util.concurrent.ExecutionException;

/**
 * What is true of any lease, for each kind of lock: its term, its loss, and what its client tells of it. Whatever a test
 * did, nothing is left on the servers once all clients are closed.
 */
public class LeaseContract extends LockKindSuite {
    /** Leaves the collector time before the next renewal. */
    private static final Terms DROPPED = Terms.LONG.lasting(Duration.ofSeconds(3));

    // ---- terms

    /** The claim window, for which a lease lasts that is handed over, is shorter than what is to be left. */
    @EachKind
    void interruptBefore_afterAWait_interruptsNothingWhileRenewalWorks(LockKind kind) throws Exception {
        // A renewal is due 2.5 seconds before the interrupt is, which a busy machine needs.
        Terms terms = Terms.LONG.lasting(Duration.ofSeconds(6)).interruptedBefore(Duration.ofMillis(1_500));
        LockClient client = client(kind);
        AnyLease first = against(client(kind)).acquire();
        CompletableFuture<String> done = inThread(() -> client.lock(NAME, terms).call(lease -> {
            long end = System.nanoTime() + Duration.ofMillis(6_500).toNanos();
            await("more than a term passes", () -> System.nanoTime() - end > 0);
            return Thread.interrupted() ? "interrupted" : "done";
        }));
        awaitWaiting(client);
        first.release();
        assertEquals("done", get(done));
    }

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
                .lock(NAME, Terms.BRIEF.lasting(Duration.ofSeconds(2)).notRenewed())
                .acquire();
        LockClient other = client(kind);
        CompletableFuture<Boolean> overlap = new CompletableFuture<>();
        CompletableFuture<AnyLease> next = against(other)
                .acquireAsync(Wait.forever())
                .thenApply(held -> {
                    overlap.complete(lease.isValid());
                    return AnyLease.of(held);
                });
        assertEquals(LossReason.LEASE_LIMIT_REACHED, get(lease.lost()));
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
                .lock(NAME, Terms.BRIEF.lasting(Duration.ofSeconds(2)).notRenewed())
                .acquire();
        get(late.lost());
        AnyLease present = against(client(kind)).acquire();
        assertEquals(ReleaseResult.ALREADY_GONE, late.release());
        assertTrue(present.isValid());
        assertTrue(present.isHeldOnServer());
    }

    @EachKind
    void longestHold_reached_endsTheRenewal(LockKind kind) throws Exception {
        // Its renewals have two seconds to come, also where the machine is busy.
        Terms terms = Terms.BRIEF.renewedUntil(Duration.ofSeconds(5));
        AnyLease lease = client(kind).lock(NAME, terms).acquire();
        assertEquals(LossReason.LEASE_LIMIT_REACHED, get(lease.lost()));
        assertFree(kind);
    }

    @EachKind
    void renewed_leaseIsDropped_isForgottenWithItsTerm(LockKind kind) throws Exception {
        assertEquals(LossReason.ABANDONED, endOfDropped(client(kind).lock(NAME, DROPPED)));
        assertFree(kind);
    }

    @EachKind
    void notRenewed_leaseIsDropped_endsWithItsTermAsIfItWereNot(LockKind kind) throws Exception {
        LossReason end = endOfDropped(client(kind).lock(NAME, DROPPED.notRenewed()));
        assertEquals(LossReason.LEASE_LIMIT_REACHED, end, "nobody would have renewed it");
    }

    /** Why a lease has ended that nobody can reach any more. */
    private static LossReason endOfDropped(AnyLock lock) throws InterruptedException {
        Dropped dropped = Dropped.by(lock);
        await("nothing in the client keeps the lease reachable", () -> {
            collect();
            return dropped.lease.refersTo(null);
        });
        // What stands behind the lease may be cleared by a later collection only.
        await("the lease has ended", () -> {
            collect();
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
        servers.forEach(server -> kind.keys(NAME).forEach(key -> server.command("DEL", key)));
        assertEquals(LossReason.NOT_ON_SERVER, get(lease.lost()));
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
                        "b", Terms.BRIEF.lasting(Duration.ofSeconds(2)).notRenewed())
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
                inOrder.add(obtained.lockName() + " obtained, attempts " + obtained.attempts());
            } else if (event instanceof LockEvent.Released released) {
                inOrder.add(released.lockName() + " " + released.result());
            } else if (event instanceof LockEvent.Lost gone) {
                inOrder.add(gone.lockName() + " lost " + gone.reason());
            } else if (event instanceof LockEvent.NotObtained not) {
                inOrder.add(not.lockName() + " " + not.reason());
            }
        }
        assertEquals(
                List.of(
                        "a obtained, attempts 1",
                        "a " + kind.released(),
                        "b obtained, attempts 1",
                        "b lost LEASE_LIMIT_REACHED",
                        "c TAKEN"),
                inOrder);
        assertTrue(told.stream()
                .filter(event -> event.lockName().equals(NAME))
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
                Collections.nCopies(kind.servers(), kind.keys("b")),
                holdsAndQueues(),
                "what is released was released before close returned");
        assertTrue(foreign.isValid());
        assertThrows(HoldfastClosedException.class, () -> lock(closing).acquire());
        assertThrows(HoldfastClosedException.class, () -> lock(closing).tryAcquire(Wait.none()));
        closing.close();
    }
}
