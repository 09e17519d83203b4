package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static io.holdfast.contracts.Outcomes.assertObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.internal.turns.LocalLines;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/** Holds that a client keeps after a release: lent again, recalled, or given back to requests that share nothing. */
final class KeptHoldTest extends LocalLineFixture {
    // ---- kept

    @Test
    void release_nobodyWaits_keepsTheLockAndGrantsItAgainWithoutTheServer() {
        Lease first = lease(ask(ours, KEPT));
        long token = first.token();
        assertEquals(ReleaseResult.KEPT, first.release());
        assertFalse(first.isValid());
        assertEquals(0, ours.leaseCount());
        server.freeze(); // it would leave every request unanswered
        for (int i = 0; i < 100; i++) {
            time.advance(MICRO);
            Lease next = lease(ask(ours, KEPT));
            assertTrue(next.token() > token);
            token = next.token();
            assertEquals(ReleaseResult.KEPT, next.release());
        }
        server.thaw();
        assertTrue(ours.lock("a").isLocked());
    }

    /** The server's tokens are its clock: one that had lost its memory would give none that is greater. */
    @Test
    void token_fasterThanTheClock_isDrawnByTheServer() {
        lease(ask(ours, KEPT)).release();
        Lease first = lease(ask(ours, KEPT));
        long token = first.token();
        first.release();
        server.freeze();
        CompletableFuture<Lease> next = ask(ours, KEPT);
        assertFalse(next.isDone());
        server.thaw();
        assertTrue(lease(next).token() > token);
        next.join().release();
    }

    @Test
    void recall_whileItIsKept_givesItToTheOtherAtOnce() {
        Lease first = lease(ask(ours, KEPT));
        long token = first.token();
        first.release();
        Lease theirs = lease(ask(other, LockOptions.defaults()));
        assertTrue(theirs.token() > token);
        theirs.release();
    }

    @Test
    void recall_whileALeaseIsOut_givesItToTheOtherAfterThat() {
        lease(ask(ours, KEPT)).release();
        Lease second = lease(ask(ours, KEPT));
        CompletableFuture<Lease> theirs = ask(other, LockOptions.defaults());
        assertFalse(theirs.isDone());
        assertTrue(second.isValid());
        long token = second.token();
        assertEquals(ReleaseResult.RELEASED, second.release());
        assertTrue(lease(theirs).token() > token);
    }

    @Test
    void recall_byOneThatDoesNotWait_freesTheLockForItsNextAttempt() {
        lease(ask(ours, KEPT)).release();
        assertNotObtained(
                Reason.TAKEN, other.lock("a").attemptAsync(Wait.none()).join());
        assertObtained(other.lock("a").attemptAsync(Wait.none()).join());
    }

    @Test
    void keep_itsTimeIsOver_releases() {
        lease(ask(ours, KEPT)).release();
        time.advance(Duration.ofSeconds(4));
        assertTrue(ours.lock("a").isLocked());
        time.advance(Duration.ofSeconds(2));
        assertFalse(ours.lock("a").isLocked());
    }

    /** Renewal goes on while it is kept, and while leases come and go, for longer than a term. */
    @Test
    void keep_usedNowAndThen_isRenewed() {
        long token = 0;
        for (int i = 0; i < 30; i++) {
            Lease lease = lease(ask(ours, KEPT));
            assertTrue(lease.token() > token);
            token = lease.token();
            assertEquals(ReleaseResult.KEPT, lease.release());
            time.advance(Duration.ofSeconds(4));
        }
    }

    @Test
    void keep_handedOffWhileOthersWait_isNotKept() {
        Lease theirs = lease(ask(other, LockOptions.defaults()));
        CompletableFuture<Lease> mine = ask(ours, KEPT);
        CompletableFuture<Lease> behind = ask(other, LockOptions.defaults());
        theirs.release();
        assertEquals(ReleaseResult.RELEASED, lease(mine).release());
        lease(behind).release();
    }

    @Test
    void disconnect_whileItIsKept_givesItBack() {
        lease(ask(ours, KEPT)).release();
        control.disconnect();
        control.reconnect();
        time.advance(Duration.ofSeconds(1));
        assertFalse(other.lock("a").isLocked());
    }

