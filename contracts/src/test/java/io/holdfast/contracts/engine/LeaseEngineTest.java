package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver.Call;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a lease knows of its own end, and how it is renewed. */
final class LeaseEngineTest extends EngineFixture {

    @Test
    void remaining_answerTookLong_isCountedFromBeforeTheRequestLeft() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync(Wait.none());
        time.advance(millis(700));
        server.next("acquire").answer(server.granted(1));
        assertEquals(VALIDITY.minusMillis(700), obtained(future).remaining());
    }

    @Test
    void lost_renewalNeverReturns_comesExactlyAtTheDeadline() {
        Lease lease = lease("a");
        AtomicReference<Duration> lostAt = new AtomicReference<>();
        AtomicReference<LossReason> reason = new AtomicReference<>();
        lease.whenLost().thenAccept(why -> {
            reason.set(why);
            lostAt.set(time.elapsed());
        });
        time.advance(VALIDITY.minusNanos(1));
        assertTrue(lease.isValid());
        assertNull(lostAt.get());
        time.advance(Duration.ofNanos(1));
        assertEquals(VALIDITY, lostAt.get());
        assertEquals(LossReason.EXPIRED, reason.get());
        assertFalse(lease.isValid());
        assertTrue(server.count("renew") >= 6, "it was tried again and again: " + server.count("renew"));
    }

    @Test
    void isValid_deadlinePassedBeforeTheTimerRan_isFalseAndStaysSo() {
        Lease lease = lease("a");
        // Nobody runs the timers here: a thread of the user's looks first.
        CompletableFuture<Boolean> seen = new CompletableFuture<>();
        time.timers().schedule(VALIDITY.toNanos(), () -> seen.complete(lease.isValid()));
        time.advance(VALIDITY);
        assertEquals(false, seen.join());
        assertFalse(lease.isValid());
    }

    @Test
    void onWarning_renewalFails_comesATermsThirdBeforeTheDeadline() {
        Lease lease = lease("a");
        List<Duration> warnedAt = new ArrayList<>();
        List<Duration> left = new ArrayList<>();
        lease.onWarning(remaining -> {
            left.add(remaining);
            warnedAt.add(time.elapsed());
        });
        time.advance(VALIDITY);
        assertEquals(List.of(VALIDITY.minusSeconds(10)), warnedAt);
        assertEquals(List.of(seconds(10)), left);
    }

    @Test
    void onWarning_renewalWorksAgainAndFailsAgain_comesAgain() {
        Lease lease = lease("a");
        List<Duration> warnedAt = new ArrayList<>();
        lease.onWarning(remaining -> warnedAt.add(time.elapsed()));
        time.runUntil("the warning", seconds(30), () -> warnedAt.size() == 1);
        time.runUntil(
                "one more try",
                seconds(5),
                () -> !server.open().isEmpty()
                        && server.open().get(server.open().size() - 1).sent().equals(time.elapsed()));
        server.open().get(server.open().size() - 1).answer(server.renewed(1));
        Duration again = time.elapsed().plus(VALIDITY).minusSeconds(10);
        time.advance(seconds(29));
        assertEquals(2, warnedAt.size(), warnedAt.toString());
        assertEquals(again, warnedAt.get(1));
    }

    @Test
    void onWarning_renewalWorks_neverComes() {
        server.answer("renew", server::renewed);
        Lease lease = lease("a");
        List<Duration> warned = new ArrayList<>();
        lease.onWarning(warned::add);
        time.advance(Duration.ofMinutes(10));
        assertEquals(List.of(), warned);
        assertTrue(lease.isValid());
    }

    @Test
    void onWarning_listenerThrows_theOthersAndTheLossAreStillTold() {
        Lease lease = lease("a");
        List<String> told = new ArrayList<>();
        lease.onWarning(remaining -> {
            throw new IllegalStateException("thrown on purpose by a test");
        });
        lease.onWarning(remaining -> told.add("warning"));
        lease.whenLost().thenAccept(reason -> told.add("lost"));
        time.advance(VALIDITY);
        assertEquals(List.of("warning", "lost"), told);
    }

    @Test
    void renew_anyTerm_isSentAtAThirdOfIt() {
        server.answer("release", call -> server.released("GONE"));
        Lease a = lease("a");
        Lease b = lease("b", LockOptions.defaults().withLeaseDuration(millis(300)));
        time.runUntil("the renewal of b", seconds(1), () -> server.count("renew") == 1);
        assertTrue(b.isValid());
        Call first = server.next("renew");
        assertEquals(List.of("hf:{b}"), first.keys());
        assertTrue(first.sent().compareTo(millis(100)) <= 0 && first.sent().compareTo(millis(90)) > 0, first::toString);
        first.answer(server.renewed(0));
        time.runUntil("the renewal of a", seconds(11), () -> server.count("renew") == 2);
        Call second = server.next("renew");
        assertEquals(List.of("hf:{a}"), second.keys());
        assertTrue(second.sent().compareTo(seconds(10)) <= 0, second::toString);
        assertTrue(second.sent().compareTo(millis(9_800)) > 0, second::toString);
        assertTrue(a.isValid());
    }

    @Test
    void renew_manyLeases_isOneCallForAHundred() {
        server.answer("renew", server::renewed);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            leases.add(lease("lock-" + i));
        }
        time.advance(seconds(11));
        assertEquals(3, server.count("renew"));
        time.advance(Duration.ofMinutes(5));
        assertTrue(leases.stream().allMatch(Lease::isValid));
        assertTrue(server.count("renew") <= 3 * 32, "calls in 311 s: " + server.count("renew"));
    }

    @Test
    void renew_batchIsRefused_fallsBackToSingleCallsAndOneFailureStopsNoOther() {
        List<Lease> leases = List.of(lease("a"), lease("b"), lease("c"));
        time.runUntil("the renewal", seconds(11), () -> server.count("renew") == 1);
        Call batch = server.next("renew");
        assertEquals(3, batch.keys().size());
        batch.reject("WRONGTYPE Operation against a key holding the wrong kind of value");
        for (int i = 0; i < 3; i++) {
            Call single = server.next("renew");
            assertEquals(1, single.keys().size());
            if (single.keys().contains("hf:{b}")) {
                single.reject("WRONGTYPE Operation against a key holding the wrong kind of value");
            } else {
                single.answer(server.renewed(1));
            }
        }
        Duration renewedAt = time.elapsed();
        time.advance(VALIDITY.minus(time.elapsed()));
        assertEquals(
                List.of(true, false, true), leases.stream().map(Lease::isValid).toList());
        assertEquals(
                renewedAt, time.elapsed().minus(VALIDITY.minus(leases.get(0).remaining())));
    }

    @Test
    void renew_answeredGone_isLostAtOnceAndTakenBack() {
        Lease lease = lease("a");
        time.runUntil("the renewal", seconds(11), () -> server.count("renew") == 1);
        server.next("renew").answer(server.renewed(0));
        assertFalse(lease.isValid());
        assertEquals(
                LossReason.NOT_ON_SERVER, lease.whenLost().toCompletableFuture().join());
        assertEquals(lease.owner(), server.next("release").publicOwner());
    }

    /** A silence is then as long as the client is not connected: the lease bears it to its deadline, and no longer. */
    @Test
    void renew_connectionWasGivenUpAndIsOpenedJustBeforeTheDeadline_isSentAtOnceAndInTime() {
        server.ignoreReports();
        Lease lease = lease("a");
        time.runUntil("the connection is given up", seconds(25), () -> server.reconnects() == 1);
        server.disconnect(); // connecting takes its time
        time.advance(lease.remaining().minusMillis(1));
        assertTrue(lease.isValid());
        server.answer("renew", server::renewed);
        server.restore();
        assertEquals(VALIDITY, lease.remaining());
    }

    @Test
    void renew_lateAnswerAfterTheDeadline_doesNotReviveTheLease() {
        // The answer comes after the deadline and before the command counts as unanswered.
        Lease lease = lease("a", LockOptions.defaults().withLeaseDuration(seconds(3)));
        time.runUntil("the renewal", seconds(2), () -> server.count("renew") == 1);
        Call renewal = server.next("renew");
        time.advance(millis(2_969).minus(time.elapsed()));
        assertFalse(lease.isValid());
        renewal.answer(server.renewed(1));
        assertFalse(lease.isValid());
        assertEquals(Duration.ZERO, lease.remaining());
        assertEquals(LossReason.EXPIRED, lease.whenLost().toCompletableFuture().join());
        assertEquals(1, server.count("renew"), "and is not renewed any more");
    }

    @Test
    void renew_lateAnswerSeenBeforeTheTimer_doesNotReviveTheLease() {
        Lease lease = lease("a", LockOptions.defaults().withLeaseDuration(seconds(3)));
        time.runUntil("the renewal", seconds(2), () -> server.count("renew") == 1);
        Call renewal = server.next("renew");
        // The answer stands before the engine's own timer at the very instant of the deadline.
        Duration left = lease.remaining();
        time.timers().schedule(left.toNanos(), () -> renewal.answer(server.renewed(1)));
        time.advance(left);
        assertFalse(lease.isValid());
    }

    @Test
    void renew_longestHoldReached_endsAndTheLeaseWithIt() {
        server.answer("renew", server::renewed);
        Lease lease = lease("a", LockOptions.defaults().withMaxHold(Duration.ofMinutes(1)));
        time.advance(Duration.ofMinutes(2));
        assertFalse(lease.isValid());
        assertEquals(
                LossReason.LEASE_LIMIT_REACHED,
                lease.whenLost().toCompletableFuture().join());
    }

    @Test
    void release_anyTime_endsTheLeaseBeforeTheRequestLeaves() {
        Lease lease = lease("a");
        List<String> seen = new ArrayList<>();
        server.answer("release", call -> {
            seen.add(lease.isValid() + " " + lease.remaining());
            return server.released("RELEASED");
        });
        assertEquals(ReleaseResult.RELEASED, lease.release());
        assertEquals(List.of("false PT0S"), seen);
    }

    @Test
    void release_notAnswered_isUnconfirmedAndRepeatedUntilItIs() {
        Lease lease = lease("a");
        CompletableFuture<ReleaseResult> result = lease.releaseAsync();
        server.next("release").fail();
        assertEquals(ReleaseResult.UNCONFIRMED, result.join());
        for (int i = 0; i < 5; i++) {
            Call again = server.next("release");
            assertEquals(lease.owner(), again.publicOwner());
            again.fail();
            time.advance(seconds(2));
        }
        server.next("release").answer(server.released("GONE"));
        time.advance(seconds(10));
        assertEquals(List.of(), server.open());
    }

    @Test
    void release_ofALease_isNotRenewedAnyMore() {
        server.answer("release", call -> server.released("RELEASED"));
        lease("a").release();
        time.advance(Duration.ofMinutes(1));
        assertEquals(0, server.count("renew"));
    }

    @Test
    void extend_answered_neverShortensAndCountsFromTheSend() {
        Lease lease = lease("a");
        CompletableFuture<Void> shorter = lease.extendAsync(seconds(1));
        time.advance(millis(300));
        server.next("confirm").answer(server.held());
        shorter.join();
        assertEquals(VALIDITY.minusMillis(300), lease.remaining());
        CompletableFuture<Void> longer = lease.extendAsync(seconds(100));
        time.advance(millis(300));
        server.next("confirm").answer(server.held());
        longer.join();
        assertEquals(millis(100_000 - 1_000 - 2 - 300), lease.remaining());
    }

    /** Renewal begins with the confirmation, a third of the term later: by then a shorter one would be over. */
    @Test
    void extend_handoffNotConfirmedYet_isGoodUntilTheFirstRenewalAndLonger() {
        server.answer("renew", server::renewed);
        Waiting waiting = waiting("a");
        server.grant(waiting.acquire, 7, CLAIM, Duration.ZERO);
        Lease lease = obtained(waiting.future);
        CompletableFuture<Void> extension = lease.extendAsync(seconds(2));
        Call confirmation = server.next("confirm");
        assertEquals("30000", confirmation.arg(5));
        confirmation.answer(server.held());
        extension.join();
        assertEquals(VALIDITY, lease.remaining());
        time.advance(Duration.ofMinutes(1));
        assertTrue(lease.isValid());
    }

    @Test
    void forgottenLease_unreachable_isNotRenewedAnyMore() {
        server.answer("renew", server::renewed);
        WeakReference<Lease> dropped = new WeakReference<>(lease("a"));
        Lease kept = lease("b");
        time.advance(seconds(11));
        assertEquals(2, renewedKeys());
        leases.clear();
        for (int i = 0; i < 100 && dropped.get() != null; i++) {
            System.gc();
        }
        assertNull(dropped.get(), "the engine keeps the lease reachable");
        time.advance(seconds(10));
        assertEquals(3, renewedKeys());
        server.answer("release", call -> server.released("RELEASED"));
        time.advance(Duration.ofMinutes(1));
        assertTrue(kept.isValid());
        assertEquals(1, server.count("release"), "its end is taken back");
    }

    private int renewedKeys() {
        return server.calls("renew").stream()
                .mapToInt(call -> call.keys().size())
                .sum();
    }

    @Test
    void detach_lateNoticeOfItsGrant_doesNotReleaseIt() {
        Waiting waiting = waiting("a");
        server.grant(waiting.acquire, 7, CLAIM, Duration.ZERO);
        Lease lease = obtained(waiting.future);
        server.answer("confirm", call -> server.held());
        lease.detach();
        server.grant(waiting.acquire, 7, CLAIM, Duration.ZERO);
        assertEquals(0, server.count("release"));
        time.advance(seconds(10));
        assertEquals(0, server.count("renew"));
    }

    @Test
    void detach_deadlinePassed_isOverButLeavesTheHoldToWhoeverAdoptedIt() {
        Lease lease = lease("a");
        AtomicReference<LossReason> told = new AtomicReference<>();
        lease.whenLost().thenAccept(told::set);
        server.answer("confirm", call -> server.held());
        lease.detach();
        time.advance(VALIDITY);
        assertFalse(lease.isValid());
        assertEquals(Duration.ZERO, lease.remaining());
        time.advance(seconds(10));
        assertEquals(0, server.count("release"));
        assertNull(told.get());
    }

    @Test
    void detach_answerToAnExtensionComesLater_leavesTheHoldToWhoeverAdoptedIt() {
        Lease lease = lease("a");
        CompletableFuture<Void> extended = lease.extendAsync(TERM);
        Call extension = server.next("confirm");
        server.answer("confirm", call -> server.held());
        lease.detach();
        extension.answer(server.held());
        assertTrue(extended.isDone());
        time.advance(VALIDITY.plusSeconds(10));
        assertFalse(lease.isValid());
        assertEquals(0, server.count("release"));
    }

    @Test
    void detach_renewalUnderWayFindsItGone_takesNothingBack() {
        Lease lease = lease("a");
        time.runUntil("a renewal", seconds(11), () -> server.count("renew") == 1);
        Call renewal = server.next("renew");
        server.answer("confirm", call -> server.held());
        lease.detach();
        time.advance(millis(400));
        renewal.answer(server.renewed(0)); // whoever adopted it has released it
        assertFalse(lease.isValid());
        assertEquals(0, server.count("release"));
    }

    @Test
    void close_serverDoesNotAnswer_returnsAfterTheCloseTimeoutAndTellsTheLoss() {
        Lease lease = lease("a");
        AtomicReference<LossReason> reason = new AtomicReference<>();
        lease.whenLost().thenAccept(reason::set);
        long begin = System.nanoTime();
        holdfast.close();
        long took = System.nanoTime() - begin;
        assertTrue(took >= OPTIONS.closeTimeout().toNanos(), "it waited for the releases: " + took);
        assertTrue(took < seconds(10).toNanos(), "but not for long: " + took);
        assertEquals(LossReason.CLIENT_CLOSED, reason.get());
        assertFalse(lease.isValid());
        assertEquals(1, server.count("release"));
    }
}
