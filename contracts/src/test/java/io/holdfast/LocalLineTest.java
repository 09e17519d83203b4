package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.testkit.LeaseControl;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Holds that several leases of one client share: handed on among its threads, or kept. In virtual time. */
final class LocalLineTest {
    private static final LockOptions HANDED =
            LockOptions.defaults().withLocalHandoff(3, Duration.ofMillis(50)).withWaitLimit(Wait.forever());
    private static final LockOptions KEPT = LockOptions.defaults().withKeepFor(Duration.ofSeconds(5));
    private static final Duration MICRO = Duration.ofNanos(2_000);

    private final VirtualTime time = new VirtualTime();
    private final LeaseControl control = LeaseControl.start(time);
    private final MemoryServer server = control.server();
    private final Holdfast ours = control.client();
    private final Holdfast other = control.client();

    @AfterEach
    void close() {
        control.close();
    }

    private static Lease lease(CompletableFuture<Lease> future) {
        assertTrue(future.isDone(), "still waits");
        Lease lease = future.join();
        assertTrue(lease.isValid());
        return lease;
    }

    private CompletableFuture<Lease> ask(Holdfast client, LockOptions options) {
        return client.lock("a", options).acquireAsync(Wait.forever());
    }

    // ---- handed on

    @Test
    void release_othersOfThisClientWait_handsOnWithoutTheServerInOrderWithRisingTokens() {
        Lease first = lease(ask(ours, HANDED));
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            waiting.add(ask(ours, HANDED));
        }
        assertEquals(3, ours.waiting());
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
        assertEquals(0, ours.holding() + ours.waiting());
    }

    /** The bound is the promise to those of other clients: as often, or as long, as the options say, and no more. */
    @Test
    void release_asOftenAsAllowed_goesToTheOtherClientNext() {
        Lease lease = lease(ask(ours, HANDED));
        CompletableFuture<Lease> theirs = ask(other, LockOptions.defaults());
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(ask(ours, HANDED));
        }
        for (int i = 0; i < 3; i++) {
            time.advance(MICRO);
            lease.release();
            lease = lease(waiting.get(i));
            assertFalse(theirs.isDone());
        }
        long token = lease.token();
        time.advance(MICRO);
        lease.release();
        Lease next = lease(theirs);
        assertTrue(next.token() > token);
        assertFalse(waiting.get(3).isDone());
        next.release();
        assertTrue(lease(waiting.get(3)).token() > next.token());
    }

    @Test
    void release_asLongAsAllowed_goesToTheOtherClientNext() {
        Lease lease = lease(ask(ours, HANDED));
        CompletableFuture<Lease> theirs = ask(other, LockOptions.defaults());
        CompletableFuture<Lease> mine = ask(ours, HANDED);
        time.advance(Duration.ofMillis(50));
        lease.release();
        assertFalse(mine.isDone());
        lease(theirs).release();
        lease(mine).release();
    }

    @Test
    void lost_holdIsGone_isToldToTheLeaseAndTheNextAsksTheServer() {
        Lease lease = lease(ask(ours, HANDED));
        CompletableFuture<Lease> next = ask(ours, HANDED);
        CompletableFuture<LossReason> told = lease.lost().toCompletableFuture();
        long token = lease.token();
        server.command("DEL", ours.lock("a").key());
        time.advance(LockOptions.defaults().term().dividedBy(2));
        assertEquals(LossReason.GONE, told.join());
        assertFalse(lease.isValid());
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        assertTrue(lease(next).token() > token);
    }

    @Test
    void attempt_whileAnotherThreadHolds_timesOutAndKnowsTheHolder() {
        Lease lease = lease(ask(ours, HANDED));
        CompletableFuture<Attempt> attempt = ours.lock("a", HANDED).attemptAsync(Wait.upTo(Duration.ofMillis(100)));
        time.advance(Duration.ofMillis(100));
        Attempt.TimedOut out = assertInstanceOf(Attempt.TimedOut.class, attempt.join());
        Holder holder = out.contention().holder().orElseThrow();
        assertEquals(ours.options().application(), holder.application());
        assertEquals(Long.toString(ProcessHandle.current().pid()), holder.pid());
        assertFalse(holder.host().isEmpty());
        assertInstanceOf(
                Attempt.Taken.class,
                ours.lock("a", HANDED).attemptAsync(Wait.none()).join());
        lease.release();
    }

    @Test
    void attempt_theServerIsAway_isUnknown() {
        Lease lease = lease(ask(other, LockOptions.defaults()));
        CompletableFuture<Attempt> attempt = ours.lock("a", HANDED).attemptAsync(Wait.upTo(Duration.ofMillis(100)));
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
        assertEquals(0, ours.waiting());
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
                LossReason.CLIENT_CLOSED, lease.lost().toCompletableFuture().join());
        assertTrue(next.isCompletedExceptionally());
        lease(ask(other, LockOptions.defaults())).release();
    }

    @Test
    void evict_waitersOfTheClient_areAllTold() {
        Lease lease = lease(ask(other, LockOptions.defaults()));
        CompletableFuture<Attempt> first = ours.lock("a", HANDED).attemptAsync(Wait.forever());
        CompletableFuture<Attempt> second = ours.lock("a", HANDED).attemptAsync(Wait.forever());
        control.evict("a");
        assertInstanceOf(Attempt.Evicted.class, first.join());
        assertInstanceOf(Attempt.Evicted.class, second.join());
        lease.release();
    }

    @Test
    void options_thatDoNotGoTogether_areRefused() {
        assertThrows(
                IllegalArgumentException.class,
                () -> ours.lock("a", HANDED.withOwnConflict(LockOptions.OwnConflict.REENTER)));
        assertThrows(
                IllegalArgumentException.class, () -> ours.lock("a", KEPT.withShortestHold(Duration.ofSeconds(1))));
        Lease lease = lease(ask(ours, HANDED));
        assertThrows(UnsupportedOperationException.class, lease::ticket);
        lease.release();
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
        time.advance(LockOptions.defaults().term().plusSeconds(3));
        assertFalse(lease.isValid());
        assertTrue(lease(next).token() > token);
        next.join().release();
    }

    /** It was granted for one actor, and another has its lease now: it belongs to neither. */
    @Test
    void reenter_actorForWhomTheHoldWasAskedFor_waitsForTheLeaseOfAnother() {
        lease(ours.lock("a", KEPT).as("one").acquireAsync(Wait.forever())).release();
        time.advance(MICRO);
        Lease second = lease(ours.lock("a", KEPT).as("two").acquireAsync(Wait.forever()));
        CompletableFuture<Lease> again = ours.lock(
                        "a", LockOptions.defaults().withOwnConflict(LockOptions.OwnConflict.REENTER))
                .as("one")
                .acquireAsync(Wait.forever());
        assertFalse(again.isDone());
        second.release();
        lease(again).release();
    }

    /** The renewal of the hold ended with the first lease's time; the second has a time of its own. */
    @Test
    void longestHold_firstLeaseOverstaysIt_nextIsRenewed() {
        LockOptions longest = HANDED.withTerm(Duration.ofSeconds(3))
                .withLocalHandoff(3, Duration.ofSeconds(30))
                .withLongestHold(Duration.ofSeconds(2));
        Lease first = lease(ask(ours, longest));
        CompletableFuture<Lease> next = ask(ours, longest);
        time.advance(Duration.ofSeconds(4));
        first.release();
        Lease second = lease(next);
        time.advance(Duration.ofMillis(1_500));
        assertTrue(second.isValid());
        second.release();
    }

    /** A lease that is not renewed is good for its term. */
    @Test
    void notRenewed_askedForWhileItIsKept_hasAWholeTerm() {
        LockOptions once = KEPT.withTerm(Duration.ofSeconds(3)).withRenewed(false);
        lease(ask(ours, once)).release();
        time.advance(Duration.ofSeconds(2));
        Lease second = lease(ask(ours, once));
        assertTrue(second.remaining().compareTo(Duration.ofMillis(2_900)) > 0, () -> "" + second.remaining());
        second.release();
    }

    @Test
    void notRenewed_handedOn_hasAWholeTerm() {
        LockOptions once = HANDED.withTerm(Duration.ofSeconds(3))
                .withLocalHandoff(3, Duration.ofSeconds(30))
                .withRenewed(false);
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

    // ---- kept

    @Test
    void release_nobodyWaits_keepsTheLockAndGrantsItAgainWithoutTheServer() {
        Lease first = lease(ask(ours, KEPT));
        long token = first.token();
        assertEquals(ReleaseResult.KEPT, first.release());
        assertFalse(first.isValid());
        assertEquals(0, ours.holding());
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
        assertInstanceOf(
                Attempt.Taken.class, other.lock("a").attemptAsync(Wait.none()).join());
        assertInstanceOf(
                Attempt.Obtained.class,
                other.lock("a").attemptAsync(Wait.none()).join());
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

    /** Told what happens at once, and that it has released whatever it releases. */
    private Holdfast clientOver(FakeDriver driver) {
        driver.answer("release", call -> driver.released("RELEASED"));
        return Holdfast.over(driver, HoldfastOptions.defaults().withExecutor(Runnable::run), time.environment(1));
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
                ask(client, KEPT.withTerm(Duration.ofSeconds(1)).withLeastRemaining(Duration.ofMillis(500)));
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
        for (int i = 0; i < LocalLines.tokens(KEPT); i++) {
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

    // ---- recalled without a message

    /** A client whose commands are answered, and whose messages are swallowed. */
    private Holdfast deafClient() {
        ForwardingDriver deaf = new ForwardingDriver(server.driver()) {
            @Override
            public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
                return super.subscribe(channel, text -> {});
            }
        };
        return Holdfast.over(deaf, HoldfastOptions.defaults().withExecutor(Runnable::run), time.environment(2));
    }

    private static final LockOptions KEPT_LONG = KEPT.withKeepFor(Duration.ofHours(1));
    private static final Duration THIRD = KEPT.term().dividedBy(3).plus(Duration.ofMillis(100));

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
        assertInstanceOf(
                Attempt.Taken.class, other.lock("a").attemptAsync(Wait.none()).join());
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
                <= HANDED.term().toMillis());
        next.join().release();
    }

    /** Whether the server has heard of it nobody knows. */
    @Test
    void release_afterAnExtensionThatWasNotAnswered_isNotKept() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> future = ask(client, KEPT);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        CompletableFuture<Boolean> extension = lease(future).hold.extend(Duration.ofHours(10));
        driver.next("confirm").fail();
        assertTrue(extension.isCompletedExceptionally());
        assertEquals(ReleaseResult.RELEASED, lease(future).release());
        CompletableFuture<Lease> second = ask(client, KEPT);
        driver.next("acquire").answer(driver.grantedToKeep(200));
        lease(second).hold.extend(Duration.ofHours(10));
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
        lease.extend(KEPT.term().dividedBy(2));
        assertEquals(ReleaseResult.KEPT, lease.release());
        time.advance(MICRO);
        lease = lease(ask(ours, KEPT));
        lease.extend(KEPT.term().plusSeconds(5));
        time.advance(Duration.ofSeconds(6));
        assertEquals(ReleaseResult.KEPT, lease.release());
    }

    @Test
    void extend_afterTheRelease_doesNothing() {
        Lease lease = lease(ask(ours, KEPT));
        assertEquals(ReleaseResult.KEPT, lease.release());
        assertFalse(lease.hold.extend(Duration.ofHours(10)).join());
        assertTrue(server.command("PTTL", ours.lock("a").key()).asLong()
                <= KEPT.term().toMillis());
    }

    // ---- released by name

    @Test
    void revoke_whileItIsKept_isNotLentAgain() {
        lease(ask(ours, KEPT)).release();
        other.admin().release("a", Admin.Waiters.HAND_OFF);
        Lease theirs = lease(ask(other, LockOptions.defaults()));
        time.advance(MICRO);
        assertInstanceOf(
                Attempt.Taken.class,
                ours.lock("a", KEPT).attemptAsync(Wait.none()).join());
        theirs.release();
    }

    @Test
    void revoke_whileALeaseIsOut_isLostAtOnce() {
        for (LockOptions options : List.of(KEPT, HANDED, LockOptions.defaults())) {
            Lease lease = lease(ask(ours, options));
            CompletableFuture<LossReason> lost = lease.lost().toCompletableFuture();
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
        driver.message("V " + asked.publicOwner() + " 100 hf:{a}");
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
        driver.message("V " + asked.publicOwner() + " 100 hf:{a}");
        driver.message("V somebody.0-1 200 hf:{a}");
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
        assertInstanceOf(
                Attempt.Taken.class,
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
                admin.release("a", own + LocalLines.tokens(KEPT), Admin.Waiters.HAND_OFF)
                        .outcome());
        assertEquals(
                Revocation.Outcome.RELEASED,
                admin.release("a", token, Admin.Waiters.HAND_OFF).outcome());
        Lease theirs = lease(ask(other, LockOptions.defaults()));
        assertEquals(
                Revocation.Outcome.LEFT_ALONE,
                admin.release("a", token, Admin.Waiters.HAND_OFF).outcome());
        assertEquals(
                Revocation.Outcome.LEFT_ALONE,
                admin.release("a", theirs.token() + 1, Admin.Waiters.HAND_OFF).outcome());
        theirs.release();
    }

    // ---- beside requests that share nothing

    @Test
    void attempt_lockThatThisClientKeeps_isObtained() {
        for (LockOptions options :
                List.of(LockOptions.defaults(), KEPT.withKeepFor(Duration.ofSeconds(7)), HANDED, KEPT)) {
            Lease kept = lease(ask(ours, KEPT));
            long token = kept.token();
            assertEquals(ReleaseResult.KEPT, kept.release());
            Attempt attempt = ours.lock("a", options).attemptAsync(Wait.none()).join();
            Lease lease = attempt.lease().orElseThrow(() -> new AssertionError(attempt + " with " + options));
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

    /** The server had to be given the script of the release first, and so was asked for the lock before it. */
    @Test
    void attempt_givenBackOnlyAfterItAsked_asksOnceMore() {
        FakeDriver driver = new FakeDriver(time);
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> kept = ask(client, KEPT);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        driver.stopAnswering("release");
        assertEquals(ReleaseResult.KEPT, lease(kept).release());
        CompletableFuture<Attempt> attempt = client.lock("a").attemptAsync(Wait.none());
        driver.next("acquire").answer(driver.taken(Duration.ofSeconds(20)));
        assertFalse(attempt.isDone());
        driver.next("release").answer(driver.released("RELEASED"));
        driver.next("acquire").answer(driver.taken(Duration.ofSeconds(20))); // somebody else was faster
        assertInstanceOf(Attempt.Taken.class, attempt.join());
        driver.answer("release", call -> driver.released("RELEASED"));
        client.close();
    }

    /** Nobody's turn is taken away: only what nobody has goes back. */
    @Test
    void attempt_lockOfWhichThisClientHasALease_isTaken() {
        Lease lease = lease(ask(ours, KEPT));
        assertInstanceOf(
                Attempt.Taken.class, ours.lock("a").attemptAsync(Wait.none()).join());
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
            assertEquals(1, ours.holding());
            view.unlock();
            assertEquals(1, ours.holding());
            assertTrue(ours.lock("a").isLocked());
            view.unlock();
            assertEquals(0, ours.holding());
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
                .lost()
                .toCompletableFuture()
                .thenAccept(reason -> {
                    try {
                        CompletableFuture.supplyAsync(client::waiting).get(5, TimeUnit.SECONDS);
                    } catch (Exception e) {
                        found.add(e);
                    }
                });
        CompletableFuture<Attempt> second = client.lock("a", HANDED).attemptAsync(Wait.upTo(EngineFixture.VALIDITY));
        time.advance(EngineFixture.VALIDITY);
        assertInstanceOf(Attempt.TimedOut.class, second.join());
        assertTrue(told.isDone());
        assertEquals(List.of(), found);
        client.close();
    }
}
