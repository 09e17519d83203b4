package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseTicket;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Revocation;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.internal.turns.LocalLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Holds that several leases of one client share: handed on among its threads, extended, or released by name. */
final class LocalLineTest extends LocalLineFixture {
    // ---- in turns; more in TurnsTest

    @Test
    void release_othersOfThisClientWait_handsOnWithoutTheServerInOrderWithRisingTokens() {
        Lease first = lease(ask(ours, HANDED));
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(ask(ours, HANDED));
        }
        assertEquals(3, ours.waiterCount());
        String hold = server.command("GET", ours.lock("a").key()).asString();
        Lease before = first;
        for (CompletableFuture<Lease> next : waiting) {
            assertFalse(next.isDone());
            time.advance(MICRO);
            long token = before.token();
            assertEquals(ReleaseResult.RELEASED, before.release());
            assertFalse(before.isValid());
            Lease after = lease(next);
            assertTrue(after.token() > token);
            assertEquals(hold, server.command("GET", ours.lock("a").key()).asString());
            before = after;
        }
        assertEquals(ReleaseResult.RELEASED, before.release());
        assertFalse(ours.lock("a").isLocked());
        assertEquals(0, ours.leaseCount() + ours.waiterCount());
    }

    @Test
    void lost_holdIsGone_isToldToTheLeaseAndTheNextAsksTheServer() {
        Lease lease = lease(ask(ours, HANDED));
        CompletableFuture<Lease> next = ask(ours, HANDED);
        CompletableFuture<LossReason> told = lease.whenLost().toCompletableFuture();
        long token = lease.token();
        server.command("DEL", ours.lock("a").key());
        time.advance(LockOptions.defaults().leaseDuration().dividedBy(2));
        assertEquals(LossReason.NOT_ON_SERVER, told.join());
        assertFalse(lease.isValid());
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        assertTrue(lease(next).token() > token);
    }

    @Test
    void attempt_whileAnotherThreadHolds_timesOutAndKnowsTheHolder() {
        Lease lease = lease(ask(ours, HANDED));
        CompletableFuture<Attempt<Lease>> attempt =
                ours.lock("a", HANDED).attemptAsync(Wait.upTo(Duration.ofMillis(100)));
        time.advance(Duration.ofMillis(100));
        Attempt.NotObtained<Lease> out = assertNotObtained(Reason.TIMED_OUT, attempt.join());
        Holder holder = out.contention().holder().orElseThrow();
        assertEquals(ours.options().application(), holder.application());
        assertEquals(Long.toString(ProcessHandle.current().pid()), holder.pid());
        assertFalse(holder.host().isEmpty());
        assertNotObtained(
                Reason.TAKEN, ours.lock("a", HANDED).attemptAsync(Wait.none()).join());
        lease.release();
    }

    @Test
    void attempt_theServerIsAway_isUnknown() {
        Lease lease = lease(ask(other, LockOptions.defaults()));
        CompletableFuture<Attempt<Lease>> attempt =
                ours.lock("a", HANDED).attemptAsync(Wait.upTo(Duration.ofMillis(100)));
        control.disconnect();
        time.advance(Duration.ofSeconds(10));
        assertInstanceOf(Attempt.Unknown.class, attempt.join());
        control.reconnect();
        lease.release();
    }

    @Test
    void cancel_theOnlyOneThatWaits_leavesTheQueue() {
        Lease lease = lease(ask(other, LockOptions.defaults()));
        CompletableFuture<Lease> mine = ask(ours, HANDED);
        assertEquals(1, other.inspect().lock("a").waiters());
        mine.cancel(false);
        assertEquals(0, other.inspect().lock("a").waiters());
        assertEquals(0, ours.waiterCount());
        lease.release();
    }

    @Test
    void cancel_oneOfSeveral_leavesThePlaceToTheOthers() {
        Lease lease = lease(ask(other, LockOptions.defaults()));
        CompletableFuture<Lease> first = ask(ours, HANDED);
        CompletableFuture<Lease> second = ask(ours, HANDED);
        first.cancel(false);
        assertEquals(1, other.inspect().lock("a").waiters());
        lease.release();
        lease(second).release();
    }

    @Test
    void close_withHolderAndWaiters_tellsAll() {
        Holdfast closing = control.client();
        Lease lease = lease(ask(closing, HANDED));
        CompletableFuture<Lease> next = ask(closing, HANDED);
        closing.close();
        assertEquals(
                LossReason.CLIENT_CLOSED, lease.whenLost().toCompletableFuture().join());
        assertTrue(next.isCompletedExceptionally());
        lease(ask(other, LockOptions.defaults())).release();
    }

    @Test
    void evict_waitersOfTheClient_areAllTold() {
        Lease lease = lease(ask(other, LockOptions.defaults()));
        CompletableFuture<Attempt<Lease>> first = ours.lock("a", HANDED).attemptAsync(Wait.forever());
        CompletableFuture<Attempt<Lease>> second = ours.lock("a", HANDED).attemptAsync(Wait.forever());
        control.drop("a");
        assertNotObtained(Reason.DROPPED, first.join());
        assertNotObtained(Reason.DROPPED, second.join());
        lease.release();
    }

    /** Neither the next in the client's own line nor the client itself has the lock meanwhile. */
    @Test
    void releaseToRest_nextInLineOrKept_hasItOnlyAfterTheRest() {
        Duration rest = Duration.ofSeconds(20);
        for (LockOptions each : List.of(HANDED, KEPT_LONG)) {
            Lease lease = lease(ask(ours, each));
            CompletableFuture<Lease> next = ask(ours, each);
            assertEquals(ReleaseResult.RELEASED, lease.releaseToRest(rest));
            assertTrue(other.inspect().lock("a").holder().orElseThrow().resting());
            time.advance(rest.minusMillis(1));
            assertFalse(next.isDone());
            time.advance(Duration.ofSeconds(3));
            lease(next).releaseToRest(rest);
            assertTrue(other.inspect().lock("a").holder().orElseThrow().resting(), "and is not kept");
            time.advance(rest.plusSeconds(1));
        }
    }

    @Test
    void options_thatDoNotGoTogether_areRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> ours.lock("a", KEPT.withReentrancy(LockOptions.Reentrancy.REENTER)));
        assertThrows(IllegalArgumentException.class, () -> ours.lock("a", KEPT.withMinHold(Duration.ofSeconds(1))));
    }

    /** They have holds for themselves, whatever was said of turns: each request stands in the server's queue. */
    @Test
    void options_thatTurnsCannotServe_areStrictByThemselves() {
        for (LockOptions each : List.of(
                HANDED.withRenewal(false),
                HANDED.withReentrancy(LockOptions.Reentrancy.REFUSE),
                HANDED.withMinHold(Duration.ofMillis(1)),
                HANDED.withQueueLimit(10),
                HANDED.withRequestLife(Duration.ofSeconds(10), LockOptions.RequestEnd.TO_TAIL),
                HANDED.withOrder(LockOptions.Order.RANDOM))) {
            Lease lease = lease(ask(other, STRICT));
            List<CompletableFuture<Lease>> waiting = List.of(
                    ours.lock("a", each).withActor("x").acquireAsync(Wait.forever()),
                    ours.lock("a", each).withActor("y").acquireAsync(Wait.forever()));
            assertEquals(2, other.inspect().lock("a").waiters(), each::toString);
            waiting.forEach(one -> one.cancel(true));
            lease.release();
        }
        for (Wait wait : List.of(Wait.untilStuck(Duration.ofMinutes(1)), Wait.forever())) {
            Lease lease = lease(ask(other, STRICT));
            List<CompletableFuture<Lease>> waiting = List.of(
                    ours.lock("a", HANDED).acquireAsync(wait),
                    ours.lock("a", HANDED).acquireAsync(wait));
            assertEquals(wait.untilStuck() ? 2 : 1, other.inspect().lock("a").waiters(), wait::toString);
            waiting.forEach(one -> one.cancel(true));
            lease.release();
        }
    }

    /** The hold lives on without its client: whoever waits here stands in the server's queue behind it. */
    @Test
    void detach_othersOfThisClientWait_waitForTheEndOfItsTerm() {
        Lease lease = lease(ask(ours, HANDED));
        CompletableFuture<Lease> next = ask(ours, HANDED);
        long token = lease.token();
        lease.detach();
        assertTrue(lease.isValid());
        assertEquals(1, other.inspect().lock("a").waiters());
        time.advance(LockOptions.defaults().leaseDuration().plusSeconds(3));
        assertFalse(lease.isValid());
        assertTrue(lease(next).token() > token);
        next.join().release();
    }

    /** The hold is its alone from then on: whoever waits here stands in the server's queue behind whoever adopts it. */
    @Test
    void ticket_ofALaterLeaseOfAHold_isAdoptedWithItsOwnTokenAndTheLineAsksAnew() {
        Lease first = lease(ask(ours, HANDED));
        CompletableFuture<Lease> second = ask(ours, HANDED);
        CompletableFuture<Lease> third = ask(ours, HANDED);
        time.advance(MICRO);
        long before = first.token();
        first.release();
        Lease given = lease(second);
        LeaseTicket ticket = LeaseTicket.decode(given.ticket().encoded());
        assertEquals(given.token(), ticket.token());
        assertEquals(before, ticket.grantToken());
        assertTrue(ticket.token() > before);
        assertEquals(1, other.inspect().lock("a").waiters(), "the line asks anew");
        assertTrue(given.isValid(), "still renewed");
        assertEquals(ticket.token(), given.ticket().token(), "a second time");

        Lease adopted = other.adopt(ticket);
        assertEquals(given.token(), adopted.token());
        assertEquals(
                adopted.token(),
                other.inspect().lock("a").holder().orElseThrow().token());
        assertThrows(LeaseLostException.class, () -> ours.adopt(ticket));
        time.advance(THIRD.multipliedBy(2)); // it is renewed, and the giver's renewal finds it adopted
        assertTrue(adopted.isValid());
        assertTrue(given.isHandedOver());
        assertFalse(given.isValid());
        assertFalse(given.whenLost().toCompletableFuture().isDone());
        given.detach(); // it is
        assertEquals(ReleaseResult.ALREADY_GONE, given.release());

        assertFalse(third.isDone());
        assertEquals(ReleaseResult.RELEASED, adopted.release());
        Lease last = lease(third);
        assertTrue(last.token() > adopted.token());
        last.release();
    }

    /** Only what leases have used counts: what was reserved besides must not run away from the clock. */
    @Test
    void ticket_adoptedAndReleased_leavesNoReservedTokens() {
        Lease given = lease(ask(ours, HANDED));
        long token = given.token();
        other.adopt(given.ticket()).release();
        time.advance(Duration.ofMillis(1));
        Lease next = lease(ask(other, STRICT));
        assertTrue(next.token() > token);
        assertTrue(next.token() < token + LocalLines.tokens(true), "it is the clock's");
        next.release();
    }

    /** A hold that serves others by now is not its to give. */
    @Test
    void ticket_ofALeaseThatIsOver_opensNothing() {
        Lease first = lease(ask(ours, HANDED));
        CompletableFuture<Lease> second = ask(ours, HANDED);
        time.advance(MICRO);
        first.release();
        assertThrows(LeaseLostException.class, () -> other.adopt(first.ticket()));
        assertTrue(lease(second).isValid());
        second.join().release();
    }

    @Test
    void ticket_leaseIsLostAfterwards_isToldOnceAndNobodyElseIsConcerned() {
        Lease given = lease(ask(ours, HANDED));
        CompletableFuture<Lease> next = ask(ours, HANDED);
        given.ticket();
        control.drop("a");
        assertTrue(next.isCompletedExceptionally());
        other.admin().release("a", Admin.Waiters.HAND_OFF);
        assertEquals(LossReason.REVOKED, given.whenLost().toCompletableFuture().join());
        assertFalse(given.isHandedOver());
        assertEquals(ReleaseResult.ALREADY_GONE, given.release());
    }

    /** A recall of the hold comes after the line has let it go: it concerns no later turn. */
    @Test
    void ticket_recalledAfterwards_staysTheLeases() {
        Lease given = lease(ask(ours, HANDED));
        given.ticket();
        CompletableFuture<Lease> theirs = ask(other, STRICT);
        CompletableFuture<Lease> mine = ask(ours, HANDED);
        assertTrue(given.isValid());
        assertEquals(2, other.inspect().lock("a").waiters());
        given.release();
        lease(theirs).release();
        lease(mine).release();
    }

    /** The renewal of the hold ended with the first lease's time; the second has a time of its own. */
    @Test
    void longestHold_firstLeaseOverstaysIt_nextIsRenewed() {
        LockOptions longest = HANDED.withLeaseDuration(Duration.ofSeconds(3))
                .withLocalHandoffs(3, Duration.ofSeconds(30))
                .withMaxHold(Duration.ofSeconds(2));
        Lease first = lease(ask(ours, longest));
        CompletableFuture<Lease> next = ask(ours, longest);
        time.advance(Duration.ofSeconds(4));
        first.release();
        Lease second = lease(next);
        time.advance(Duration.ofMillis(1_500));
        assertTrue(second.isValid());
        second.release();
    }

    @Test
    void notRenewed_handedOn_hasAWholeTerm() {
        LockOptions once = HANDED.withLeaseDuration(Duration.ofSeconds(3))
                .withLocalHandoffs(3, Duration.ofSeconds(30))
                .withRenewal(false);
        Lease first = lease(ask(ours, once));
        CompletableFuture<Lease> next = ask(ours, once);
        time.advance(Duration.ofSeconds(2));
        first.release();
        Lease second = lease(next);
        assertTrue(second.remaining().compareTo(Duration.ofMillis(2_900)) > 0, () -> "" + second.remaining());
        second.release();
    }

    @Test
    void release_ofADetachedLease_freesTheLock() {
        Lease lease = lease(ask(ours, HANDED));
        lease.detach();
        assertEquals(ReleaseResult.RELEASED, lease.release());
        assertFalse(other.lock("a").isLocked());
    }

    /** While the lease is being confirmed another thread releases it: its hold is the next one's, who keeps it. */
    @Test
    void detach_releasedAndHandedOnBeforeTheAnswer_leavesTheNextLeaseAttended() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> first = ask(client, HANDED);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        CompletableFuture<Lease> next = ask(client, HANDED);
        time.advance(MICRO);
        CompletableFuture<Boolean> detached = Faces.holding(lease(first)).detach();
        first.join().release();
        Lease theirs = lease(next);
        CompletableFuture<LossReason> lost = theirs.whenLost().toCompletableFuture();
        driver.next("confirm").answer(driver.held());
        assertFalse(detached.join());
        time.advance(THIRD);
        driver.next("renew").answer(driver.renewed(0));
        assertFalse(theirs.isValid());
        assertEquals(LossReason.NOT_ON_SERVER, lost.join());
        client.close();
    }

    /** The same, and nobody waits here: the hold is kept, and not left to itself. */
    @Test
    void detach_releasedAndKeptBeforeTheAnswer_isKeptForTheNext() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> first = ask(client, KEPT_LONG);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        CompletableFuture<Boolean> detached = Faces.holding(lease(first)).detach();
        assertEquals(ReleaseResult.KEPT, first.join().release());
        driver.next("confirm").answer(driver.held());
        assertFalse(detached.join());
        time.advance(THIRD);
        driver.next("renew").answer(driver.renewed(1));
        lease(ask(client, KEPT_LONG)).release();
        client.close();
    }

    @Test
    void extend_ofADetachedLease_isAskedForAtTheServer() {
        Lease lease = lease(ask(ours, HANDED));
        lease.detach();
        lease.detach(); // which changes nothing
        assertTrue(Faces.holding(lease).extend(Duration.ofMinutes(2)).join());
        assertTrue(lease.remaining().compareTo(Duration.ofMinutes(1)) > 0, lease::toString);
        assertEquals(ReleaseResult.RELEASED, lease.release());
    }

    // ---- extended

    @Test
    void release_afterAnExtension_isNotKept() {
        Lease lease = lease(ask(ours, KEPT));
        lease.extend(Duration.ofHours(10));
        assertEquals(ReleaseResult.RELEASED, lease.release());
        assertFalse(other.lock("a").isLocked());
    }

    @Test
    void release_afterAnExtension_isNotHandedOn() {
        Lease lease = lease(ask(ours, HANDED));
        CompletableFuture<Lease> next = ask(ours, HANDED);
        time.advance(MICRO);
        lease.extend(Duration.ofHours(10));
        lease.release();
        assertNotEquals(lease.owner(), lease(next).owner());
        assertTrue(server.command("PTTL", ours.lock("a").key()).asLong()
                <= HANDED.leaseDuration().toMillis());
        next.join().release();
    }

    /** Whether the server has heard of it nobody knows. */
    @Test
    void release_afterAnExtensionThatWasNotAnswered_isNotKept() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> future = ask(client, KEPT);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        CompletableFuture<Boolean> extension = Faces.holding(lease(future)).extend(Duration.ofHours(10));
        driver.next("confirm").fail();
        assertTrue(extension.isCompletedExceptionally());
        assertEquals(ReleaseResult.RELEASED, lease(future).release());
        CompletableFuture<Lease> second = ask(client, KEPT);
        driver.next("acquire").answer(driver.grantedToKeep(200));
        Faces.holding(lease(second)).extend(Duration.ofHours(10));
        assertEquals(ReleaseResult.RELEASED, lease(second).release());
        driver.next("confirm").answer(driver.gone());
        CompletableFuture<Lease> third = ask(client, KEPT);
        driver.next("acquire").answer(driver.grantedToKeep(300));
        assertEquals(ReleaseResult.KEPT, lease(third).release());
        client.close();
    }

    @Test
    void release_atMostATermOfTheExtensionIsLeft_isKept() {
        Lease lease = lease(ask(ours, KEPT));
        lease.extend(KEPT.leaseDuration().dividedBy(2));
        assertEquals(ReleaseResult.KEPT, lease.release());
        time.advance(MICRO);
        lease = lease(ask(ours, KEPT));
        lease.extend(KEPT.leaseDuration().plusSeconds(5));
        time.advance(Duration.ofSeconds(6));
        assertEquals(ReleaseResult.KEPT, lease.release());
    }

    @Test
    void extend_afterTheRelease_doesNothing() {
        Lease lease = lease(ask(ours, KEPT));
        assertEquals(ReleaseResult.KEPT, lease.release());
        assertFalse(Faces.holding(lease).extend(Duration.ofHours(10)).join());
        assertTrue(server.command("PTTL", ours.lock("a").key()).asLong()
                <= KEPT.leaseDuration().toMillis());
    }

    // ---- released by name

    @Test
    void revoke_whileItIsKept_isNotLentAgain() {
        lease(ask(ours, KEPT)).release();
        other.admin().release("a", Admin.Waiters.HAND_OFF);
        Lease theirs = lease(ask(other, LockOptions.defaults()));
        time.advance(MICRO);
        assertNotObtained(
                Reason.TAKEN, ours.lock("a", KEPT).attemptAsync(Wait.none()).join());
        theirs.release();
    }

    @Test
    void revoke_whileALeaseIsOut_isLostAtOnce() {
        for (LockOptions options : List.of(KEPT, HANDED, LockOptions.defaults())) {
            Lease lease = lease(ask(ours, options));
            CompletableFuture<LossReason> lost = lease.whenLost().toCompletableFuture();
            other.admin().release("a", Admin.Waiters.HAND_OFF);
            assertFalse(lease.isValid());
            assertEquals(LossReason.REVOKED, lost.join());
        }
    }

    /** The lock was taken away before its new holder knew that it had it: it asks again. */
    @Test
    void revoke_toldBeforeTheGrant_isNotLent() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> future = ask(client, KEPT);
        FakeDriver.Call asked = driver.next("acquire");
        driver.message("V " + asked.publicOwner() + " 100 0 hf:{a}");
        asked.answer(driver.grantedToKeep(100));
        assertFalse(future.isDone());
        driver.next("acquire").answer(driver.grantedToKeep(200));
        assertEquals(200, lease(future).token());
        client.close();
    }

    @Test
    void revoke_ofAnotherHold_changesNothing() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> future = ask(client, KEPT);
        FakeDriver.Call asked = driver.next("acquire");
        asked.answer(driver.grantedToKeep(200));
        driver.message("V " + asked.publicOwner() + " 100 0 hf:{a}");
        driver.message("V somebody.0-1 200 0 hf:{a}");
        assertEquals(ReleaseResult.KEPT, lease(future).release());
        client.close();
    }

    @Test
    void revoke_messageIsLost_isLostWithTheNextRenewal() {
        Holdfast deaf = deafClient();
        lease(ask(deaf, KEPT_LONG)).release();
        other.admin().release("a", Admin.Waiters.HAND_OFF);
        Lease theirs = lease(ask(other, LockOptions.defaults()));
        time.advance(THIRD);
        assertNotObtained(
                Reason.TAKEN,
                deaf.lock("a", KEPT_LONG).attemptAsync(Wait.none()).join());
        theirs.release();
        deaf.close();
    }

    /** The hold has a token of its own, which nobody sees: those of its leases mean it as well, and no later hold. */
    @Test
    void revoke_withTheTokenOfALease_endsItsHoldAndNoLaterOne() {
        lease(ask(ours, KEPT)).release();
        time.advance(MICRO);
        Lease second = lease(ask(ours, KEPT));
        long token = second.token();
        long own = other.inspect().lock("a").holder().orElseThrow().token();
        assertTrue(token > own);
        Admin admin = other.admin();
        assertEquals(
                Revocation.Outcome.LEFT_ALONE,
                admin.release("a", own - 1, Admin.Waiters.HAND_OFF).outcome());
        assertEquals(
                Revocation.Outcome.LEFT_ALONE,
                admin.release("a", own + LocalLines.tokens(true), Admin.Waiters.HAND_OFF)
                        .outcome());
        assertEquals(
                Revocation.Outcome.RELEASED,
                admin.release("a", token, Admin.Waiters.HAND_OFF).outcome());
        Lease theirs = lease(ask(other, STRICT)); // which has no token but its own
        assertEquals(
                Revocation.Outcome.LEFT_ALONE,
                admin.release("a", token, Admin.Waiters.HAND_OFF).outcome());
        assertEquals(
                Revocation.Outcome.LEFT_ALONE,
                admin.release("a", theirs.token() + 1, Admin.Waiters.HAND_OFF).outcome());
        theirs.release();
    }

    // ---- what is called while the line is locked

    /** The wait ends at the very instant of the deadline, and is first to see that it has passed. */
    @Test
    void judge_holdIsOver_callsNobodyUnderTheLock() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> future = ask(client, HANDED);
        driver.next("acquire").answer(driver.granted(100));
        List<Throwable> found = new ArrayList<>();
        CompletableFuture<Void> told = lease(future)
                .whenLost()
                .toCompletableFuture()
                .thenAccept(reason -> {
                    try {
                        CompletableFuture.supplyAsync(client::waiterCount).get(5, TimeUnit.SECONDS);
                    } catch (Exception e) {
                        found.add(e);
                    }
                });
        CompletableFuture<Attempt<Lease>> second =
                client.lock("a", HANDED).attemptAsync(Wait.upTo(EngineFixture.VALIDITY));
        time.advance(EngineFixture.VALIDITY);
        assertNotObtained(Reason.TIMED_OUT, second.join());
        assertTrue(told.isDone());
        assertEquals(List.of(), found);
        client.close();
    }
}