    /** The grant was under way when the messages stopped: nobody could recall it any more. */
    @Test
    void release_messagesStoppedBeforeTheGrantCame_isNotKept() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast deaf = clientOver(driver);
        CompletableFuture<Lease> future = ask(deaf, KEPT);
        driver.messages(false);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        assertEquals(ReleaseResult.RELEASED, lease(future).release());
        deaf.close();
    }

    /** They are back, but what was told meanwhile is lost: also a recall that came before the grant. */
    @Test
    void release_messagesWereAwayBeforeTheGrantCame_isNotKept() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> future = ask(client, KEPT);
        FakeDriver.Call asked = driver.next("acquire");
        driver.messages(false);
        driver.messages(true);
        asked.answer(driver.grantedToKeep(100));
        assertEquals(ReleaseResult.RELEASED, lease(future).release());
        CompletableFuture<Lease> second = ask(client, KEPT);
        driver.next("acquire").answer(driver.grantedToKeep(200));
        assertEquals(ReleaseResult.KEPT, lease(second).release());
        client.close();
    }

    /** A first grant could have been kept, but came too late; the lock was then handed to it past others that may wait. */
    @Test
    void release_handedOffAfterAGrantThatCameTooLate_isNotKept() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> future =
                ask(client, KEPT.withLeaseDuration(Duration.ofSeconds(1)).withMinRemaining(Duration.ofMillis(500)));
        FakeDriver.Call first = driver.next("acquire");
        time.advance(Duration.ofMillis(800));
        first.answer(driver.grantedToKeep(100));
        FakeDriver.Call second = driver.next("acquire");
        second.answer(driver.queued(1, Duration.ofSeconds(20)));
        driver.grant(second, 200, Duration.ofSeconds(1), Duration.ZERO);
        assertEquals(ReleaseResult.RELEASED, lease(future).release());
        client.close();
    }

    @Test
    void close_whileItIsKept_releases() {
        Holdfast closing = control.client();
        lease(ask(closing, KEPT)).release();
        closing.close();
        assertFalse(other.lock("a").isLocked());
    }

    /** The next would have a token of a microsecond that is yet to come. */
    @Test
    void release_othersOfThisClientWaitWithinAMicrosecond_asksTheServer() {
        Lease first = lease(ask(ours, HANDED));
        CompletableFuture<Lease> next = ask(ours, HANDED);
        long token = first.token();
        first.release();
        Lease second = lease(next);
        assertTrue(second.token() > token);
        assertFalse(second.owner().equals(first.owner()));
        second.release();
    }

    /** It would look taken, though nobody has it or can have it. */
    @Test
    void release_withTheLastToken_isNotKept() {
        ReleaseResult last = ReleaseResult.KEPT;
        for (int i = 0; i < LocalLines.tokens(true); i++) {
            assertEquals(ReleaseResult.KEPT, last);
            Lease lease = lease(ask(ours, KEPT));
            time.advance(MICRO);
            assertTrue(lease.token() > 0);
            last = lease.release();
        }
        assertEquals(ReleaseResult.RELEASED, last);
    }

    /** A late copy of its request has brought the same owner a later grant, of which the client does not know. */
    @Test
    void release_ownerWasGrantedAnew_leavesTheLaterToken() {
        Lease lease = lease(ask(ours, HANDED));
        String key = ours.lock("a").key();
        String before = Long.toString(lease.token());
        long later = lease.token() + 1_000_000;
        server.command(
                "SET", key, server.command("GET", key).asString().replace(before, Long.toString(later)), "PX", "30000");
        server.command("SET", key + ":t", Long.toString(later + 3), "PX", "3600000");
        lease.release();
        assertTrue(lease(ask(other, LockOptions.defaults())).token() > later);
    }

    @Test
    void token_askedForAfterTheRelease_isThatOfAnEarlierLease() {
        Lease first = lease(ask(ours, KEPT));
        long token = first.token();
        first.release();
        time.advance(MICRO);
        Lease second = lease(ask(ours, KEPT));
        second.release();
        assertEquals(token, second.token());
    }

    /** The first has none before it; the hold's own is its, whether it was asked for in time or not. */
    @Test
    void token_ofTheFirstAskedForAfterTheRelease_isLessThanTheNextOnes() {
        Lease first = lease(ask(ours, KEPT));
        first.release();
        time.advance(MICRO);
        Lease second = lease(ask(ours, KEPT));
        long token = second.token();
        assertTrue(first.token() < token, () -> first.token() + ", then " + token);
        second.release();
    }

    /** It was granted for one actor, and another has its lease now: it belongs to neither. */
    @Test
    void reenter_actorForWhomTheHoldWasAskedFor_waitsForTheLeaseOfAnother() {
        lease(ours.lock("a", KEPT).withActor("one").acquireAsync(Wait.forever()))
                .release();
        time.advance(MICRO);
        Lease second = lease(ours.lock("a", KEPT).withActor("two").acquireAsync(Wait.forever()));
        CompletableFuture<Lease> again = ours.lock(
                        "a", LockOptions.defaults().withReentrancy(LockOptions.Reentrancy.REENTER))
                .withActor("one")
                .acquireAsync(Wait.forever());
        assertFalse(again.isDone());
        second.release();
        lease(again).release();
    }

    /** A lease that is not renewed is good for its term. */
    @Test
    void notRenewed_askedForWhileItIsKept_hasAWholeTerm() {
        LockOptions once = KEPT.withLeaseDuration(Duration.ofSeconds(3)).withRenewal(false);
        lease(ask(ours, once)).release();
        time.advance(Duration.ofSeconds(2));
        Lease second = lease(ask(ours, once));
        assertTrue(second.remaining().compareTo(Duration.ofMillis(2_900)) > 0, () -> "" + second.remaining());
        second.release();
    }

    // ---- recalled without a message

    @Test
    void recall_messageIsLost_isToldByTheNextRenewal() {
        Holdfast deaf = deafClient();
        lease(ask(deaf, KEPT_LONG)).release();
        CompletableFuture<Lease> theirs = ask(other, LockOptions.defaults());
        assertFalse(theirs.isDone());
        time.advance(THIRD);
        lease(theirs).release();
        deaf.close();
    }

    /** It takes the lock and releases it all the time, and so never keeps it for longer than it may. */
    @Test
    void recall_messageIsLostAndTheLockInUse_isToldByTheNextRenewal() {
        Holdfast deaf = deafClient();
        Lease lease = lease(ask(deaf, KEPT_LONG));
        CompletableFuture<Lease> theirs = ask(other, LockOptions.defaults());
        for (Duration spent = Duration.ZERO; spent.compareTo(THIRD) < 0; spent = spent.plusMillis(100)) {
            CompletableFuture<Lease> next = ask(deaf, KEPT_LONG);
            time.advance(Duration.ofMillis(100));
            lease.release();
            if (!next.isDone()) {
                break;
            }
            lease = lease(next);
        }
        lease.release();
        lease(theirs).release();
        deaf.close();
    }

    /** One that does not wait sends no refresh either: the mark in the hold is all that is left of it. */
    @Test
    void recall_messageToOneThatDoesNotWaitIsLost_isToldByTheNextRenewal() {
        Holdfast deaf = deafClient();
        lease(ask(deaf, KEPT_LONG)).release();
        assertNotObtained(
                Reason.TAKEN, other.lock("a").attemptAsync(Wait.none()).join());
        time.advance(THIRD);
        assertFalse(other.lock("a").isLocked());
        deaf.close();
    }

    @Test
    void recall_marksTheHoldAndLeavesItsEnd() {
        Holdfast deaf = deafClient();
        Lease lease = lease(ask(deaf, KEPT_LONG));
        time.advance(Duration.ofSeconds(3));
        String key = ours.lock("a").key();
        String before = server.command("GET", key).asString();
        long left = server.command("PTTL", key).asLong();
        CompletableFuture<Lease> theirs = ask(other, LockOptions.defaults());
        assertTrue(before.endsWith(" K"), before);
        assertEquals(
                before.substring(0, before.length() - 1) + "R",
                server.command("GET", key).asString());
        assertEquals(left, server.command("PTTL", key).asLong());
        assertEquals(
                lease.owner(), ours.inspect().lock("a").holder().orElseThrow().owner());
        lease.release();
        time.advance(THIRD);
        lease(theirs).release();
        deaf.close();
    }

    /** Of a batch that the server refuses each is asked for alone, and told alone. */
    @Test
    void recall_renewalsAreSentOneByOne_isToldToo() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> one = ask(client, KEPT_LONG);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        CompletableFuture<Lease> two = client.lock("b", KEPT_LONG).acquireAsync();
        driver.next("acquire").answer(driver.grantedToKeep(200));
        time.advance(THIRD);
        driver.next("renew").reject("WRONGTYPE one of them");
        for (int i = 0; i < 2; i++) {
            FakeDriver.Call renewal = driver.next("renew");
            renewal.answer(driver.renewed(renewal.arg(2).equals("200") ? 2 : 1));
        }
        assertEquals(ReleaseResult.KEPT, lease(one).release());
        assertEquals(ReleaseResult.RELEASED, lease(two).release());
        client.close();
    }

    /** The answer to a renewal that left before the recall says less, and comes later: it takes nothing back. */
    @Test
    void recall_renewalFromBeforeIsAnsweredAfterIt_isHeeded() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> future = ask(client, KEPT_LONG);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        time.advance(THIRD);
        FakeDriver.Call slow = driver.next("renew");
        driver.message("R 100 hf:{a}");
        slow.answer(driver.renewed(1));
        assertEquals(ReleaseResult.RELEASED, lease(future).release());
        client.close();
    }

    @Test
    void recall_ofAnEarlierHoldComesAfterThatOfTheNext_doesNotHideIt() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> future = ask(client, KEPT);
        FakeDriver.Call asked = driver.next("acquire");
        driver.message("R 200 hf:{a}");
        driver.message("R 100 hf:{a}");
        asked.answer(driver.grantedToKeep(200));
        assertEquals(ReleaseResult.RELEASED, lease(future).release());
        client.close();
    }

    // ---- beside requests that share nothing

    @Test
    void attempt_lockThatThisClientKeeps_isObtained() {
        for (LockOptions options :
                List.of(LockOptions.defaults(), KEPT.withKeepFor(Duration.ofSeconds(7)), HANDED, KEPT)) {
            Lease kept = lease(ask(ours, KEPT));
            long token = kept.token();
            assertEquals(ReleaseResult.KEPT, kept.release());
            Attempt<Lease> attempt =
                    ours.lock("a", options).attemptAsync(Wait.none()).join();
            Lease lease = attempt.asOptional().orElseThrow(() -> new AssertionError(attempt + " with " + options));
            assertTrue(lease.token() > token);
            lease.release();
            time.advance(Duration.ofSeconds(10));
        }
    }

    @Test
    void attempt_lockThatThisClientKeepsAndItsMessagesAreLost_isObtained() {
        Holdfast deaf = deafClient();
        lease(ask(deaf, KEPT_LONG)).release();
        lease(ask(deaf, LockOptions.defaults())).release();
        deaf.close();
    }

    /** A client that keeps the lock, over a server that answers no release until the test does. */
    private Holdfast clientThatKeeps(FakeDriver driver) {
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> kept = ask(client, KEPT);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        driver.stopAnswering("release");
        assertEquals(ReleaseResult.KEPT, lease(kept).release());
        return client;
    }

    /** The server had to be given the script of the release first, and so was asked for the lock before it. */
    @Test
    void attempt_givenBackOnlyAfterItAsked_asksOnceMore() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientThatKeeps(driver);
        CompletableFuture<Attempt<Lease>> attempt = client.lock("a").attemptAsync(Wait.none());
        driver.next("acquire").answer(driver.taken(Duration.ofSeconds(20)));
        assertFalse(attempt.isDone());
        driver.next("release").answer(driver.released("RELEASED"));
        driver.next("acquire").answer(driver.taken(Duration.ofSeconds(20))); // somebody else was faster
        assertNotObtained(Reason.TAKEN, attempt.join());
        driver.answer("release", call -> driver.released("RELEASED"));
        client.close();
    }

    /** A lock without a holder is never taken: each request waits for the release that another one has sent. */
    @Test
    void attempt_anotherOfThisClientHasJustGivenItBack_isNotToldThatItIsTaken() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientThatKeeps(driver);
        CompletableFuture<Attempt<Lease>> first = client.lock("a").attemptAsync(Wait.none());
        Call firstAsks = driver.next("acquire");
        CompletableFuture<Attempt<Lease>> second = client.lock("a", KEPT).attemptAsync(Wait.none());
        driver.next("acquire").answer(driver.taken(Duration.ofSeconds(20)));
        assertFalse(second.isDone(), "it has no holder");
        assertEquals(1, driver.count("release"));
        driver.next("release").answer(driver.released("RELEASED"));
        driver.next("acquire").answer(driver.granted(101));
        assertObtained(second.join());
        firstAsks.answer(driver.taken(Duration.ofSeconds(20)));
        driver.next("acquire").answer(driver.taken(Duration.ofSeconds(20)));
        assertNotObtained(Attempt.Reason.TAKEN, first.join()); // the second holds it
        driver.answer("release", call -> driver.released("RELEASED"));
        client.close();
    }

    @Test
    void attempt_keptForLongEnoughJustNow_isNotToldThatItIsTaken() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientThatKeeps(driver);
        time.advance(KEPT.keepFor());
        assertEquals(1, driver.count("release"), "its time is over");
        CompletableFuture<Attempt<Lease>> attempt = client.lock("a", KEPT).attemptAsync(Wait.none());
        driver.next("acquire").answer(driver.taken(Duration.ofSeconds(20)));
        assertFalse(attempt.isDone(), "it has no holder");
        driver.next("release").answer(driver.released("RELEASED"));
        driver.next("acquire").answer(driver.granted(101));
        assertObtained(attempt.join());
        driver.answer("release", call -> driver.released("RELEASED"));
        client.close();
    }

    /** Nobody's turn is taken away: only what nobody has goes back. */
    @Test
    void attempt_lockOfWhichThisClientHasALease_isTaken() {
        Lease lease = lease(ask(ours, KEPT));
        assertNotObtained(Reason.TAKEN, ours.lock("a").attemptAsync(Wait.none()).join());
        assertTrue(lease.isValid());
        lease.release();
    }

    @Test
    void javaLock_ofALockThatThisClientKeeps_isObtained() {
        lease(ask(ours, KEPT)).release();
        Lock strict = ours.lock("a").asJavaLock();
        assertTrue(strict.tryLock());
        strict.unlock();
    }

    @Test
    @SuppressWarnings("LockNotBeforeTry") // the unlocks are what is looked at
    void javaLock_ofALockThatIsKept_isEnteredAgainThroughItsView() {
        for (LockOptions options : List.of(KEPT, HANDED)) {
            Lock view = ours.lock("a", options).asJavaLock();
            view.lock();
            assertTrue(view.tryLock());
            assertEquals(1, ours.leaseCount());
            view.unlock();
            assertEquals(1, ours.leaseCount());
            assertTrue(ours.lock("a").isLocked());
            view.unlock();
            assertEquals(0, ours.leaseCount());
            assertThrows(IllegalMonitorStateException.class, view::unlock);
            time.advance(Duration.ofSeconds(10));
        }
    }

    /** Whoever locks again learns that the lease is over, and does not get another under the same roof. */
    @Test
    @SuppressWarnings("LockNotBeforeTry") // the unlocks are what is looked at
    void javaLock_ofALockThatIsKeptIsLost_refusesToBeEnteredAgain() {
        Lock view = ours.lock("a", KEPT).asJavaLock();
        view.lock();
        view.lock();
        other.admin().release("a", Admin.Waiters.HAND_OFF);
        assertThrows(LeaseLostException.class, view::lock);
        assertThrows(LeaseLostException.class, view::unlock);
        assertThrows(LeaseLostException.class, view::unlock);
        assertThrows(IllegalMonitorStateException.class, view::unlock);
    }
}
