package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LeaseLostException;
import io.holdfast.LossReason;
import io.holdfast.PlainHolder;
import io.holdfast.PlainLease;
import io.holdfast.PlainLock;
import io.holdfast.PlainOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What becomes of a lease of a plain lock on every driver, and of a request for one whose answer is lost. */
public class PlainLeaseContract extends PlainLockSuite {
    // ---- leases

    @Test
    void lease_somebodyElseHoldsTheKey_isLostAndLeavesItAlone() throws Exception {
        PlainLease renewed = lock(SHORT_TERM.withRenewal(true)).acquire();
        server.command("SET", KEY, FOREIGN, "PX", "600000");
        assertEquals(LossReason.NOT_ON_SERVER, get(renewed.whenLost()));
        assertEquals(FOREIGN, value());
        assertTrue(ttl() > 300_000, "renewal has not touched what is another's");
        assertEquals(ReleaseResult.ALREADY_GONE, renewed.release());
        assertEquals(FOREIGN, value());
    }

    @Test
    void check_keyIsGone_isLost() throws Exception {
        PlainLease lease = lock(STEADY).acquire();
        assertTrue(lease.isHeldOnServer());
        server.command("DEL", KEY);
        assertTrue(lease.isValid(), "here nothing is known of it");
        assertFalse(lease.isHeldOnServer());
        assertFalse(lease.isValid());
        assertEquals(LossReason.NOT_ON_SERVER, get(lease.whenLost()));
    }

    /** A value of one's own may be as long as one likes: it is compared as a whole. */
    @Test
    void check_ownValueIsLong_isFoundToBeHeld() throws Exception {
        String own = "v".repeat(1_000);
        PlainLease lease = lock(STEADY.withValues(() -> own)).acquire();
        assertTrue(lease.isHeldOnServer());
        server.command("SET", KEY, own + "x", "PX", "600000");
        assertFalse(lease.isHeldOnServer());
        server.command("DEL", KEY);
    }

    @Test
    void release_keyOfTheNextHolder_isLeftAlone() throws Exception {
        PlainLease lease = lock(STEADY).acquire();
        server.command("SET", KEY, FOREIGN, "PX", "600000");
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        assertEquals(FOREIGN, value());
    }

    @Test
    void extend_notMineAnyMore_throwsAndTouchesNothing() throws Exception {
        PlainLease lease = lock(STEADY).acquire();
        server.command("SET", KEY, FOREIGN, "PX", "600000");
        LeaseLostException lost = assertThrows(LeaseLostException.class, () -> lease.extend(Duration.ofHours(2)));
        assertEquals(0, lost.token());
        assertEquals(FOREIGN, value());
        assertTrue(ttl() <= 600_000);
    }

    @Test
    void extend_notAnswered_throwsAndReleasesNothing() throws Exception {
        PlainLease lease = remoteLock(STEADY).acquire();
        CompletableFuture<Caught> extension = proxy.onRequest(ScriptCalls.PLAIN_EXTEND, Fault.KILL_BEFORE);
        assertThrows(ServerUnreachableException.class, () -> lease.extend(Duration.ofHours(2)));
        get(extension);
        assertTrue(lease.isValid());
        assertEquals(lease.value(), value(), "a failed extension is no release");
        await("the connection is back", () -> {
            try {
                return lease.isHeldOnServer();
            } catch (ServerUnreachableException e) {
                return false;
            }
        });
        assertEquals(ReleaseResult.RELEASED, lease.release());
    }

