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
import io.holdfast.contracts.LockKindSuite.Kinds;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A lock that rests after a release, because the caller wants so: of each kind that has leases on one server, with tokens. */
@Kinds(except = {LockKind.PLAIN, LockKind.QUORUM})
public class RestContract extends LockKindSuite {
    private static final Duration REST = Duration.ofMillis(600);

    /** How others see the holder of a lock that rests. */
    private static final String NOBODY = "-";

    private static Lease lease(AnyLease held) {
        return (Lease) held.handedOut();
    }

    @EachKind
    void releaseToRest_nobodyWaits_isTakenByNobodyForSoLong(LockKind kind) throws Exception {
        LockClient client = client(kind);
        LockClient other = client(kind);
        Lease lease = lease(lock(client).acquire());
        long begin = System.nanoTime();
        assertEquals(ReleaseResult.RELEASED, lease.releaseToRest(REST));
        assertFalse(lease.isValid());
        assertEquals(0, client.holding());
        for (LockClient asking : new LockClient[] {client, other}) {
            Answer answer = against(asking).attempt(Wait.none());
            assertEquals(Outcome.TAKEN, answer.outcome());
            String holder = answer.holder();
            assertTrue(holder.startsWith(NOBODY), holder);
        }
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        AnyLease next = against(other).acquire(Wait.upTo(PATIENCE));
        assertSince(begin, REST);
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
        assertSince(begin, REST);
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
