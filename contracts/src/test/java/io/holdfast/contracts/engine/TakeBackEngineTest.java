package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver.Call;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Nothing stays behind: what is repeated, what is taken back, and what happens when connections come back. */
final class TakeBackEngineTest extends EngineFixture {
    private static final String TWO_MINUTES = "120000";

    // ---- asking again

    @Test
    void acquire_outcomeUnknown_isRepeatedWithTheSameOwnerAndCountsFromTheRepeat() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        Call first = server.next("acquire");
        first.fail();
        assertEquals(List.of(), server.open(), "not at once");
        time.advance(millis(50));
        Call second = server.next("acquire");
        assertEquals(first.owner(), second.owner());
        time.advance(millis(10));
        second.answer(server.granted(7));
        Lease lease = obtained(future);
        assertEquals(VALIDITY.minusMillis(10), lease.remaining());
        // The first copy may still be under way, and must not take the lock again.
        lease.releaseAsync();
        assertEquals(TWO_MINUTES, server.next("release").tombstone());
    }

    @Test
    void acquire_neverAnswered_isRepeatedAfterTheCommandTimeout() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        Call first = server.next("acquire");
        time.runUntil("the repeat", seconds(4), () -> server.count("acquire") == 2);
        Call second = server.next("acquire");
        assertEquals(first.owner(), second.owner());
        second.answer(server.granted(7));
        Lease lease = obtained(future);
        first.answer(server.granted(7));
        assertTrue(lease.isValid());
        assertEquals(List.of(), server.open());
    }

    @Test
    void acquire_withoutWaitingAndOutcomeUnknown_isUnknownAndTakenBack() {
        CompletableFuture<Attempt<Lease>> future = holdfast.lock("a").attemptAsync(Wait.none());
        Call acquire = server.next("acquire");
        acquire.fail();
        assertInstanceOf(Attempt.Unknown.class, future.join());
        Call release = server.next("release");
        assertEquals(acquire.owner(), release.owner());
        assertEquals(TWO_MINUTES, release.tombstone());
    }

    @Test
    void release_handedOffAfterTheConnectionBroke_leavesATombstone() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        Call acquire = server.next("acquire");
        acquire.fail();
        server.grant(acquire, 7, CLAIM, Duration.ZERO);
        obtained(future).releaseAsync();
        // One copy has been executed. A client that connects anew may have sent another.
        assertEquals(TWO_MINUTES, server.next("release").tombstone());
    }

    @Test
    void acquire_answered_leavesNoTombstone() {
        lease("a").releaseAsync();
        assertEquals("0", server.next("release").tombstone());
    }

    // ---- taking back

    @Test
    void withdraw_requestUnderWay_lateGrantIsTakenBack() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        Call acquire = server.next("acquire");
        future.cancel(false);
        Call withdrawal = server.next("release");
        assertEquals(acquire.owner(), withdrawal.owner());
        assertEquals(TWO_MINUTES, withdrawal.tombstone());
        withdrawal.answer(server.released("GONE"));
        acquire.answer(server.granted(7));
        assertEquals(acquire.owner(), server.next("release").owner());
    }

    @Test
    void withdraw_completedFromOutsideInAnyWay_isTakenBack() {
        for (int way = 0; way < 3; way++) {
            CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
            Call acquire = server.next("acquire");
            switch (way) {
                case 0 -> future.cancel(true);
                case 1 -> future.completeExceptionally(new IllegalStateException("from outside"));
                default -> future.complete(lease("other"));
            }
            Call withdrawal = server.next("release");
            assertEquals(acquire.owner(), withdrawal.owner(), "way " + way);
            withdrawal.answer(server.released("GONE"));
        }
    }

    @Test
    void withdraw_notAnswered_isRepeatedUntilItIsAndWithItsTombstone() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        Call acquire = server.next("acquire");
        future.cancel(false);
        for (int i = 0; i < 10; i++) {
            Call withdrawal = server.next("release");
            assertEquals(acquire.owner(), withdrawal.owner());
            assertEquals(TWO_MINUTES, withdrawal.tombstone());
            withdrawal.fail();
            time.advance(seconds(2));
        }
    }

    @Test
    void withdraw_notAnsweredAndAGrantComesByMessage_keepsTheTombstone() {
        // Two copies of the acquire; the server has run one of them, whose grant comes by message. The other one may
        // still be under way, so that what ends this owner has to leave a tombstone.
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        Call acquire = server.next("acquire");
        acquire.fail();
        time.advance(millis(50));
        server.next("acquire");
        future.cancel(false);
        Call withdrawal = server.next("release");
        assertEquals(TWO_MINUTES, withdrawal.tombstone());
        server.grant(acquire, 7, CLAIM, Duration.ZERO);
        withdrawal.fail();
        time.advance(seconds(10));
        List<Call> releases = server.calls("release");
        Call last = releases.get(releases.size() - 1);
        assertEquals(acquire.owner(), last.owner());
        assertEquals(TWO_MINUTES, last.tombstone());
    }

    @Test
    void lost_deadlinePassed_isTakenBackUntilAnswered() {
        Lease lease = lease("a");
        time.advance(VALIDITY);
        Call release = server.next("release");
        assertEquals(lease.owner(), release.publicOwner());
        release.fail();
        time.advance(seconds(1));
        server.next("release").answer(server.released("GONE"));
        time.advance(Duration.ofMinutes(1));
        assertEquals(2, server.count("release"));
    }

    @Test
    void releaseToRest_notAnswered_asksForWhatIsLeftOfTheRest() {
        Lease lease = lease("a");
        var unused = lease.releaseToRestAsync(seconds(5));
        Call first = server.next("release");
        assertEquals("0 0 5000 0", first.arg(4));
        first.fail();
        Call second = server.next("release");
        assertEquals("0 0 5000 0", second.arg(4), "at once, by the take-back");
        second.fail();
        time.runUntil("the repeat", seconds(1), () -> server.count("release") == 3);
        Call third = server.next("release");
        assertEquals(lease.owner(), third.publicOwner());
        assertEquals("0 0 " + seconds(5).minus(third.sent()).toMillis() + " 0", third.arg(4));
        assertTrue(third.sent().compareTo(Duration.ZERO) > 0);
        third.fail();
        time.runUntil(
                "the rest is over",
                seconds(10),
                () -> server.calls("release").stream()
                        .anyMatch(call -> call.sent().compareTo(seconds(5)) > 0));
        List<Call> releases = server.calls("release");
        assertEquals("", releases.get(releases.size() - 1).arg(4), "nothing is left of it");
    }

    @Test
    void releaseToRest_answered_isNotRepeatedAfterAReconnect() {
        Lease lease = lease("a");
        var unused = lease.releaseToRestAsync(seconds(5));
        server.next("release").answer(server.released("RELEASED"));
        server.disconnect();
        server.restore();
        assertEquals(1, server.count("release"), "it would end, without its rest, what a server has brought back");
    }

    // ---- connections

    @Test
    void reconnect_releaseThatLeftATombstone_leavesItAgain() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        server.next("acquire").fail();
        time.advance(millis(50));
        server.next("acquire").answer(server.granted(7));
        obtained(future).releaseAsync();
        server.next("release").answer(server.released("RELEASED"));
        server.disconnect();
        server.restore();
        // A server that has forgotten the release has forgotten the tombstone, too, and the first copy may still be
        // under way.
        assertEquals(TWO_MINUTES, server.next("release").tombstone());
    }

    @Test
    void reconnect_withALeaseAWaiterAndARelease_renewsRefreshesAndRepeatsAtOnce() {
        Lease lease = lease("held");
        Lease old = lease("old");
        Lease recent = lease("recent");
        Waiting waiting = waiting("waited");
        old.releaseAsync();
        server.next("release").answer(server.released("RELEASED"));
        time.advance(millis(4_000));
        recent.releaseAsync();
        server.next("release").answer(server.released("RELEASED"));
        time.advance(millis(1_000));
        server.disconnect();
        int before = server.count();
        time.advance(millis(100));
        assertEquals(before, server.count(), "not connected");
        server.restore();
        Call renewal = server.next("renew");
        assertEquals(List.of("hf:{held}"), renewal.keys());
        Call refresh = server.next("refresh");
        assertEquals(waiting.acquire.owner(), refresh.arg(5));
        Call release = server.next("release");
        assertEquals(recent.owner(), release.publicOwner());
        assertEquals(
                List.of(),
                server.open().stream()
                        .filter(call -> !call.name().equals("refresh"))
                        .toList());
        renewal.answer(server.renewed(1));
        assertEquals(VALIDITY, lease.remaining());
    }

    @Test
    void reconnect_ofEitherConnectionAlone_refreshesAtOnce() {
        server.answer("refresh", server::refreshed);
        waiting("a");
        server.commands(false);
        server.commands(true);
        assertEquals(1, server.count("refresh"), "another server may answer now");
        server.messages(false);
        server.messages(true);
        assertEquals(2, server.count("refresh"), "messages may have been missed");
    }

    @Test
    void reconnect_manyTimes_renewsEachLeaseOnceAThirdOfItsTerm() {
        server.answer("renew", server::renewed);
        Lease lease = lease("a");
        for (int i = 0; i < 10; i++) {
            time.advance(seconds(1));
            server.disconnect();
            server.restore();
        }
        int before = server.count("renew");
        time.advance(Duration.ofMinutes(5));
        assertTrue(lease.isValid());
        int calls = server.count("renew") - before;
        assertTrue(calls >= 29 && calls <= 31, "renewals in five minutes: " + calls);
    }

    @Test
    void reconnect_leaseThatIsNotRenewed_staysSo() {
        server.answer("renew", server::renewed);
        Lease lease = lease("a", LockOptions.defaults().withRenewal(false));
        time.advance(seconds(1));
        server.disconnect();
        server.restore();
        time.advance(VALIDITY);
        assertFalse(lease.isValid());
        assertEquals(
                LossReason.LEASE_LIMIT_REACHED,
                lease.whenLost().toCompletableFuture().join());
        assertEquals(0, server.count("renew"));
    }

    @Test
    void reconnect_releaseNotAnswered_isRepeatedByOneChainOnly() {
        lease("a").releaseAsync();
        for (int i = 0; i < 10; i++) {
            server.disconnect();
            server.restore();
        }
        server.stopAnswering("release");
        time.advance(seconds(30));
        int before = server.count("release");
        server.open().forEach(Call::fail);
        time.advance(seconds(20));
        // Ten chains would send ten times as many.
        assertTrue(server.count("release") - before <= 12, "releases: " + (server.count("release") - before));
    }

    @Test
    void reconnect_newOwners_haveASecretOfTheirOwn() {
        Call before = ask();
        server.disconnect();
        server.restore();
        Call after = ask();
        assertFalse(secret(before).equals(secret(after)), "a copied machine would draw the same owners");
        assertFalse(before.publicOwner().equals(after.publicOwner()));
    }

    private Call ask() {
        holdfast.lock("a").acquireAsync(Wait.none());
        return server.next("acquire");
    }

    private static String secret(Call call) {
        return call.owner().substring(call.owner().indexOf('~'));
    }
}
