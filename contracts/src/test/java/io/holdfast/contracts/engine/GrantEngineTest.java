package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Grants to a request that waits, by message or in a reply: from when they count, and what confirms them. */
final class GrantEngineTest extends EngineFixture {
    private static final Duration AT_ONCE = Duration.ZERO;
    /** The argument of an acquire in which the limit of the queue stands. */
    private static final int QUEUEING = 7;

    @Test
    void grantByMessage_pairAtHand_isValidFromTheGrantLessDrift() {
        Waiting waiting = waiting("a");
        time.advance(millis(500));
        server.grant(waiting.acquire, 7, CLAIM, millis(40));
        // The pair was read 500 ms ago; the grant was made 460 ms after it.
        assertEquals(
                millis(460 + 1_000 - 2 - 500).minusNanos((460 + 1_000) * 10_000L),
                obtained(waiting.future).remaining());
        assertEquals(7, obtained(waiting.future).token());
    }

    @Test
    void grantByMessage_beforeTheReplyQueued_isTakenAndTheReplyChangesNothing() throws Exception {
        server.answer("renew", server::renewed);
        server.answer("confirm", call -> server.held());
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        Call acquire = server.next("acquire");
        server.grant(acquire, 7, CLAIM, AT_ONCE);
        Lease lease = obtained(future);
        acquire.answer(server.queued(1, Duration.ofSeconds(20)));
        time.advance(Duration.ofMinutes(1));
        assertTrue(lease.isValid());
        assertEquals(0, server.count("refresh"), "nobody waits any more");
        assertEquals(List.of(), server.open());
    }

    @Test
    void grantByMessage_beforeTheReplyQueued_isNoWaitForItself() {
        try (LoggedMessages logged = new LoggedMessages()) {
            CompletableFuture<Lease> future =
                    holdfast.lock("a", STRICT).withActor("order-1").acquireAsync();
            Call acquire = server.next("acquire");
            server.grant(acquire, 7, CLAIM, AT_ONCE);
            assertTrue(obtained(future).isValid());
            acquire.answer(server.queued(1, Duration.ofSeconds(20)));
            assertEquals(List.of(), logged.messages());
        }
    }

    @Test
    void grantByMessage_notReleasedSoon_isConfirmedAfterAMoment() {
        Waiting waiting = waiting("a");
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        Duration granted = time.elapsed();
        Lease lease = obtained(waiting.future);
        assertEquals(0, server.count("confirm"));
        time.runUntil("the confirmation", seconds(1), () -> server.count("confirm") == 1);
        Call confirmation = server.next("confirm");
        assertEquals(millis(25), confirmation.sent().minus(granted));
        assertEquals("7", confirmation.arg(4));
        time.advance(millis(10));
        confirmation.answer(server.held());
        assertEquals(VALIDITY.minusMillis(10), lease.remaining());
        time.runUntil("its renewal", seconds(11), () -> server.count("renew") == 1);
    }

    @Test
    void grantByMessage_claimIsShort_isConfirmedAThirdIntoIt() {
        Waiting waiting = new Waiting("a", LockOptions.defaults().withHandoffTimeout(millis(60)), Wait.forever());
        server.grant(waiting.acquire, 7, millis(60), AT_ONCE);
        Duration granted = time.elapsed();
        assertTrue(obtained(waiting.future).isValid());
        time.runUntil("the confirmation", seconds(1), () -> server.count("confirm") == 1);
        assertEquals(millis(20), server.next("confirm").sent().minus(granted));
    }

