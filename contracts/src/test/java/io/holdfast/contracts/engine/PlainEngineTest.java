package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Backoff;
import io.holdfast.Holdfast;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LossReason;
import io.holdfast.PlainLease;
import io.holdfast.PlainLock;
import io.holdfast.PlainOptions;
import io.holdfast.PlainOptions.Patience;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Plain locks over a server that answers what the test says, in virtual time. */
final class PlainEngineTest extends EngineFixture {
    private static final PlainOptions STEADY = PlainOptions.defaults().withBackoff(Backoff.fixed(millis(100)));

    @AfterEach
    @Override
    void close() {
        server.answer("plain_release", call -> word("GONE"));
        super.close();
    }

    private Reply reply(Object... values) {
        List<Reply> list = new ArrayList<>();
        for (Object value : values) {
            list.add(value instanceof Number number ? Reply.of(number.longValue()) : Reply.of(value.toString()));
        }
        return Reply.of(list);
    }

    private Reply extended(boolean held) {
        return reply(held ? 1 : 0);
    }

    private Reply plainGranted() {
        return reply("GRANTED", 0);
    }

    private Reply takenBy(String holder) {
        return reply("TAKEN", holder, 20_000);
    }

    private Reply word(String word) {
        return reply(word);
    }

    private Call nextAcquire() {
        return server.next("plain_acquire");
    }

    private PlainLease plainLease(PlainOptions options) {
        CompletableFuture<PlainLease> future = holdfast.plainLock("k", options).acquireAsync(Wait.none());
        nextAcquire().answer(plainGranted());
        return future.join();
    }

    /** The instants at which the key was asked for, since the beginning. */
    private List<Duration> asked() {
        return server.calls("plain_acquire").stream().map(Call::sent).toList();
    }

    @Test
    void remaining_answerTookLong_isCountedFromBeforeTheRequestLeft() {
        CompletableFuture<PlainLease> future = holdfast.plainLock("k").acquireAsync();
        time.advance(millis(700));
        nextAcquire().answer(plainGranted());
        assertEquals(VALIDITY.minusMillis(700), future.join().remaining());
    }

    @Test
    void attempt_waitUntilStuck_isRefusedWithWhatToUseInstead() {
        PlainLock lock = holdfast.plainLock("k");
        IllegalArgumentException told =
                assertThrows(IllegalArgumentException.class, () -> lock.attemptAsync(Wait.untilStuck(seconds(1))));
        assertTrue(String.valueOf(told.getMessage()).contains("withPatience"), told.getMessage());
        assertEquals(List.of(), server.open());
    }

    @Test
    void acquire_answerComesAfterTheWholeTerm_isNeverHandedOut() {
        CompletableFuture<Attempt<PlainLease>> future =
                holdfast.plainLock("k", STEADY.withLeaseDuration(millis(500))).attemptAsync(Wait.none());
        for (int i = 0; i < 4; i++) {
            time.advance(millis(500));
            Call acquire = nextAcquire();
            assertEquals(i == 0 ? "0" : "1", acquire.arg(3), "it may find its own value");
            acquire.answer(plainGranted());
        }
        assertInstanceOf(Attempt.Unknown.class, future.join());
        assertEquals(
                server.calls("plain_acquire").get(0).arg(1),
                server.next("plain_release").arg(1));
    }

    @Test
    void leastRemaining_answerTookTooLong_isArmedAnewBeforeItIsHandedOut() {
        PlainOptions demanding = STEADY.withLeaseDuration(seconds(3)).withMinRemaining(millis(1_968));
        CompletableFuture<PlainLease> future =
                holdfast.plainLock("k", demanding).acquireAsync(Wait.none());
        time.advance(seconds(1));
        nextAcquire().answer(plainGranted());
        assertFalse(future.isDone(), "3 s less 1 %, 2 ms and the second that it took is not more than the least");
        Call again = nextAcquire();
        assertEquals("1", again.arg(3));
        again.answer(plainGranted());
        assertEquals(millis(2_968), future.join().remaining());
        assertEquals(1, future.join().attempts());
    }

