package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rounds, deadlines, late grants and outcomes of the quorum lock, to the millisecond; what it refuses and tells. */
final class QuorumEngineTest extends QuorumFixture {

    // ---- rounds

    @Test
    void acquire_majorityGaveOneToken_isObtainedInOneTripWithoutTheThird() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.none());
        node(0).next(ACQUIRE).answer(granted(100));
        assertOpen(future);
        time.advance(millis(7));
        node(1).next(ACQUIRE).answer(granted(100));
        Lease lease = obtained(future);
        assertEquals(100, lease.token());
        assertEquals(VALIDITY.minusMillis(7), lease.remaining());
        assertEquals(List.of(0, 0, 0), counts(RAISE));
        assertEquals(List.of(), lease.nodeFailures());
        assertEquals(1, lease.attempts());
    }

    @Test
    void acquire_tokensDiffer_isObtainedWhenAMajorityOfTheCountedHasTheLargest() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.none());
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(107));
        assertOpen(future);
        time.advance(millis(5));
        Call raise = node(0).next(RAISE);
        assertEquals(List.of("100", "107"), List.of(raise.arg(2), raise.arg(3)));
        raise.answer(node(0).held());
        assertOpen(future);
        node(1).next(RAISE).answer(node(1).held());
        Lease lease = obtained(future);
        assertEquals(107, lease.token());
        // The write-back left at 0 and moved the expiries.
        assertEquals(VALIDITY.minusMillis(5), lease.remaining());
        assertEquals(0, node(2).count(RAISE));
    }

    @Test
    void acquire_writeBackRefused_isLostAndTakenBack() {
        CompletableFuture<Attempt<Lease>> future = quorum.lock("a").attemptAsync(Wait.none());
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(107));
        node(2).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        node(1).next(RAISE).answer(node(1).gone());
        assertNotEquals(Attempt.Obtained.class, done(future).getClass());
        // The first was not answered; the second said that nothing is there; the third has refused.
        assertEquals(List.of(1, 0, 0), counts("release"));
    }

    @Test
    void acquire_lateGrantOfTheLargestTokenWhileRaising_counts() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.none());
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(107));
        node(2).next(ACQUIRE).answer(granted(107));
        node(0).next(RAISE).answer(node(0).gone());
        node(1).next(RAISE).answer(node(1).held());
        assertOpen(future);
        node(2).next(RAISE).answer(node(2).held());
        assertEquals(107, obtained(future).token());
    }

    @Test
    void acquire_lateGrantAfterItWasObtained_isWrittenBackOnlyIfItsTokenDiffers() {
        for (long late : new long[] {100, 99}) {
            CompletableFuture<Lease> future = quorum.lock("late-" + late).acquireAsync(Wait.none());
            node(0).next(ACQUIRE).answer(granted(100));
            node(1).next(ACQUIRE).answer(granted(100));
            node(2).next(ACQUIRE).answer(granted(late));
            assertEquals(List.of(0, 0, late == 100 ? 0 : 1), counts(RAISE));
            assertTrue(obtained(future).isValid());
        }
    }

    @Test
    void acquire_writeBackFailsAndAnotherHoldsTheThird_isLostAtOnce() {
        CompletableFuture<Attempt<Lease>> future = quorum.lock("a").attemptAsync(Wait.none());
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(107));
        node(2).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        assertOpen(future);
        node(0).next(RAISE).fail();
        assertEquals("a", assertNotObtained(Reason.TAKEN, done(future)).lockName());
        assertEquals(List.of(1, 1, 0), counts("release"));
    }

    @Test
    void acquire_writeBackIsNotAnswered_isLostAtTheNodeTimeout() {
        CompletableFuture<Attempt<Lease>> future = quorum.lock("a").attemptAsync(Wait.none());
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(107));
        time.advance(millis(60));
        node(1).next(RAISE).answer(node(1).held());
        time.advance(millis(39));
        assertOpen(future); // counted from when the write-back left
        time.advance(millis(1));
        Attempt.Unknown<?> unknown = unknown(future);
        // One has answered; one has not answered the write-back, and one nothing at all.
        assertEquals(2, unknown.cause().nodeFailures().size(), "the one that has answered has not failed");
        assertEquals(List.of(1, 1, 1), counts("release"));
    }

    @Test
    void acquire_oneRefusesAndAnotherHolds_takesNothingBackWhereNothingCanBe() {
        CompletableFuture<Attempt<Lease>> future = quorum.lock("a").attemptAsync(Wait.none());
        node(0).next(ACQUIRE).reject("ERR no");
        node(1).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        assertFalse(future.isDone()); // the third could tell that the lock is taken
        time.advance(millis(100)); // the node timeout
        assertTrue(future.isDone());
        assertEquals(List.of(0, 0, 1), counts("release"));
    }

    @Test
    void acquire_lateGrantWhileRaising_countsIfItsTokenIsNotAbove() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.none());
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(107));
        node(2).next(ACQUIRE).answer(granted(103));
        node(0).next(RAISE).answer(node(0).gone());
        assertOpen(future);
        node(1).next(RAISE).answer(node(1).held());
        node(2).next(RAISE).answer(node(2).held());
        assertEquals(107, obtained(future).token());
    }

    @Test
    void acquire_lateGrantAfterItWasObtained_joinsGetsTheWriteBackAndIsReleased() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.none());
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(100));
        Lease lease = obtained(future);
        time.advance(millis(300));
        node(2).next(ACQUIRE).answer(granted(98));
        Call raise = node(2).next(RAISE);
        assertEquals(List.of("98", "100"), List.of(raise.arg(2), raise.arg(3)));
        raise.answer(node(2).held());
        CompletableFuture<ReleaseResult> released = lease.releaseAsync();
        nodes.forEach(node -> node.next(RELEASE).answer(releasedReply()));
        assertEquals(ReleaseResult.RELEASED, done(released));
    }

    /** The third has voted for somebody else. */
    private Lease obtainOnFirstTwo() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.none());
        node(2).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(100));
        return obtained(future);
    }

    /** It would rest on a bare majority until its first renewal, and a node more that fails would cost it. */
    @Test
    void acquire_aNodeHadVotedForAnother_isAskedAgainSoonAndJoins() {
        Lease lease = obtainOnFirstTwo();
        time.advance(millis(100));
        node(2).next(ACQUIRE).answer(granted(100));
        time.advance(TERM.dividedBy(3));
        node(2).next("renew").answer(node(2).renewed(1));
        assertTrue(lease.isValid());
    }

    @Test
    void renew_aMinorityAnswers_nodesThatDoNotStandBehindItAreAskedToJoin() {
        Lease lease = obtainOnFirstTwo();
        time.advance(millis(100));
        node(2).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        time.advance(TERM.dividedBy(3));
        node(0).next("renew").answer(node(0).renewed(1));
        node(1).next("renew"); // no answer
        time.advance(quorum.options().nodeTimeout());
        node(2).next(ACQUIRE).answer(granted(100));
        assertTrue(lease.isValid());
    }

    @Test
    void release_copyOfAnAcquireNotAnswered_leavesATombstoneThere() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.none());
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(100));
        var unused = obtained(future).releaseAsync();
        assertEquals("0", node(0).next(RELEASE).arg(2));
        assertEquals("120000", node(2).next(RELEASE).arg(2));
    }

    @Test
    void acquire_minoritySilent_isDecidedByTheOthersAtOnce() {
        CompletableFuture<Attempt<Lease>> future = quorum.lock("a").attemptAsync(Wait.none());
        node(0).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        assertOpen(future);
        node(1).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        Attempt.NotObtained<Lease> taken = assertNotObtained(Reason.TAKEN, done(future));
        assertEquals("x.0-1", taken.contention().holder().orElseThrow().owner());
    }

    /** One node away and one that refuses leave no majority to win, but whether the lock is taken, the third has to say. */
    @Test
    void acquire_oneNodeAwayAndTheLockIsTaken_isTakenAndNotUnknown() {
        CompletableFuture<Attempt<Lease>> future = quorum.lock("a").attemptAsync(Wait.none());
        node(0).next(ACQUIRE).fail();
        node(1).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        assertOpen(future);
        node(2).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        assertNotObtained(Reason.TAKEN, done(future));
    }

    @Test
    void acquire_oneNodeAwayAndOneSilent_isUnknownAtTheNodeTimeout() {
        CompletableFuture<Attempt<Lease>> future = quorum.lock("a").attemptAsync(Wait.none());
        node(0).next(ACQUIRE).fail();
        node(1).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        time.advance(millis(99));
        assertOpen(future);
        time.advance(millis(1));
        unknown(future);
    }

    @Test
    void acquire_votesSplitAndOneSilent_isDecidedAtTheNodeTimeout() {
        CompletableFuture<Attempt<Lease>> future = quorum.lock("a").attemptAsync(Wait.none());
        node(0).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        node(1).next(ACQUIRE).answer(granted(100));
        time.advance(millis(99));
        assertOpen(future);
        assertEquals(List.of(0, 0, 0), counts("release"));
        time.advance(millis(1));
        assertNotObtained(Reason.TAKEN, done(future));
        // Also on the one that did not answer, with a tombstone; not on the one that refused.
        assertEquals(List.of(0, 1, 1), counts("release"));
        assertEquals("0", node(1).next("release").tombstone());
        assertEquals("120000", node(2).next("release").tombstone());
    }

    @Test
    void acquire_majoritySilent_isUnknownWithTheFailureOfEachNode() {
        CompletableFuture<Attempt<Lease>> future = quorum.lock("a").attemptAsync(Wait.none());
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).reject("MISCONF cannot save");
        time.advance(millis(100));
        Attempt.Unknown<?> unknown = unknown(future);
        assertEquals(
                List.of("ServerRefusedException", "ServerUnreachableException"),
                names(unknown.cause().nodeFailures().stream()));
        assertTrue(String.valueOf(unknown.cause().getMessage()).contains("within 100 ms"), unknown.toString());
    }

    @Test
    void acquire_majorityRefusesForGood_isRefusedAtOnceAlsoIfItWaits() {
        CompletableFuture<Attempt<Lease>> future = quorum.lock("a").attemptAsync(Wait.forever());
        node(0).next(ACQUIRE).reject("NOPERM no permission");
        node(1).next(ACQUIRE).reject("NOPERM no permission");
        assertTrue(future.isCompletedExceptionally());
    }

    @Test
    void failures_ofOneRound_doNotStickToTheNext() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.upTo(Duration.ofSeconds(10)));
        node(0).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        node(1).next(ACQUIRE).fail();
        node(2).next(ACQUIRE).answer(granted(100));
        time.advance(millis(500));
        nodes.forEach(node -> node.next(ACQUIRE).answer(granted(200)));
        assertEquals(List.of(), obtained(future).nodeFailures());
    }

    @Test
    void nodeFailures_nodeIsSilent_nameItWhenTheNodeTimeoutIsOverAndUntilItAnswers() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.none());
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(100));
        Lease lease = obtained(future);
        time.advance(quorum.options().nodeTimeout().minusMillis(1));
        assertEquals(List.of(), lease.nodeFailures());
        time.advance(millis(1));
        assertEquals(List.of("ServerUnreachableException"), names(lease.nodeFailures().stream()));
        node(2).next(ACQUIRE).answer(granted(100));
        assertEquals(List.of(), lease.nodeFailures());
        // The same with a renewal.
        time.advance(TERM.dividedBy(3));
        node(0).next("renew").answer(node(0).renewed(1));
        node(2).next("renew").answer(node(2).renewed(1));
        time.advance(quorum.options().nodeTimeout());
        assertEquals(1, lease.nodeFailures().size());
        node(1).next("renew").answer(node(1).renewed(1));
        assertEquals(List.of(), lease.nodeFailures());
    }

    @Test
    void nodeFailures_ofALease_nameTheNodesThatDoNotStandBehindIt() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.none());
        node(2).next(ACQUIRE).answer(fresh(40_000));
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(100));
        assertEquals(List.of("ServerRefusedException"), names(obtained(future).nodeFailures().stream()));
    }

    // ---- tokens that are proposed

    @Test
    void propose_clocksKnown_isAheadOfTheFastestByALittle() {
        var unused = lease("a").releaseAsync();
        time.advance(Duration.ofSeconds(1));
        CompletableFuture<Lease> next = quorum.lock("a").acquireAsync(Wait.none());
        long proposed = Long.parseLong(node(0).next(ACQUIRE).arg(3));
        assertEquals(node(0).serverMicros() + 10_000, proposed);
        next.cancel(false);
    }

    // ---- what is refused

    @Test
    void options_thatMeanNothingWithoutAQueue_areRefusedByNameAndReason() {
        LockOptions lock = LockOptions.defaults();
        assertRefused("order", lock.withOrder(LockOptions.Order.LIFO));
        assertRefused("priority", lock.withPriority(1));
        assertRefused("queueLimit", lock.withQueueLimit(1));
        assertRefused("requestLife", lock.withRequestLife(TERM, LockOptions.RequestEnd.LEAVE));
        assertRefused("minHold", lock.withMinHold(TERM));
        assertRefused("lockDelay", lock.withLockDelay(TERM));
        assertRefused("reentrancy", lock.withReentrancy(LockOptions.Reentrancy.REENTER));
        assertRefused("waitLimit", lock.withWaitLimit(Wait.untilStuck(TERM)));
        assertRefused("leaseDuration", lock.withLeaseDuration(Duration.ofSeconds(61)));
        assertThrows(IllegalArgumentException.class, () -> quorum.lock("a").asJavaLock());
        assertThrows(IllegalArgumentException.class, () -> quorum.lock("a").acquire(Wait.untilStuck(TERM)));
        assertThrows(UnsupportedOperationException.class, () -> lease("a").ticket());
        Lease held = lease("b");
        assertThrows(UnsupportedOperationException.class, held::whenWanted);
        UnsupportedOperationException told =
                assertThrows(UnsupportedOperationException.class, () -> held.releaseToRest(TERM));
        assertTrue(String.valueOf(told.getMessage()).contains("cannot rest"), told.toString());
        assertTrue(held.isValid(), "nothing was released");
    }

    private void assertRefused(String option, LockOptions lock) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> quorum.lock("a", lock));
        assertTrue(String.valueOf(e.getMessage()).startsWith(option + " is "), e.toString());
    }

    @Test
    void nodes_tooFewEvenOrTwice_areRefused() {
        QuorumNode a = QuorumNode.at("redis://a");
        QuorumNode b = QuorumNode.at("redis://b");
        QuorumNode c = QuorumNode.at("redis://c");
        for (List<QuorumNode> wrong :
                List.of(List.of(a), List.of(a, b), List.of(a, b, c, QuorumNode.at("redis://d")), List.of(a, b, a))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Quorum.connect(wrong, QuorumOptions.defaults()),
                    wrong::toString);
        }
    }

    // ---- looking

    @Test
    void isLocked_overTheNodes_countsTheSilentOnesAsHolding() {
        DistributedLock lock = quorum.lock("a");
        assertFalse(lock.isLocked());
        node(0).answer("info", call -> held(5_000));
        assertFalse(lock.isLocked());
        node(1).disconnect();
        assertTrue(lock.isLocked());
        node(1).restore();
        node(1).answer("info", call -> held(3_000));
        assertTrue(lock.isLocked());
        assertEquals(millis(3_000), lock.remaining());
        node(1).disconnect();
        node(2).disconnect();
        assertThrows(ServerUnreachableException.class, lock::isLocked);
        node(1).restore();
        node(2).restore();
    }

    private Reply held(long remainingMillis) {
        return Reply.of(List.of(Reply.of("0 held 0 " + remainingMillis + " x.0-1 5 1000 30000 app/host/1/main")));
    }

    @Test
    void node_backAfterAnOutage_isLookedAtAgainBeforeItVotes() {
        node(2).disconnect();
        node(2).answer("INFO", call -> Reply.of("role:slave\r\nmaster_host:x\r\n"));
        node(2).restore();
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.none());
        assertEquals(0, node(2).count(ACQUIRE));
        node(0).next(ACQUIRE).answer(granted(100));
        node(1).next(ACQUIRE).answer(granted(100));
        assertEquals(List.of("ServerRefusedException"), names(obtained(future).nodeFailures().stream()));
    }

    @Test
    void node_thatHungWhenItWasLookedAt_isLookedAtAgainWithoutANewConnection() {
        FakeDriver late = new FakeDriver(time);
        late.answer("INFO", call -> Reply.of("role:slave\r\n"));
        late.disconnect();
        List<QuorumNode> three =
                Stream.of(node(0), node(1), late).map(QuorumNode::over).toList();
        try (Quorum other = Quorum.connect(three, options, time.environment(2))) {
            late.restore();
            late.answer("INFO", call -> Reply.of("role:master\r\n"));
            time.advance(Duration.ofSeconds(2));
            assertOpen(other.lock("a").acquireAsync(Wait.none()));
            assertEquals(0, late.count(ACQUIRE));
            assertOpen(other.lock("b").acquireAsync(Wait.none()));
            assertEquals(1, late.count(ACQUIRE));
            close();
        }
    }
}
