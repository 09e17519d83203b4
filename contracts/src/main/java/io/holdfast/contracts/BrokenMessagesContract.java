package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.contracts.servers.RespClient;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What becomes of waiters whose messages do not arrive, and of those behind them. */
abstract class BrokenMessagesContract extends FaultSuite {
    private static final LockOptions SHORT_CLAIM = STRICT.withHandoffTimeout(Duration.ofSeconds(1));

    @Test
    void release_waiterNotListening_isParkedAndGrantedOnceItListensAgain() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        CompletableFuture<Lease> waiting = remote(LAZY).lock("a").acquireAsync();
        awaitQueued(1);
        proxy.refuse();
        assertEquals(1, proxy.killConnections(Kind.MESSAGES));
        awaitListening(1);
        lease.release();
        awaitParked(1);
        assertEquals("", holder());
        assertEveryKeyExpires(server);
        proxy.accept();
        Lease next = get(waiting);
        assertHeldBy(next);
        assertTrue(next.waited().toSeconds() < 9, () -> "by the next refresh only: " + next.waited());
        next.release();
        awaitNothingButTombstones();
    }

    @Test
    void release_waiterNotListening_servesTheNextAtOnceAndKeepsItsPlace() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        CompletableFuture<Lease> away = remote(LAZY).lock("a").acquireAsync();
        awaitQueued(1);
        Holdfast others = local(LAZY.withLockDefaults(STRICT));
        CompletableFuture<Lease> second = others.lock("a").acquireAsync();
        awaitQueued(2);
        CompletableFuture<Lease> third = others.lock("a").acquireAsync();
        awaitQueued(3);
        proxy.refuse();
        proxy.killConnections(Kind.MESSAGES);
        awaitListening(2);
        lease.release();
        Lease next = get(second);
        assertHeldBy(next);
        assertTrue(next.waited().toSeconds() < 9, () -> "by a refresh: " + next.waited());
        proxy.accept();
        awaitParked(0);
        next.release();
        Lease first = get(away);
        assertHeldBy(first);
        assertFalse(third.isDone());
        first.release();
        get(third).release();
        awaitNothingButTombstones();
    }

    @Test
    void release_waiterNotListeningButAPatternSubscriberThere_servesTheNextAtOnce() throws Exception {
        try (RespClient eavesdropper = server.connect()) {
            eavesdropper.command("PSUBSCRIBE", "hf:to:*");
            Lease lease = local(LAZY).lock("a").acquire();
            CompletableFuture<Lease> away = remote(LAZY).lock("a").acquireAsync();
            awaitQueued(1);
            CompletableFuture<Lease> second = local(LAZY).lock("a").acquireAsync();
            awaitQueued(2);
            proxy.refuse();
            proxy.killConnections(Kind.MESSAGES);
            awaitListening(2);
            lease.release();
            Lease next = get(second);
            assertTrue(next.waited().toSeconds() < 9, () -> "by a refresh: " + next.waited());
            assertFalse(away.isDone());
            assertFalse(anyoneSuspect());
            next.release();
            proxy.accept();
            get(away).release();
            awaitNothingButTombstones();
        }
    }

    @Test
    void release_clientOfManyWaitersKilled_costsTheNextNothing() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        DistributedLock dying = remote(LAZY.withCloseTimeout(Duration.ZERO)).lock("a", STRICT);
        for (int i = 1; i <= 200; i++) {
            dying.acquireAsync();
        }
        awaitQueued(200);
        CompletableFuture<Lease> living = local(LAZY).lock("a").acquireAsync();
        awaitQueued(201);
        proxy.refuse();
        proxy.killConnections(Kind.ANY);
        awaitListening(2);
        lease.release();
        Lease next = get(living);
        assertTrue(next.waited().toSeconds() < 9, () -> "by a refresh: " + next.waited());
        awaitParked(200);
        next.release();
        assertEveryKeyExpires(server);
    }

    @Test
    void release_messagesSwallowed_costsOneClaimWindowAndIsRepairedByTheRefresh() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        HoldfastOptions options = HoldfastOptions.defaults().withRefreshInterval(Duration.ofSeconds(5));
        Holdfast deaf = remote(options);
        CompletableFuture<Lease> first = deaf.lock("a", SHORT_CLAIM).acquireAsync();
        awaitQueued(1);
        CompletableFuture<Lease> second = deaf.lock("a", SHORT_CLAIM).acquireAsync();
        awaitQueued(2);
        CompletableFuture<Lease> third = local(LAZY).lock("a").acquireAsync();
        awaitQueued(3);
        proxy.dropReplies(Kind.MESSAGES);
        lease.release();

        // One window for both waiters of the deaf client, then the next is served.
        Lease next = get(third);
        assertFalse(first.isDone());
        assertFalse(second.isDone());
        assertTrue(anyoneSuspect());
        assertEveryKeyExpires(server);

        // It cannot hear, but it can ask.
        next.release();
        assertHeldBy(get(first));
        assertTrue(anyoneSuspect());

        // Messages flow again: it hears the probe and is trusted.
        proxy.resume();
        await("it is trusted again", () -> !anyoneSuspect());
        get(first).release();
        get(second).release();
        awaitNothingButTombstones();
    }

    @Test
    void release_waiterFrozen_costsOneClaimWindowAndIsTrustedAgainAfterThaw() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        Holdfast frozen = remote(LAZY.withRefreshInterval(Duration.ofSeconds(1)));
        CompletableFuture<Lease> first = frozen.lock("a", SHORT_CLAIM).acquireAsync();
        awaitQueued(1);
        CompletableFuture<Lease> second = frozen.lock("a", SHORT_CLAIM).acquireAsync();
        awaitQueued(2);
        CompletableFuture<Lease> third = local(LAZY).lock("a").acquireAsync();
        awaitQueued(3);
        proxy.stall(Kind.ANY);
        lease.release();
        Lease next = get(third);
        assertTrue(anyoneSuspect());

        // What was under way arrives late: the grant is over and nobody must see it.
        proxy.resume();
        await("it is trusted again", () -> !anyoneSuspect());
        assertFalse(first.isDone());
        assertFalse(second.isDone());
        assertHeldBy(next);
        next.release();
        Lease own = get(first);
        assertHeldBy(own);
        assertTrue(own.token() > next.token());
        own.release();
        get(second).release();
        awaitNothingButTombstones();
    }

    @Test
    void release_messageLate_isConfirmedBeforeAnybodySeesTheLease() throws Exception {
        Lease lease = local(LAZY).lock("a").acquire();
        CompletableFuture<Lease> waiting = remote(LAZY).lock("a", SHORT_CLAIM).acquireAsync();
        awaitQueued(1);
        proxy.stallReplies(Kind.MESSAGES);
        lease.release();
        // The claim lapses, and nobody else waits: the client is suspect and gets its lock by asking only.
        await("the claim lapses", this::anyoneSuspect);
        CompletableFuture<TcpProxy.Caught> asked = proxy.onRequest(ScriptCalls.ACQUIRE, TcpProxy.Fault.STALL_REQUEST);
        proxy.resume();
        get(asked);
        assertFalse(completesSoon(waiting));
        proxy.resume();
        Lease own = get(waiting);
        assertHeldBy(own);
        assertTrue(own.remaining().toSeconds() > 5, () -> "not a full term: " + own.remaining());
        own.release();
        awaitNothingButTombstones();
    }
}
