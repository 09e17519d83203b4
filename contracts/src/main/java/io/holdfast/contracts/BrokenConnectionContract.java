package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** What a lock promises when connections break, answers get lost, or the server is away. */
public class BrokenConnectionContract extends AbsentServerContract {
    private static final LockOptions LONG = LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(10));

    // ---- the command connection breaks

    @Test
    void hold_commandConnectionBroken_isRenewedAfterTheReconnect() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults());
        Lease lease = holdfast.lock("a", LONG).acquire();
        // By the term it would be renewed after three minutes.
        CompletableFuture<Caught> renewal = proxy.onRequest(ScriptCalls.RENEW, Fault.NONE);
        proxy.refuse();
        proxy.killConnections(Kind.COMMANDS);
        assertFalse(completesSoon(renewal));
        assertTrue(lease.isValid());
        proxy.accept();
        get(renewal);
        assertHeldBy(lease);
        assertEquals(ReleaseResult.RELEASED, lease.release());
        awaitNothingLeft(server);
    }

    @Test
    void waiting_commandConnectionBroken_keepsItsPlace() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        Holdfast remote = remote(LAZY);
        CompletableFuture<Lease> first = remote.lock("a").acquireAsync();
        awaitQueued(1);
        awaitHeard(remote);
        CompletableFuture<Lease> second = local(LAZY).lock("a").acquireAsync();
        awaitQueued(2);
        CompletableFuture<Caught> refresh = proxy.onRequest(ScriptCalls.REFRESH, Fault.NONE);
        proxy.killConnections(Kind.COMMANDS);
        get(refresh);
        lease.release();
        Lease next = get(first);
        assertHeldBy(next);
        assertFalse(second.isDone());
        next.release();
        get(second).release();
        awaitNothingButTombstones();
    }

    @Test
    void waiting_bothConnectionsBroken_keepsItsPlace() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        Holdfast remote = remote(LAZY);
        CompletableFuture<Lease> first = remote.lock("a").acquireAsync();
        awaitQueued(1);
        awaitHeard(remote);
        CompletableFuture<Lease> second = local(LAZY).lock("a").acquireAsync();
        awaitQueued(2);
        proxy.refuse();
        proxy.killConnections(Kind.ANY);
        awaitListening(2);
        lease.release();
        Lease next = get(second);
        awaitQueued(1); // the parked one; the present holder stood there until it had confirmed
        CompletableFuture<Lease> third = local(LAZY).lock("a").acquireAsync();
        awaitQueued(2);
        proxy.accept();
        awaitListening(4);
        awaitParked(0);
        next.release();
        get(first).release();
        get(third).release();
        awaitNothingButTombstones();
    }

    @Test
    void handoff_firstMessageAfterAReconnect_isConfirmedBeforeAnybodySeesTheLease() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        Holdfast remote = remote(LAZY);
        CompletableFuture<Lease> waiting = remote.lock("a").acquireAsync();
        awaitQueued(1);
        awaitHeard(remote);
        // After the reconnect the client has no reading of the server's clock until this is answered.
        CompletableFuture<Caught> refresh = proxy.onRequest(ScriptCalls.REFRESH, Fault.STALL_REPLY);
        proxy.killConnections(Kind.COMMANDS);
        get(refresh);
        CompletableFuture<Caught> asked = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.NONE);
        lease.release();
        get(asked);
        assertFalse(completesSoon(waiting));
        proxy.resume();
        assertHeldBy(get(waiting));
        get(waiting).release();
        awaitNothingButTombstones();
    }

    // ---- the answer of an acquire gets lost

    @Test
    void attempt_answerLostWithTheConnection_isUnknownAndTakenBack() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults());
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.KILL_AFTER);
        assertInstanceOf(Attempt.Unknown.class, holdfast.lock("a").attempt(Wait.none()));
        awaitNothingButTombstones();
        assertEquals(1, tombstones().size());
        assertLateCopyIsRefused(get(acquire));
    }

    @Test
    void attempt_answerSwallowed_isUnknownAndTakenBack() throws Exception {
        Holdfast holdfast = remote(EAGER);
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.DROP_REPLY);
        assertThrows(ServerUnreachableException.class, () -> holdfast.lock("a").tryAcquire());
        awaitNothingButTombstones();
        proxy.resume();
        assertLateCopyIsRefused(get(acquire));
    }

    @Test
    void attempt_requestLate_isRefusedByTheTombstone() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults());
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.KILL_BEFORE);
        assertInstanceOf(Attempt.Unknown.class, holdfast.lock("a").attempt(Wait.none()));
        await("the owner is ended", () -> tombstones().size() == 1);
        assertLateCopyIsRefused(get(acquire));
    }

    @Test
    void acquire_answerLostWithTheConnection_isRepeatedAndGetsTheSameGrant() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults());
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.KILL_AFTER);
        CompletableFuture<Lease> acquired = holdfast.lock("a").acquireAsync();
        get(acquire);
        String granted = server.command("GET", "hf:{a}").asString();
        Lease lease = get(acquired);
        assertTrue(granted.contains(" " + lease.token() + " "), granted + " is not of " + lease);
        assertTrue(lease.attempts() > 1);
        assertHeldBy(lease);
        assertEquals(ReleaseResult.RELEASED, lease.release());
        // Not every copy was answered, so that one may come yet.
        awaitNothingButTombstones();
        assertLateCopyIsRefused(get(acquire));
    }

    @Test
    void acquire_queueingAnswerLost_keepsOnePlaceAndIsWithdrawnWhole() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.KILL_AFTER);
        CompletableFuture<Lease> waiting = remote(LAZY).lock("a").acquireAsync();
        get(acquire);
        awaitQueued(1);
        CompletableFuture<Caught> repeated = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.NONE);
        get(repeated);
        awaitQueued(1);
        waiting.cancel(true);
        await(
                "the request leaves the queue",
                () -> server.command("EXISTS", "hf:{a}:q", "hf:{a}:d").asLong() == 0);
        assertEquals("GONE", get(acquire).deliver().asString().split(" ", 2)[0]);
        assertHeldBy(lease);
        assertEquals(0, server.command("EXISTS", "hf:{a}:q", "hf:{a}:d").asLong());
    }

    @Test
    void acquire_cancelledWhileUnanswered_leavesNoOrphan() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults());
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.STALL_REPLY);
        CompletableFuture<Lease> acquired = holdfast.lock("a").acquireAsync();
        get(acquire);
        assertTrue(acquired.cancel(true));
        awaitNothingButTombstones();
        proxy.resume();
        assertLateCopyIsRefused(get(acquire));
    }

    @Test
    void acquire_interruptedWhileUnanswered_leavesNoOrphan() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults());
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.STALL_REPLY);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                holdfast.lock("a").acquire().close();
                thrown.complete(new AssertionError("acquired"));
            } catch (Throwable e) {
                thrown.complete(e);
            }
        });
        thread.start();
        get(acquire);
        thread.interrupt();
        assertInstanceOf(InterruptedException.class, get(thrown));
        awaitNothingButTombstones();
        proxy.resume();
        assertLateCopyIsRefused(get(acquire));
    }

    @Test
    void close_acquireUnanswered_leavesNoOrphan() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults().withCloseTimeout(Duration.ofMillis(300)));
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.STALL_REPLY);
        holdfast.lock("a").acquireAsync();
        get(acquire);
        holdfast.close();
        awaitNothingButTombstones();
        assertLateCopyIsRefused(get(acquire));
    }

    @Test
    void close_attemptWithoutWaitUnanswered_leavesNoOrphan() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults().withCloseTimeout(Duration.ofMillis(300)));
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.STALL_REPLY);
        CompletableFuture<Attempt<Lease>> attempt = holdfast.lock("a").attemptAsync(Wait.none());
        get(acquire);
        holdfast.close();
        ExecutionException failure = assertThrows(ExecutionException.class, () -> get(attempt));
        assertInstanceOf(HoldfastClosedException.class, failure.getCause());
        awaitNothingButTombstones();
        assertLateCopyIsRefused(get(acquire));
    }

    private void assertLateCopyIsRefused(Caught acquire) {
        Reply reply = acquire.deliver();
        assertEquals("GONE", reply.asString().split(" ", 2)[0]);
        assertEquals(
                List.of(),
                keysButTokens(server).stream()
                        .filter(key -> !key.contains(":x:"))
                        .toList());
        for (String tombstone : tombstones()) {
            long left = server.command("PTTL", tombstone).asLong();
            assertTrue(left > 100_000 && left <= 120_000, tombstone + " lives for another " + left + " ms");
        }
    }

    // ---- the answer of a release gets lost

    @Test
    void release_answerLostWithTheConnection_isRepeatedUntilConfirmed() throws Exception {
        Lease lease = remote(HoldfastOptions.defaults()).lock("a", LONG).acquire();
        CompletableFuture<Caught> release = proxy.onRequest(ScriptCalls.RELEASE, Fault.KILL_AFTER);
        CompletableFuture<Caught> repeated = proxy.onRequest(ScriptCalls.RELEASE, Fault.NONE);
        assertEquals(ReleaseResult.UNCONFIRMED, lease.release());
        get(release);
        get(repeated);
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        assertEquals(List.of(), keysButTokens(server));
    }

    @Test
    void release_lostWithTheConnection_isRepeatedUntilTheLockIsFree() throws Exception {
        Lease lease = remote(HoldfastOptions.defaults()).lock("a", LONG).acquire();
        CompletableFuture<Lease> waiting = local(LAZY).lock("a").acquireAsync();
        awaitQueued(1);
        proxy.onRequest(ScriptCalls.RELEASE, Fault.KILL_BEFORE);
        assertEquals(ReleaseResult.UNCONFIRMED, lease.release());
        assertFalse(lease.isValid());
        get(waiting).release();
        awaitNothingLeft(server);
    }

    @Test
    void release_answerSwallowed_isRepeatedUntilConfirmed() throws Exception {
        Lease lease = remote(EAGER).lock("a", LONG).acquire();
        CompletableFuture<Lease> waiting = local(LAZY).lock("a").acquireAsync();
        awaitQueued(1);
        proxy.onRequest(ScriptCalls.RELEASE, Fault.DROP_REPLY);
        CompletableFuture<Caught> repeated = proxy.onRequest(ScriptCalls.RELEASE, Fault.NONE);
        assertEquals(ReleaseResult.UNCONFIRMED, lease.release());
        // The others do not wait for the confirmation.
        Lease next = get(waiting);
        get(repeated);
        assertHeldBy(next);
        proxy.resume();
        next.release();
        awaitNothingLeft(server);
    }

    @Test
    void release_unreachable_isRepeatedWhenTheServerIsBack() throws Exception {
        Lease lease = remote(EAGER).lock("a", LONG).acquire();
        proxy.refuse();
        proxy.killConnections(Kind.ANY);
        assertEquals(ReleaseResult.UNCONFIRMED, lease.release());
        assertEquals(List.of("hf:{a}"), keysButTokens(server));
        proxy.accept();
        awaitNothingLeft(server);
    }

    @Test
    void close_releaseUnanswered_waitsForIt() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults().withCloseTimeout(Duration.ofMinutes(1)));
        Lease lease = holdfast.lock("a", LONG).acquire();
        CompletableFuture<Caught> release = proxy.onRequest(ScriptCalls.RELEASE, Fault.STALL_REQUEST);
        CompletableFuture<ReleaseResult> released = lease.releaseAsync();
        get(release);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(holdfast::close);
        assertFalse(completesSoon(closing));
        proxy.resume();
        assertEquals(ReleaseResult.RELEASED, get(released));
        get(closing);
        assertEquals(List.of(), keysButTokens(server));
    }

    @Test
    void extend_notAnswered_throwsAndLeavesTheOldDeadline() throws Exception {
        Lease lease = remote(EAGER).lock("a").acquire();
        Duration before = lease.remaining();
        proxy.onRequest(ScriptCalls.CONFIRM, Fault.DROP_REPLY);
        assertThrows(ServerUnreachableException.class, () -> lease.extend(Duration.ofMinutes(5)));
        assertTrue(lease.isValid());
        assertTrue(lease.remaining().compareTo(before) < 0);
        assertTrue(server.command("PTTL", "hf:{a}").asLong() > 200_000);
        lease.release();
        // The lock is free although the client was never told that the extension took effect.
        awaitNothingLeft(server);
    }

    @Test
    void confirm_notAnswered_isRepeatedAfterTheReconnect() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        LockOptions options = LockOptions.defaults().withHandoffTimeout(Duration.ofSeconds(5));
        CompletableFuture<Lease> waiting = remote(LAZY).lock("a", options).acquireAsync();
        awaitQueued(1);
        CompletableFuture<Caught> confirm = proxy.onRequest(ScriptCalls.CONFIRM, Fault.KILL_BEFORE);
        lease.release();
        Lease next = get(waiting);
        CompletableFuture<LossReason> lost = next.whenLost().toCompletableFuture();
        get(confirm);
        await("it is confirmed", () -> next.remaining().toSeconds() > 10 || lost.isDone());
        assertHeldBy(next);
        next.release();
        awaitNothingButTombstones();
    }
}