    @Test
    void leastRemaining_answerTookTooLong_isArmedAnewBeforeItIsHandedOut() throws Exception {
        PlainOptions demanding =
                STEADY.withLeaseDuration(Duration.ofSeconds(2)).withMinRemaining(Duration.ofMillis(1_700));
        PlainLock lock = remote(HoldfastOptions.defaults()).plainLock(KEY, demanding);
        CompletableFuture<Caught> slow = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.STALL_REPLY);
        CompletableFuture<PlainLease> waiting = lock.acquireAsync();
        CompletableFuture<Caught> again = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.NONE);
        get(slow);
        assertFalse(completesSoon(waiting)); // 0.2 s
        assertFalse(completesSoon(waiting)); // 0.4 s: less than 1.7 s are left of it
        proxy.resume();
        PlainLease lease = get(waiting);
        assertTrue(again.isDone(), "asked for again before it was handed out");
        assertEquals(lease.value(), value());
        assertEquals(1, lease.attempts(), "nobody else had it");
    }

    // ---- without expiry

    @Test
    void withoutExpiry_held_neverExpiresAndIsReleased() throws Exception {
        PlainLock lock = lock(STEADY.withoutExpiry());
        PlainLease lease = lock.acquire();
        assertEquals(-1, ttl());
        assertTrue(lease.isValid());
        assertEquals(Duration.ofDays(365), lease.remaining());
        lease.extend(Duration.ofSeconds(1));
        assertEquals(-1, ttl(), "not shortened");
        assertEquals(Optional.of(new PlainHolder(lease.value(), Optional.empty())), lock.holder());
        assertEquals(Duration.ofDays(365), lock.remaining());
        assertEquals(ReleaseResult.RELEASED, lease.release());
        awaitNothingLeft(server);
    }

    @Test
    void withoutExpiry_requestArrivesAfterEverybodyGaveItUp_stillExpires() throws Exception {
        PlainLock lock =
                remoteLock(STEADY.withLeaseDuration(Duration.ofSeconds(1)).withoutExpiry());
        CompletableFuture<Caught> lost = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.KILL_BEFORE);
        assertInstanceOf(Attempt.Unknown.class, lock.attempt(Wait.none()));
        get(lost).deliver();
        assertTrue(ttl() != -1, "what nobody knows to be held must not stay for ever");
        await("it is gone", () -> value().isEmpty());
    }

    // ---- answers that get lost

    @Test
    void attempt_answerLost_isUnknownAndLeavesNoOrphan() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.KILL_AFTER);
        Attempt<PlainLease> attempt = remoteLock(STEADY).attempt(Wait.none());
        assertInstanceOf(Attempt.Unknown.class, attempt);
        get(acquire);
        awaitNothingLeft(server); // by its term it would be there for ten minutes
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
    }

    @Test
    void attempt_answerSwallowed_isUnknownAndLeavesNoOrphan() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.DROP_REPLY);
        PlainLock lock = remoteLock(STEADY);
        assertThrows(ServerUnreachableException.class, lock::tryAcquire);
        get(acquire);
        proxy.resume();
        awaitNothingLeft(server);
    }

    @Test
    void acquire_answerLostWhileWaiting_recognisesItsOwnValue() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.KILL_AFTER);
        PlainLease lease = remoteLock(STEADY).acquire();
        get(acquire);
        assertEquals(lease.value(), value());
        assertTrue(lease.attempts() > 1);
        assertEquals(ReleaseResult.RELEASED, lease.release());
        awaitNothingLeft(server);
    }

    @Test
    void acquire_cancelledWhileUnanswered_leavesNoOrphan() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.STALL_REPLY);
        CompletableFuture<PlainLease> waiting = remoteLock(STEADY).acquireAsync();
        get(acquire);
        assertFalse(value().isEmpty(), "the server has granted it");
        waiting.cancel(false);
        proxy.resume();
        awaitNothingLeft(server);
        assertThrows(CancellationException.class, waiting::join);
    }

    @Test
    void acquire_interruptedWhileUnanswered_leavesNoOrphan() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.STALL_REPLY);
        PlainLock lock = remoteLock(STEADY);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                lock.acquire();
                thrown.completeExceptionally(new AssertionError("not interrupted"));
            } catch (Throwable e) {
                thrown.complete(e);
            }
        });
        thread.start();
        get(acquire);
        thread.interrupt();
        assertInstanceOf(InterruptedException.class, get(thrown));
        proxy.resume();
        awaitNothingLeft(server);
    }

    @Test
    void release_answerLost_isRepeatedUntilConfirmed() throws Exception {
        PlainLease lease = remoteLock(STEADY).acquire();
        CompletableFuture<Caught> release = proxy.onRequest(ScriptCalls.PLAIN_RELEASE, Fault.KILL_BEFORE);
        assertEquals(ReleaseResult.UNCONFIRMED, lease.release());
        get(release);
        assertFalse(lease.isValid());
        awaitNothingLeft(server);
    }

    @Test
    void attempt_serverDead_isUnknownWhateverTheWait() throws Exception {
        PlainLock lock = remoteLock(STEADY);
        proxy.refuse();
        proxy.killConnections(TcpProxy.Kind.ANY);
        assertInstanceOf(Attempt.Unknown.class, lock.attempt(Wait.none()));
        assertInstanceOf(Attempt.Unknown.class, lock.attempt(Wait.upTo(Duration.ofMillis(50))));
        assertInstanceOf(
                Attempt.Unknown.class, lock.with(STEADY.withMaxAttempts(3)).attempt(Wait.forever()));
        assertThrows(ServerUnreachableException.class, lock::holder);
    }

    @Test
    void close_acquireUnanswered_leavesNoOrphan() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults());
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.STALL_REPLY);
        CompletableFuture<PlainLease> waiting = holdfast.plainLock(KEY, STEADY).acquireAsync();
        get(acquire);
        Thread closing = new Thread(holdfast::close);
        closing.start();
        assertThrows(ExecutionException.class, () -> get(waiting));
        proxy.resume();
        closing.join();
        assertEquals("", value());
    }
}