    /** The term is what the caller was promised, also by a lease that began with a claim. */
    @Test
    void grantByMessage_silenceOfTwoThirdsOfTheTermSoonAfter_isSurvived() {
        server.ignoreReports();
        Waiting waiting = waiting("a");
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        Lease lease = obtained(waiting.future);
        server.answer("confirm", call -> server.held());
        time.advance(millis(100));
        Duration silence = Duration.ofSeconds(20);
        time.advance(silence); // renewals leave, and none is answered
        assertTrue(server.count("renew") > 0);
        assertTrue(lease.isValid());
        int sent = server.count("renew");
        time.runUntil("another one leaves", seconds(5), () -> server.count("renew") > sent);
        server.open().get(server.open().size() - 1).answer(server.renewed(1));
        assertTrue(lease.isValid());
        assertTrue(lease.remaining().compareTo(Duration.ofSeconds(20)) > 0, () -> "left: " + lease.remaining());
    }

    @Test
    void grantByMessage_releasedSoon_isNeverConfirmed() {
        server.answer("release", call -> server.released("RELEASED"));
        Waiting waiting = waiting("a");
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        obtained(waiting.future).release();
        time.advance(Duration.ofMinutes(1));
        assertEquals(0, server.count("confirm"));
        assertEquals(0, server.count("renew"));
    }

    @Test
    void grantByMessage_confirmationIsAnsweredGone_isLostAndTakenBack() {
        Waiting waiting = waiting("a");
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        Lease lease = obtained(waiting.future);
        time.runUntil("the confirmation", seconds(1), () -> server.count("confirm") == 1);
        server.next("confirm").answer(server.gone());
        assertFalse(lease.isValid());
        assertEquals(
                LossReason.NOT_ON_SERVER, lease.whenLost().toCompletableFuture().join());
        assertEquals(waiting.acquire.owner(), server.next("release").owner());
    }

    @Test
    void grantByMessage_confirmationIsNotAnswered_endsWithTheClaim() {
        Waiting waiting = waiting("a");
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        Lease lease = obtained(waiting.future);
        time.advance(millis(988));
        assertFalse(lease.isValid());
        assertEquals(LossReason.EXPIRED, lease.whenLost().toCompletableFuture().join());
    }

    @Test
    void grantByMessage_leaseIsNotRenewed_isConfirmedBeforeItIsReturned() {
        Waiting waiting = new Waiting("a", LockOptions.defaults().withRenewal(false), Wait.forever());
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        assertFalse(waiting.future.isDone());
        Call again = server.next("acquire");
        assertEquals(waiting.acquire.owner(), again.owner());
        again.answer(server.granted(7));
        assertEquals(VALIDITY, obtained(waiting.future).remaining());
    }

    @Test
    void grantInAReply_leaseIsNotRenewed_isConfirmedBeforeItIsReturned() {
        Waiting waiting = new Waiting("a", LockOptions.defaults().withRenewal(false), Wait.forever());
        time.runUntil("the refresh", seconds(3), () -> server.count("refresh") == 1);
        Call refresh = server.next("refresh");
        refresh.answer(server.refreshedWithClaim(refresh, waiting.acquire, 7, CLAIM));
        assertFalse(waiting.future.isDone());
        server.next("acquire").answer(server.granted(7));
        assertEquals(VALIDITY, obtained(waiting.future).remaining());
    }

    @Test
    void grantInAReply_toTheRefresh_countsFromWhenTheRefreshLeft() {
        Waiting waiting = waiting("a");
        time.runUntil("the refresh", seconds(3), () -> server.count("refresh") == 1);
        Call refresh = server.next("refresh");
        time.advance(millis(300));
        refresh.answer(server.refreshedWithClaim(refresh, waiting.acquire, 7, CLAIM));
        assertEquals(millis(1_000 - 10 - 2 - 300), obtained(waiting.future).remaining());
    }

    /** Readers have one token while somebody reads, so the next grant may have that of one that was ended by name. */
    @Test
    void grantInAReply_withARevokedToken_isObtainedOnlyByARequestThatLeftLater() {
        CompletableFuture<Lease> future = holdfast.readWriteLock("a").read().acquireAsync(Wait.forever());
        Call first = server.next("line_acquire");
        time.advance(millis(1));
        server.message("V " + first.publicOwner() + " 7 0 any");
        time.advance(millis(1));
        first.answer(server.grantedLine(7));
        assertFalse(future.isDone());
        server.next("line_acquire").answer(server.grantedLine(7));
        assertEquals(7, obtained(future).token());
        assertEquals(List.of(), server.open());
    }