    @Test
    void lost_renewalNeverReturns_comesExactlyAtTheDeadline() {
        PlainLease lease = plainLease(STEADY);
        AtomicReference<LossReason> lost = new AtomicReference<>();
        lease.whenLost().thenAccept(lost::set);
        time.advance(VALIDITY.minusNanos(1));
        assertTrue(lease.isValid());
        assertEquals(null, lost.get());
        assertTrue(server.count("plain_extend") > 1, "again and again");
        time.advance(Duration.ofNanos(1));
        assertEquals(LossReason.EXPIRED, lost.get());
        assertFalse(lease.isValid());
        server.calls("plain_extend").forEach(call -> call.answer(extended(true)));
        assertFalse(lease.isValid(), "a late answer revives nothing");
        assertEquals(lease.value(), server.next("plain_release").arg(1));
    }

    @Test
    void renew_held_isAtAThirdOfTheTermAndMovesTheDeadline() {
        PlainLease lease = plainLease(STEADY);
        // Renewals that are due within a tenth of a second share a call.
        time.advance(TERM.dividedBy(3).minusMillis(100));
        assertEquals(0, server.count("plain_extend"));
        time.advance(millis(100));
        Call renewal = server.next("plain_extend");
        assertEquals("30000", renewal.arg(2));
        renewal.answer(extended(true));
        assertTrue(lease.remaining().compareTo(VALIDITY.minusMillis(100)) >= 0);
        assertTrue(lease.remaining().compareTo(VALIDITY) <= 0);
        time.advance(TERM.dividedBy(3));
        server.next("plain_extend").answer(extended(false));
        assertFalse(lease.isValid());
        assertEquals(
                LossReason.NOT_ON_SERVER, lease.whenLost().toCompletableFuture().join());
    }

    @Test
    void renew_reconnected_isAtOnceAndOnce() {
        PlainLease lease = plainLease(STEADY);
        for (int i = 0; i < 3; i++) {
            server.disconnect();
            server.restore();
        }
        assertEquals(3, server.count("plain_extend"), "once each");
        assertTrue(lease.isValid());
        server.answer("plain_extend", call -> extended(true));
        int before = server.count("plain_extend");
        time.advance(TERM);
        assertTrue(server.count("plain_extend") - before <= 3, "one chain of renewals is left");
    }

    @Test
    void acquire_taken_isAskedAgainByTheBackoffAndALastTimeAtTheEnd() {
        CompletableFuture<Attempt<PlainLease>> future =
                holdfast.plainLock("k", STEADY).attemptAsync(Wait.upTo(millis(250)));
        server.answer("plain_acquire", call -> takenBy("other"));
        time.advance(seconds(5));
        assertEquals(List.of(millis(0), millis(100), millis(200), millis(250)), asked());
        assertNotObtained(Reason.TIMED_OUT, future.join());
        assertEquals(0, server.count("plain_release"), "nothing to take back: each was answered");
    }

    @Test
    void acquire_outcomeUnknown_isRepeatedWithTheSameValueAndSaysSo() {
        CompletableFuture<PlainLease> future = holdfast.plainLock("k", STEADY).acquireAsync();
        Call first = nextAcquire();
        assertEquals("0", first.arg(3));
        first.fail();
        time.advance(millis(100));
        Call second = nextAcquire();
        assertEquals(first.arg(1), second.arg(1));
        assertEquals("1", second.arg(3));
        second.answer(plainGranted());
        assertEquals(VALIDITY, future.join().remaining(), "counted from the repeat");
    }

    @Test
    void takeBack_copyOfTheAcquireMayBeUnderWay_looksASecondTime() {
        CompletableFuture<Attempt<PlainLease>> future =
                holdfast.plainLock("k", STEADY).attemptAsync(Wait.none());
        nextAcquire().fail();
        assertInstanceOf(Attempt.Unknown.class, future.join());
        server.next("plain_release").fail();
        time.advance(millis(100));
        server.next("plain_release").answer(word("GONE"));
        time.advance(seconds(4));
        assertEquals(2, server.count("plain_release"));
        time.advance(seconds(1));
        server.next("plain_release").answer(word("RELEASED"));
        time.advance(seconds(60));
        assertEquals(3, server.count("plain_release"), "and no more");
    }

