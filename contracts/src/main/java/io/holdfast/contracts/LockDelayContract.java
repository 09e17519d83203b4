package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Wait;
import io.holdfast.contracts.AnyLock.Terms;
import io.holdfast.contracts.LockKindSuite.Kinds;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** A lock that stays taken after a lease that was lost: of each kind that may rest, and is not kept for the next lease of its client. */
@Kinds(except = {LockKind.KEPT, LockKind.PLAIN, LockKind.QUORUM})
public class LockDelayContract extends LockKindSuite {
    private static final Duration DELAY = Duration.ofMillis(600);
    private static final Terms BRIEF =
            Terms.BRIEF.lasting(Duration.ofSeconds(1)).delayedBy(DELAY);

    /** How long the server keeps the lock yet. */
    private static Duration left(LockClient client) {
        LockClient.OfServer of = (LockClient.OfServer) client;
        return of.locks().in(of.holdfast()).lock(NAME).remaining();
    }

    @EachKind
    void leaseExpires_othersWaitForSoLongAfterIt(LockKind kind) throws Exception {
        LockClient other = client(kind);
        AnyLease held = client(kind).lock(NAME, BRIEF.notRenewed()).acquire();
        CompletableFuture<?> next = against(other).acquireAsync(Wait.upTo(PATIENCE));
        awaitWaiting(other);
        long valid = System.nanoTime();
        for (long now = valid; held.isValid(); now = System.nanoTime()) {
            valid = now;
        }
        AnyLease.of(get(next)).release();
        assertSince(valid, DELAY);
    }

    @EachKind
    void clientIsClosed_othersWaitForSoLongAfterIt(LockKind kind) throws Exception {
        LockClient other = client(kind);
        LockClient client = client(kind);
        client.lock(NAME, Terms.LONG.delayedBy(DELAY)).acquire();
        CompletableFuture<?> next = against(other).acquireAsync(Wait.upTo(PATIENCE));
        awaitWaiting(other);
        long begin = System.nanoTime();
        client.close();
        AnyLease.of(get(next)).release();
        assertSince(begin, DELAY);
    }

    @EachKind
    void released_leavesTheLockFree(LockKind kind) throws Exception {
        LockClient client = client(kind);
        AnyLease held =
                client.lock(NAME, Terms.LONG.delayedBy(Duration.ofDays(1))).acquire();
        assertEquals(kind.released(), held.release());
        client.close();
        assertFree(kind);
    }

    /** The client may not count on the delay, by whichever way it was handed the lock. */
    @EachKind
    void remaining_isTheLeaseAlone(LockKind kind) throws Exception {
        Terms terms = Terms.LONG.delayedBy(Duration.ofMinutes(10));
        LockClient client = client(kind);
        AnyLease first = client.against(NAME, terms).acquire();
        CompletableFuture<?> second = client.lock(NAME, terms).acquireAsync(Wait.upTo(PATIENCE));
        awaitWaiting(client);
        first.release();
        AnyLease held = AnyLease.of(get(second));
        assertTrue(held.remaining().compareTo(terms.term()) <= 0, held::toString);
        held.extend(terms.term());
        assertTrue(held.remaining().compareTo(terms.term()) <= 0, held::toString);
        held.release();
    }

    /** So it is kept also if the holder dies: at once, when it was handed the lock, and when its lease was renewed or extended. */
    @EachKind
    void server_keepsTheLockForItToo(LockKind kind) throws Exception {
        Duration delay = Duration.ofMinutes(10);
        LockClient other = client(kind);
        LockClient client = client(kind);
        AnyLock lock = client.lock(NAME, Terms.BRIEF.delayedBy(delay));
        AnyLease first = lock.acquire();
        assertTrue(left(client).compareTo(delay) > 0);
        first.release();
        AnyLease before = against(other).acquire();
        CompletableFuture<?> next = lock.acquireAsync(Wait.upTo(PATIENCE));
        awaitWaiting(client);
        before.release();
        AnyLease held = AnyLease.of(get(next));
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
}