    @Test
    void downgrade_littleIsLeftOfTheTerm_isAskedForAgain() {
        LockOptions demanding =
                LockOptions.defaults().withLeaseDuration(seconds(1)).withMinRemaining(millis(800));
        DistributedReadWriteLock lock = holdfast.readWriteLock("a", demanding);
        CompletableFuture<Lease> writing = lock.write().acquireAsync(Wait.none());
        server.next("line_acquire").answer(server.grantedLine(7));
        CompletableFuture<Lease> reading = lock.downgradeAsync(obtained(writing));
        Call first = server.next("line_downgrade");
        time.advance(millis(300));
        first.answer(server.downgraded(8));
        assertFalse(reading.isDone());
        time.advance(millis(50));
        Call again = server.next("line_downgrade");
        time.advance(millis(100));
        again.answer(server.downgraded(8));
        assertEquals(millis(1_000 - 10 - 2 - 100), obtained(reading).remaining());
    }

    @Test
    void grantInAReply_littleIsLeftOfTheTerm_isRenewedBeforeItsEnd() {
        server.answer("renew", server::renewed);
        LockOptions options = LockOptions.defaults().withLeaseDuration(seconds(1));
        CompletableFuture<Lease> future = holdfast.lock("a", options).acquireAsync(Wait.none());
        time.advance(millis(750));
        server.next("acquire").answer(server.granted(7));
        Lease lease = obtained(future);
        assertEquals(millis(1_000 - 10 - 2 - 750), lease.remaining());
        time.advance(seconds(2));
        assertTrue(lease.isValid());
    }

    @Test
    void queued_forgottenByTheServer_isNotRefusedByAFullQueue() {
        Waiting waiting = new Waiting("a", LockOptions.defaults().withQueueLimit(3), Wait.forever());
        assertTrue(waiting.acquire.arg(QUEUEING).startsWith("1 3 "), waiting.acquire.arg(QUEUEING));
        time.runUntil("the refresh", seconds(3), () -> server.count("refresh") == 1);
        Call refresh = server.next("refresh");
        refresh.answer(server.unknownWaiters(refresh));
        String again = server.next("acquire").arg(QUEUEING);
        assertTrue(again.startsWith("1 0 "), again);
    }

    @Test
    void grantByMessage_noClockPair_isConfirmedFirst() {
        Waiting waiting = waiting("a");
        server.disconnect();
        server.restore();
        // The refreshes that would bring a new pair are not answered yet.
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        assertFalse(waiting.future.isDone());
        server.next("acquire").answer(server.granted(7));
        assertEquals(VALIDITY, obtained(waiting.future).remaining());
    }

    @Test
    void grantByMessage_serverClockJumpedAhead_isConfirmedFirst() {
        Waiting waiting = waiting("a");
        server.stepServerClock(Duration.ofHours(1));
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        assertFalse(waiting.future.isDone());
        server.next("acquire").answer(server.granted(7));
        assertEquals(VALIDITY, obtained(waiting.future).remaining());
    }

    @Test
    void grantByMessage_afterItsClaim_isConfirmedFirstAndMayBeGone() {
        Waiting waiting = waiting("a");
        server.grant(waiting.acquire, 7, CLAIM, seconds(2));
        assertFalse(waiting.future.isDone());
        server.next("acquire").answer(server.queued(2, seconds(20)));
        assertFalse(waiting.future.isDone(), "it keeps its place");
    }

    @Test
    void grantByMessage_twice_isOneLease() {
        Waiting waiting = waiting("a");
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        Lease lease = obtained(waiting.future);
        Duration left = lease.remaining();
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        assertTrue(lease.isValid());
        assertEquals(left, lease.remaining());
        assertEquals(List.of(), server.open());
    }