    @Test
    void acquire_timedOutWithACopyUnanswered_isTakenBack() {
        CompletableFuture<Attempt<PlainLease>> future =
                holdfast.plainLock("k", STEADY).attemptAsync(Wait.upTo(millis(100)));
        nextAcquire().fail();
        time.advance(millis(100));
        nextAcquire().answer(takenBy("other"));
        assertNotObtained(Reason.TIMED_OUT, future.join());
        server.next("plain_release");
    }

    @Test
    void acquire_withdrawnAndGrantedLater_isGivenBack() {
        CompletableFuture<PlainLease> future = holdfast.plainLock("k", STEADY).acquireAsync();
        future.cancel(false);
        server.next("plain_release").answer(word("GONE"));
        nextAcquire().answer(plainGranted());
        server.next("plain_release").answer(word("RELEASED"));
        time.advance(seconds(1));
        assertEquals(1, server.count("plain_acquire"));
    }

    @Test
    void acquire_withdrawnWhileItSleeps_asksNoMore() {
        CompletableFuture<PlainLease> future = holdfast.plainLock("k", STEADY).acquireAsync();
        nextAcquire().answer(takenBy("other"));
        future.cancel(false);
        time.advance(seconds(60));
        assertEquals(1, server.count("plain_acquire"));
        assertEquals(0, server.count("plain_release"));
    }

    @Test
    void patience_holderStuck_takesOverFromExactlyThatHolder() {
        CompletableFuture<PlainLease> future = holdfast.plainLock("k", STEADY.withPatience(Patience.THEN_TAKE_OVER))
                .acquireAsync(Wait.upTo(millis(250)));
        nextAcquire().answer(takenBy("first"));
        time.advance(millis(100));
        nextAcquire().answer(takenBy("second"));
        for (int at : new int[] {200, 300, 350}) {
            time.advance(millis(at).minus(time.elapsed()));
            Call again = nextAcquire();
            assertEquals("0", again.arg(4));
            again.answer(takenBy("second"));
        }
        Call takeOver = nextAcquire();
        assertEquals(List.of("1", "second"), List.of(takeOver.arg(4), takeOver.arg(5)));
        takeOver.answer(reply("GRANTED", 1));
        assertEquals("second", future.join().takenOverFrom().orElseThrow());
    }

    @Test
    void patience_holdersChangeForEver_neitherTakesOverNorGrowsAnything() {
        CompletableFuture<PlainLease> future = holdfast.plainLock("k", STEADY.withPatience(Patience.THEN_TAKE_OVER))
                .acquireAsync(Wait.upTo(millis(100)));
        int[] number = new int[1];
        server.answer("plain_acquire", call -> takenBy("holder-" + number[0]++));
        time.advance(seconds(2_000)); // twenty thousand changes, which recursion would not survive
        assertFalse(future.isDone());
        assertTrue(number[0] > 10_000);
        assertEquals(
                0,
                server.calls("plain_acquire").stream()
                        .filter(call -> call.arg(4).equals("1"))
                        .count());
        future.cancel(false);
    }

    @Test
    void events_fromTheFirstTryToTheEnd_areThoseOfEachLock() {
        List<LockEvent> told = new ArrayList<>();
        Holdfast listening = Holdfast.over(server, OPTIONS.withListener(told::add), time.environment(2));
        CompletableFuture<PlainLease> future = listening.plainLock("k", STEADY).acquireAsync(Wait.upTo(seconds(1)));
        nextAcquire().answer(takenBy("other"));
        time.advance(millis(100));
        nextAcquire().answer(plainGranted());
        PlainLease lease = future.join();
        time.advance(TERM.dividedBy(3));
        server.next("plain_extend").fail();
        time.runUntil("the next renewal", seconds(2), () -> server.count("plain_extend") == 2);
        server.next("plain_extend").answer(extended(true));
        CompletableFuture<Void> extension = lease.extendAsync(TERM);
        server.next("plain_extend").answer(extended(true));
        extension.join();
        var unused = lease.releaseAsync();
        server.next("plain_release").answer(word("RELEASED"));
        CompletableFuture<Attempt<PlainLease>> second =
                listening.plainLock("k", STEADY).attemptAsync(Wait.none());
        nextAcquire().answer(takenBy("secret"));
        Attempt<PlainLease> taken = second.join();
        assertTrue(taken.toString().contains("secret"), "the caller may know");
        CompletableFuture<PlainLease> third = listening.plainLock("k", STEADY).acquireAsync(Wait.none());
        nextAcquire().answer(plainGranted());
        third.join();
        time.advance(VALIDITY);
        List<String> steps = told.stream()
                .map(event -> event.getClass().getSimpleName())
                .distinct()
                .toList();
        assertEquals(
                List.of("Asked", "Obtained", "RenewalFailed", "Renewed", "Extended", "Released", "NotObtained", "Lost"),
                steps);
        assertEquals("k", told.get(0).lockName());
        assertTrue(
                told.stream().noneMatch(event -> event.toString().contains(lease.value())), "its value stays secret");
        assertTrue(told.stream().noneMatch(event -> event.toString().contains("secret")), "and so does another's");
        server.answer("plain_release", call -> word("GONE"));
        listening.close();
    }

