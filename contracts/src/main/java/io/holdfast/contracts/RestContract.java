package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Lease;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.AnyLock.Answer;
import io.holdfast.contracts.AnyLock.Outcome;
import io.holdfast.contracts.AnyLock.Terms;
import io.holdfast.contracts.LockKindSuite.Kinds;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A lock that rests after a release, because the caller wants so, or after a lease that was lost: of each kind that has leases on one
 * server, with tokens.
 */
@Kinds({LockKind.EXCLUSIVE, LockKind.STRICT, LockKind.KEPT, LockKind.READING, LockKind.WRITING, LockKind.PERMIT})
public class RestContract extends LockKindSuite {
    private static final Duration REST = Duration.ofMillis(600);

    /** How others see the holder of a lock that rests. */
    private static final String NOBODY = "-";

    private static Lease lease(AnyLease held) {
        return (Lease) held.handedOut();
    }

    private static final Terms BRIEF = Terms.BRIEF.lasting(Duration.ofSeconds(1)).delayedBy(REST);

    /** How long the server keeps the lock yet. */
    private static Duration left(LockClient client) {
        LockClient.OfServer of = (LockClient.OfServer) client;
        return of.locks().in(of.holdfast()).lock(NAME).remaining();
    }

    /** When somebody has the lock, as far as this thread knows: not before then. */
    private static void assertRested(long begin) {
        long rested = System.nanoTime() - begin;
        assertTrue(rested >= REST.toNanos(), () -> "only for " + Duration.ofNanos(rested));
    }

    @EachKind
    void releaseToRest_nobodyWaits_isTakenByNobodyForSoLong(LockKind kind) throws Exception {
        LockClient client = client(kind);
        Lease lease = lease(lock(client).acquire());
        long begin = System.nanoTime();
        assertEquals(ReleaseResult.RELEASED, lease.releaseToRest(REST));
        assertFalse(lease.isValid());
        assertEquals(0, client.holding());
        for (LockClient asking : new LockClient[] {client, client(kind)}) {
            Answer answer = against(asking).attempt(Wait.none());
            assertEquals(Outcome.TAKEN, answer.outcome());
            String holder = answer.holder();
            assertTrue(holder.startsWith(NOBODY), holder);
        }
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        AnyLease next = against(client(kind)).acquire(Wait.upTo(PATIENCE));
        assertRested(begin);
        assertTrue(lease(next).token() > lease.token());
    }

    @EachKind
    void releaseToRest_othersWait_goesToThemOnlyThen(LockKind kind) throws Exception {
        LockClient client = client(kind);
        LockClient other = client(kind);
        Lease lease = lease(lock(client).acquire());
        CompletableFuture<?> others = against(other).acquireAsync(Wait.upTo(PATIENCE));
        awaitWaiting(other);
        CompletableFuture<?> own = against(client).acquireAsync(Wait.upTo(PATIENCE));
        long begin = System.nanoTime();
        assertEquals(ReleaseResult.RELEASED, get(lease.releaseToRestAsync(REST)));
        CompletableFuture<Object> first = CompletableFuture.anyOf(others, own).thenApply(held -> held);
        AnyLease next = AnyLease.of(get(first));
        assertRested(begin);
        next.release();
        AnyLease.of(get(others)).release();
        AnyLease.of(get(own)).release();
    }

    @EachKind
    void releaseToRest_releasedBefore_leavesTheLockFree(LockKind kind) throws Exception {
        Lease lease = lease(lock(client(kind)).acquire());
        assertEquals(kind.released(), lease.release());
        assertEquals(ReleaseResult.ALREADY_GONE, lease.releaseToRest(Duration.ofDays(365)));
        assertFree(kind);
    }

    @EachKind
    void lockDelay_leaseExpires_othersWaitForSoLongAfterIt(LockKind kind) throws Exception {
        LockClient other = client(kind);
        AnyLease held = client(kind).lock(NAME, BRIEF.notRenewed()).acquire();
        CompletableFuture<AnyLease> next = against(other).acquireAsync(Wait.upTo(PATIENCE));
        awaitWaiting(other);
        long valid = System.nanoTime();
        for (long now = valid; held.isValid(); now = System.nanoTime()) {
            valid = now;
        }
        get(next).release();
        assertRested(valid);
    }

    @EachKind
    void lockDelay_clientIsClosed_othersWaitForSoLongAfterIt(LockKind kind) throws Exception {
        LockClient other = client(kind);
        LockClient client = client(kind);
        client.lock(NAME, Terms.LONG.delayedBy(REST)).acquire();
        CompletableFuture<AnyLease> next = against(other).acquireAsync(Wait.upTo(PATIENCE));
        awaitWaiting(other);
        long begin = System.nanoTime();
        client.close();
        get(next).release();
        assertRested(begin);
    }

    @EachKind
    void lockDelay_released_leavesTheLockFree(LockKind kind) throws Exception {
        LockClient client = client(kind);
        AnyLease held = client.lock(NAME, Terms.LONG.delayedBy(Duration.ofDays(1))).acquire();
        assertEquals(kind.released(), held.release());
        client.close(); // which may have kept it
        assertFree(kind);
    }

    /** So it is kept also if the holder dies: at once, when it was handed the lock, and when its lease was renewed or extended. */
    @EachKind
    void lockDelay_server_keepsTheLockForItToo(LockKind kind) throws Exception {
        Duration delay = Duration.ofMinutes(10);
        LockClient other = client(kind);
        LockClient client = client(kind);
        AnyLock lock = client.lock(NAME, Terms.BRIEF.delayedBy(delay));
        AnyLease first = lock.acquire();
        assertTrue(left(client).compareTo(delay) > 0);
        first.release();
        AnyLease before = against(other).acquire();
        CompletableFuture<AnyLease> next = lock.acquireAsync(Wait.upTo(PATIENCE));
        awaitWaiting(client);
        before.release();
        AnyLease held = get(next);
        assertTrue(left(client).compareTo(delay) > 0);
        AtomicReference<Duration> last = new AtomicReference<>(held.remaining());
        await("it is renewed", () -> {
            Duration present = held.remaining();
            return present.compareTo(last.getAndSet(present)) > 0;
        });
        assertTrue(left(client).compareTo(delay) > 0);
        held.extend(delay);
        assertTrue(left(client).compareTo(delay.multipliedBy(2).minus(PATIENCE)) > 0);
        held.release();
    }

    @EachKind
    void releaseToRest_noTimeOrTooMuch_isRefusedAndReleasesNothing(LockKind kind) throws Exception {
        AnyLease held = lock(client(kind)).acquire();
        Lease lease = lease(held);
        for (Duration wrong : new Duration[] {Duration.ZERO, Duration.ofMillis(-1), Duration.ofDays(366)}) {
            assertThrows(IllegalArgumentException.class, () -> lease.releaseToRest(wrong));
            assertThrows(IllegalArgumentException.class, () -> lease.releaseToRestAsync(wrong));
        }
        assertTrue(lease.isValid());
        assertEquals(Optional.empty(), against(client(kind)).tryAcquire(Wait.none()));
    }
}
