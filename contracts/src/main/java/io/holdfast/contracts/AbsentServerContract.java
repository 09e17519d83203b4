package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What leases and waiters do while the server hangs, is dead, or has come back without its memory. */
abstract class AbsentServerContract extends BrokenMessagesContract {
    @Test
    void lost_serverFrozen_isToldAtTheDeadlineAfterAWarning() throws Exception {
        Lease lease = local(HoldfastOptions.defaults()).lock("a", BRIEF).acquire();
        CompletableFuture<Boolean> validWhenWarned = new CompletableFuture<>();
        lease.onWarning(left -> validWhenWarned.complete(!left.isNegative() && !left.isZero() && lease.isValid()));
        server.freeze();
        LossReason reason = get(lease.whenLost());
        assertEquals(LossReason.EXPIRED, reason);
        assertTrue(validWhenWarned.isDone(), "no warning before the loss");
        assertFalse(lease.isValid());
        assertEquals(Duration.ZERO, lease.remaining());
        assertThrows(LeaseLostException.class, lease::requireValid);
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        server.thaw();
        awaitNothingLeft(server);
        assertFalse(lease.isValid());
    }

    /** A lease that was handed over begins with a claim, which is confirmed soon: then it bears what any other bears. */
    @Test
    void handedOver_serverSilentForTwoThirdsOfTheTerm_isKept() throws Exception {
        LockOptions options = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(6));
        Lease before = local(HoldfastOptions.defaults()).lock("a").acquire();
        CompletableFuture<Lease> waiting =
                remote(HoldfastOptions.defaults()).lock("a", options).acquireAsync();
        awaitQueued(1);
        before.release();
        Lease lease = get(waiting);
        await(
                "it has its whole term",
                () -> lease.remaining().compareTo(options.handoffTimeout()) > 0 || !lease.isValid());
        assertTrue(lease.remaining().toMillis() > 5_000, () -> "of the first second are left " + lease.remaining());
        proxy.stall(Kind.ANY);
        await("two thirds are over", () -> lease.remaining().toMillis() < 2_000);
        assertTrue(lease.isValid());
        proxy.resume();
        await("it is renewed", () -> lease.remaining().toMillis() > 4_000 || !lease.isValid());
        assertHeldBy(lease);
        assertEquals(ReleaseResult.RELEASED, lease.release());
        awaitNothingLeft(server);
    }

    @Test
    void lost_renewalsHeldBack_comesBeforeTheServerHandsOver() throws Exception {
        // Ten times, because what is to be shown is an order of two events.
        for (int i = 0; i < 10; i++) {
            LockOptions options = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(1));
            Lease lease = remote(HoldfastOptions.defaults()).lock("a", options).acquire();
            AtomicBoolean stillValid = new AtomicBoolean();
            CompletableFuture<Lease> rival = local(HoldfastOptions.defaults())
                    .lock("a")
                    .acquireAsync()
                    .whenComplete((next, failure) -> stillValid.set(lease.isValid()));
            awaitQueued(1);
            proxy.stall(Kind.ANY);
            Lease next = get(rival);
            assertFalse(stillValid.get());
            assertTrue(next.token() > lease.token());
            assertEquals(LossReason.EXPIRED, get(lease.whenLost()));

            // The renewals and the release that were held back arrive now.
            proxy.resume();
            assertFalse(lease.isValid());
            assertHeldBy(next);
            assertEquals(ReleaseResult.RELEASED, next.release());
            awaitNothingLeft(server);
        }
    }

    @Test
    void renewal_arrivesAfterTheExpiry_neitherRevivesNorCreates() throws Exception {
        Lease lease = remote(HoldfastOptions.defaults()).lock("a", BRIEF).acquire();
        CompletableFuture<TcpProxy.Caught> renewal = proxy.onRequest(ScriptCalls.RENEW, Fault.STALL_REQUEST);
        TcpProxy.Caught late = get(renewal);
        assertEquals(LossReason.EXPIRED, get(lease.whenLost()));
        await("the hold expires", () -> holder().isEmpty());
        assertEquals("0", late.deliver().asString().split(" ", 2)[0]);
        assertEquals(List.of(), keysButTokens(server));
        proxy.resume();
        assertFalse(lease.isValid());
        Lease next = local(HoldfastOptions.defaults()).lock("a").acquire();
        assertEquals("0", late.deliver().asString().split(" ", 2)[0]);
        assertHeldBy(next);
        assertFalse(lease.isValid());
    }

    @Test
    void renewal_executedButNotAnswered_doesNotReviveTheLeaseAndIsTakenBack() throws Exception {
        Holdfast holdfast = remote(EAGER);
        Lease lease = holdfast.lock("a", BRIEF).acquire();
        get(proxy.onRequest(ScriptCalls.RENEW, Fault.STALL_REPLY));
        assertEquals(LossReason.EXPIRED, get(lease.whenLost()));
        // The client gives the lock back although the server would have let it keep it.
        awaitNothingLeft(server);
        proxy.resume();
        holdfast.inspect().lock("a"); // answers come in order: the renewal's has come before this one
        assertFalse(lease.isValid());
        assertEquals(List.of(), keysButTokens(server));
    }

    @Test
    void acquire_afterThaw_goesOnForEverybody() throws Exception {
        Holdfast first = local(HoldfastOptions.defaults());
        Lease lease = first.lock("a", BRIEF).acquire();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(local(HoldfastOptions.defaults()).lock("a", BRIEF).acquireAsync());
            awaitQueued(i + 1);
        }
        server.freeze();
        assertEquals(LossReason.EXPIRED, get(lease.whenLost()));
        server.thaw();
        long last = lease.token();
        for (int i = 0; i < 3; i++) {
            Lease next = (Lease) get(CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new)));
            waiting.removeIf(CompletableFuture::isDone);
            assertTrue(next.token() > last);
            last = next.token();
            next.release();
        }
        awaitNothingButTombstones();
    }

    @Test
    void waiting_serverKilledAndRestarted_goesOn() throws Exception {
        Holdfast holder = local(HoldfastOptions.defaults());
        Lease lease = holder.lock("a").acquire();
        CompletableFuture<Long> one = local(HoldfastOptions.defaults())
                .lock("a")
                .acquireAsync(Wait.forever())
                .thenCompose(next -> next.releaseAsync().thenApply(result -> next.token()));
        awaitQueued(1);
        CompletableFuture<Long> two = local(HoldfastOptions.defaults())
                .lock("a")
                .acquireAsync(Wait.forever())
                .thenCompose(next -> next.releaseAsync().thenApply(result -> next.token()));
        awaitQueued(2);
        server.kill();
        assertFalse(completesSoon(one));
        server.restart();
        assertTrue(get(one) > lease.token());
        assertTrue(get(two) > lease.token());
        assertEquals(LossReason.NOT_ON_SERVER, get(lease.whenLost()));
        awaitNothingButTombstones();
    }

    @Test
    void waiting_serverForgotEverything_goesOn() throws Exception {
        Lease lease = local(HoldfastOptions.defaults()).lock("a").acquire();
        CompletableFuture<Lease> waiting =
                local(HoldfastOptions.defaults()).lock("a").acquireAsync();
        awaitQueued(1);
        server.command("FLUSHALL");
        server.command("SCRIPT", "FLUSH");
        Lease next = get(waiting);
        assertTrue(next.token() > lease.token());
        assertHeldBy(next);
        next.release();
        awaitNothingButTombstones();
    }

    @Test
    void attempt_serverDead_isUnknownWhateverTheWait() throws Exception {
        Holdfast holdfast = local(HoldfastOptions.defaults());
        server.kill();
        assertInstanceOf(Attempt.Unknown.class, holdfast.lock("a").attempt(Wait.none()));
        assertInstanceOf(Attempt.Unknown.class, holdfast.lock("a").attempt(Wait.upTo(Duration.ofMillis(300))));
        assertThrows(
                ServerUnreachableException.class,
                () -> holdfast.lock("a").tryAcquire(Wait.upTo(Duration.ofMillis(50))));
        ServerUnreachableException failure = assertThrows(
                ServerUnreachableException.class, () -> holdfast.lock("a").acquire(Wait.upTo(Duration.ofMillis(50))));
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.contains("lock 'a'") && message.contains(Integer.toString(server.port())), message);
        server.restart();
        Lease lease = holdfast.lock("a").acquire();
        assertHeldBy(lease);
        lease.release();
        awaitNothingButTombstones();
    }

    @Test
    void attempt_serverDiesWhileWaiting_isUnknown() throws Exception {
        HoldfastOptions options = HoldfastOptions.defaults().withCloseTimeout(Duration.ZERO);
        Lease lease = local(options).lock("a").acquire();
        CompletableFuture<Attempt<Lease>> waiting =
                local(options).lock("a").attemptAsync(Wait.upTo(Duration.ofSeconds(2)));
        awaitQueued(1);
        server.kill();
        assertInstanceOf(Attempt.Unknown.class, get(waiting));
        assertTrue(lease.remaining().toSeconds() < 30);
    }

    @Test
    void attempt_serverFreezesWhileWaiting_isUnknown() throws Exception {
        Lease lease = local(HoldfastOptions.defaults()).lock("a").acquire();
        CompletableFuture<Attempt<Lease>> waiting =
                local(EAGER).lock("a").attemptAsync(Wait.upTo(Duration.ofSeconds(2)));
        awaitQueued(1);
        server.freeze();
        assertInstanceOf(Attempt.Unknown.class, get(waiting));
        server.thaw();
        awaitNobodyQueued();
        lease.release();
    }

    @Test
    void attempt_serverFreezesWhileWaitingAndNobodyHasNoticed_isUnknown() throws Exception {
        // With these options nothing that the client has asked is overdue when the wait is over.
        HoldfastOptions options = LAZY.withCloseTimeout(Duration.ZERO);
        Lease lease = local(options).lock("a").acquire();
        CompletableFuture<Attempt<Lease>> waiting =
                local(options).lock("a").attemptAsync(Wait.upTo(Duration.ofSeconds(3)));
        awaitQueued(1);
        server.freeze();
        assertInstanceOf(Attempt.Unknown.class, get(waiting));
        server.thaw();
        awaitNobodyQueued();
        lease.release();
    }

    @Test
    void connections_openButSilent_areReplaced() throws Exception {
        Holdfast holdfast = remote(EAGER);
        Lease held = holdfast.lock("b").acquire();
        // From here on the present connections swallow everything; they stay open, and new ones are not affected.
        proxy.onRequest(ScriptCalls.ACQUIRE, Fault.DROP_REPLY);
        CompletableFuture<Lease> acquired = holdfast.lock("a").acquireAsync(Wait.forever());
        assertHeldBy(get(acquired));
        assertTrue(held.isValid());
        assertEquals(ReleaseResult.RELEASED, held.release());
        get(acquired).release();
        awaitNothingButTombstones();
    }

    @Test
    void attempt_serverAnswers_isTakenOrTimedOut() throws Exception {
        Lease lease = local(HoldfastOptions.defaults()).lock("a").acquire();
        proxy.delay(Kind.ANY, Duration.ofMillis(100));
        Holdfast slow = remote(HoldfastOptions.defaults());
        assertNotObtained(Reason.TAKEN, slow.lock("a").attempt(Wait.none()));
        assertNotObtained(Reason.TIMED_OUT, slow.lock("a").attempt(Wait.upTo(Duration.ofSeconds(2))));
        awaitNobodyQueued();
        assertHeldBy(lease);
    }

    @Test
    void scripts_forgottenByTheServer_areSentAgainUnnoticed() throws Exception {
        Holdfast holder = local(HoldfastOptions.defaults());
        Holdfast waiter = local(HoldfastOptions.defaults());
        // Everything is loaded once, and forgotten before each kind of call.
        Lease lease = holder.lock("a", BRIEF).acquire();
        CompletableFuture<Lease> waiting = waiter.lock("a", BRIEF).acquireAsync();
        awaitQueued(1);
        server.command("SCRIPT", "FLUSH");
        lease.extend(Duration.ofSeconds(2));
        server.command("SCRIPT", "FLUSH");
        assertEquals(ReleaseResult.RELEASED, lease.release());
        Lease next = get(waiting);
        assertEquals(1, next.attempts());
        server.command("SCRIPT", "FLUSH");
        next.extend(Duration.ofSeconds(2));
        server.command("SCRIPT", "FLUSH");
        // Renewed twice by a script that has to be sent as text.
        CompletableFuture<LossReason> lost = next.whenLost().toCompletableFuture();
        await("it is renewed", () -> next.remaining().toMillis() < 1_000 || lost.isDone());
        await("it is renewed", () -> next.remaining().toMillis() > 1_000 || lost.isDone());
        assertHeldBy(next);
        assertEquals(ReleaseResult.RELEASED, next.release());
        server.command("SCRIPT", "FLUSH");
        Lease again = holder.lock("a").acquire();
        assertEquals(1, again.attempts());
        server.command("SCRIPT", "FLUSH");
        assertEquals(1, holder.inspect().lock("a").holder().stream().count());
        server.command("SCRIPT", "FLUSH");
        again.release();
        assertEquals(List.of(), keysButTokens(server));
    }
}