    @Test
    void grantByMessage_ofAnEarlierGrant_isIgnored() {
        Waiting waiting = waiting("a");
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        server.grant(waiting.acquire, 6, CLAIM, millis(10));
        assertTrue(obtained(waiting.future).isValid());
        assertEquals(7, obtained(waiting.future).token());
        assertEquals(List.of(), server.open());
    }

    @Test
    void grantByMessage_ofALaterGrant_showsThatTheLeaseHadLapsed() {
        Waiting waiting = waiting("a");
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        Lease lease = obtained(waiting.future);
        server.grant(waiting.acquire, 8, CLAIM, AT_ONCE);
        assertFalse(lease.isValid());
        assertEquals(
                LossReason.NOT_ON_SERVER, lease.whenLost().toCompletableFuture().join());
        assertEquals(waiting.acquire.owner(), server.next("release").owner());
    }

    @Test
    void grantByMessage_ofAnOwnerThatWaitsNoMore_isReleasedAtOnce() {
        Waiting waiting = waiting("a");
        waiting.future.cancel(false);
        Call withdrawal = server.next("release");
        assertEquals(waiting.acquire.owner(), withdrawal.owner());
        withdrawal.answer(server.released("WITHDRAWN"));
        assertEquals(List.of(), server.open());
        server.grant(waiting.acquire, 7, CLAIM, AT_ONCE);
        assertEquals(waiting.acquire.owner(), server.next("release").owner());
    }

    @Test
    void takeOver_grantInItsReply_countsFromWhenItLeft() {
        CompletableFuture<Lease> future =
                holdfast.lock("a").acquireAsync(Wait.untilStuck(seconds(1)).thenTakeOver());
        Call acquire = server.next("acquire");
        acquire.answer(server.queued(1, seconds(20)));
        time.advance(seconds(1));
        server.stepServerClock(seconds(-10)); // the holder that the next reply tells has had the lock for so long
        Reply stuck = server.queued(1, seconds(20));
        server.stepServerClock(seconds(10));
        server.next("acquire").answer(stuck);
        Call revoke = server.next("revoke");
        time.advance(millis(300));
        String mine = acquire.publicOwner();
        revoke.answer(Reply.of(List.of(
                Reply.of("RELEASED 0 " + mine + " 7 " + server.serverMicros() + " 1000 0 0 1000 " + mine + " 7 "
                        + server.serverMicros() + " 30000 app/host/1/main"),
                Reply.of(" 0 somebody.0-1 5 1 30000 app/host/1/main"))));
        assertEquals(millis(1_000 - 10 - 2 - 300), obtained(future).remaining());
    }

    /** The clock was read long ago, so that little of the claim is sure: it would be over before it is confirmed. */
    @Test
    void grant_longAfterTheClockWasRead_isConfirmedFirst() {
        lease("b").releaseAsync();
        server.next("release").answer(server.released("RELEASED"));
        time.advance(seconds(8));
        Duration claim = millis(100);
        CompletableFuture<Lease> future = holdfast.lock(
                        "a", LockOptions.defaults().withHandoffTimeout(claim))
                .acquireAsync(Wait.forever());
        server.grant(server.next("acquire"), 200, claim, Duration.ZERO);
        assertFalse(future.isDone());
        server.next("acquire").answer(server.granted(200));
        Lease lease = obtained(future);
        time.advance(millis(50));
        assertTrue(lease.isValid());
    }

    @Test
    void message_ofAnotherClientOrNonsense_isIgnored() {
        waiting("a");
        server.message("G somebody.0-1 7 1790000000000000 1000 0 hf:{a}");
        server.message("G");
        server.message("G a b c d e f");
        server.message("P");
        server.message("P 5 hf:{other}");
        server.message("");
        assertEquals(List.of(), server.open());
    }
}