    @Test
    void withoutExpiry_granted_isMadeToStayBeforeItIsHandedOut() {
        CompletableFuture<PlainLease> future =
                holdfast.plainLock("k", STEADY.withoutExpiry()).acquireAsync();
        Call acquire = nextAcquire();
        assertEquals("30000", acquire.arg(2), "a copy that comes late has a term");
        acquire.answer(plainGranted());
        assertFalse(future.isDone());
        Call stay = server.next("plain_extend");
        assertEquals("0", stay.arg(2));
        stay.answer(extended(true));
        assertTrue(future.join().isValid());
        time.advance(Duration.ofDays(3));
        assertTrue(future.join().isValid());
    }

    @Test
    void release_answered_itsValueIsFreeForTheNextRequest() {
        PlainLock lock = holdfast.plainLock("k", STEADY.withValues(() -> "mine"));
        CompletableFuture<PlainLease> first = lock.acquireAsync(Wait.none());
        nextAcquire().answer(plainGranted());
        CompletableFuture<PlainLease> second =
                first.join().releaseAsync().thenCompose(result -> lock.acquireAsync(Wait.none()));
        server.next("plain_release").answer(word("RELEASED"));
        nextAcquire().answer(plainGranted());
        assertTrue(second.join().isValid());
    }

    private static final class Job extends Thread {
        private final PlainLock lock;
        private @Nullable CompletableFuture<PlainLease> lease;

        Job(PlainLock lock) {
            this.lock = lock;
        }

        @Override
        public void run() {
            lease = lock.acquireAsync(Wait.none());
        }

        boolean hasAsked() {
            return lease != null;
        }
    }

    @Test
    void forgottenLease_heldByTheThreadThatAsked_isNotRenewedAnyMore() throws Exception {
        ask();
        for (int i = 0; i < 50 && server.count("plain_release") == 0; i++) {
            System.gc();
            server.answer("plain_extend", call -> extended(true));
            time.advance(TERM);
        }
        assertEquals(1, server.count("plain_release"));
    }

    /** Asks in a thread that keeps the lease, and that nothing refers to afterwards. */
    private void ask() throws InterruptedException {
        Job job = new Job(holdfast.plainLock("k", STEADY));
        job.start();
        job.join();
        assertTrue(job.hasAsked());
        nextAcquire().answer(plainGranted());
    }

    @Test
    void forgottenLease_unreachable_isNotRenewedAnyMore() {
        holdfast.plainLock("k", STEADY).acquireAsync(Wait.none());
        nextAcquire().answer(plainGranted());
        // What keeps a lease alive here would keep it alive in a program.
        for (int i = 0; i < 50 && server.count("plain_release") == 0; i++) {
            System.gc();
            server.answer("plain_extend", call -> extended(true));
            time.advance(TERM);
        }
        assertEquals(1, server.count("plain_release"));
    }

    @Test
    void close_serverDoesNotAnswer_returnsAfterTheCloseTimeoutAndTellsTheLoss() {
        PlainLease lease = plainLease(STEADY);
        holdfast.close();
        assertEquals(
                LossReason.CLIENT_CLOSED, lease.whenLost().toCompletableFuture().join());
        assertEquals(1, server.count("plain_release"));
        assertThrows(LeaseLostException.class, lease::requireValid);
    }
}
