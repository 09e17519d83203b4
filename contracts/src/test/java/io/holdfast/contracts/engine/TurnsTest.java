package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Turns: whom a client serves in its own line, and when others get the lock; in virtual time. */
final class TurnsTest extends LocalLineFixture {
    private static final Duration SECTION = Duration.ofMillis(10);
    private static final LockOptions LONG = HANDED.withLocalHandoffs(1_000, Duration.ofSeconds(1));
    private static final LockOptions STRICT = LockOptions.defaults();

    private final FakeDriver driver = new FakeDriver(time);

    private List<CompletableFuture<Lease>> line(Holdfast client, LockOptions options, int count) {
        List<CompletableFuture<Lease>> line = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            line.add(ask(client, options));
        }
        return line;
    }

    /** Ends the section of each but the last of those that are served from now on, in this order. */
    private Lease pass(Lease from, List<CompletableFuture<Lease>> served) {
        Lease present = from;
        for (CompletableFuture<Lease> next : served) {
            assertFalse(next.isDone(), "before its turn");
            long token = present.token();
            time.advance(MICRO);
            present.release();
            present = lease(next);
            assertTrue(present.token() > token);
        }
        return present;
    }

    private void release(Lease lease) {
        time.advance(MICRO);
        lease.release();
    }

    private String heldBy() {
        return ours.inspect().lock("a").holder().orElseThrow().owner();
    }

    // ---- open

    @Test
    void release_nobodyElseWaits_servesWhoeverComesWithoutAskingTheServer() {
        Lease present = serve(lease(ask(ours, HANDED)), 15);
        CompletableFuture<Lease> next = ask(ours, HANDED);
        release(present); // it was asked for when nobody stood behind, and so has few tokens
        serve(lease(next), 50).release();
        assertFalse(other.lock("a").isLocked());
    }

    /** So many more come, one after the other, and have the same hold. */
    private Lease serve(Lease first, int more) {
        String owner = first.owner();
        Lease present = first;
        for (int i = 0; i < more; i++) {
            CompletableFuture<Lease> next = ask(ours, HANDED);
            present = pass(present, List.of(next));
            assertEquals(owner, present.owner());
            assertEquals(owner, heldBy());
        }
        return present;
    }

    @Test
    void grant_byMessageThatNobodyElseWaits_servesWhoeverComes() {
        Lease theirs = lease(ask(other, STRICT));
        CompletableFuture<Lease> first = ask(ours, HANDED);
        theirs.release();
        Lease present = lease(first);
        String owner = present.owner();
        present = pass(present, line(ours, HANDED, 10));
        assertEquals(owner, present.owner());
        present.release();
    }

    // ---- closed

    @Test
    void recall_othersWait_servesThoseInLineThenNobodyAfterAndTheRestQueuesBehind() {
        Lease present = lease(ask(ours, HANDED));
        String owner = present.owner();
        List<CompletableFuture<Lease>> inLine = line(ours, HANDED, 2);
        CompletableFuture<Lease> theirs = ask(other, STRICT);
        List<CompletableFuture<Lease>> later = line(ours, HANDED, 2);
        present = pass(present, inLine);
        long token = present.token();
        release(present);
        assertFalse(later.get(0).isDone());
        Lease next = lease(theirs);
        assertTrue(next.token() > token);
        assertEquals(1, other.inspect().lock("a").waiters());
        next.release();
        present = lease(later.get(0));
        assertNotEquals(owner, present.owner());
        assertTrue(present.token() > next.token());
        pass(present, later.subList(1, 2)).release();
    }

    @Test
    void recall_moreStandInLineThanSectionsAreAllowed_servesSoMany() {
        Lease present = lease(ask(ours, HANDED));
        List<CompletableFuture<Lease>> inLine = line(ours, HANDED, 5);
        CompletableFuture<Lease> theirs = ask(other, STRICT);
        present = pass(present, inLine.subList(0, HANDED.localHandoffs()));
        release(present);
        lease(theirs).release();
        pass(lease(inLine.get(3)), inLine.subList(4, 5)).release();
    }

    @Test
    void recall_turnLastsLongerThanAllowed_endsWithTheSection() {
        Lease present = lease(ask(ours, HANDED));
        List<CompletableFuture<Lease>> inLine = line(ours, HANDED, 2);
        CompletableFuture<Lease> theirs = ask(other, STRICT);
        time.advance(HANDED.localHandoffTime().minus(SECTION));
        present = pass(present, inLine.subList(0, 1));
        time.advance(SECTION);
        release(present);
        lease(theirs).release();
        lease(inLine.get(1)).release();
    }

    /** A second recall takes in nobody who came since, and neither does the answer to a renewal. */
    @Test
    void recall_again_takesInNobodyWhoCameSince() {
        Lease present = lease(ask(ours, HANDED));
        List<CompletableFuture<Lease>> inLine = line(ours, HANDED, 1);
        CompletableFuture<Lease> theirs = ask(other, STRICT);
        List<CompletableFuture<Lease>> later = line(ours, HANDED, 2);
        CompletableFuture<Lease> third = ask(control.client(), STRICT);
        present = pass(present, inLine);
        release(present);
        lease(theirs).release();
        lease(third).release();
        pass(lease(later.get(0)), later.subList(1, 2)).release();
    }

    @Test
    void grant_othersWaitAlready_servesThoseInLineThen() {
        Lease before = lease(ask(other, STRICT));
        List<CompletableFuture<Lease>> inLine = line(ours, HANDED, 2);
        CompletableFuture<Lease> theirs = ask(control.client(), STRICT);
        before.release();
        Lease present = lease(inLine.get(0));
        CompletableFuture<Lease> later = ask(ours, HANDED);
        present = pass(present, inLine.subList(1, 2));
        release(present);
        assertFalse(later.isDone());
        lease(theirs).release();
        lease(later).release();
    }

    /** The section of the grant itself is one of those that are allowed. */
    @Test
    void grant_othersWaitAndMoreStandInLineThanAllowed_servesSoManyInAll() {
        Lease before = lease(ask(other, STRICT));
        List<CompletableFuture<Lease>> inLine = line(ours, HANDED, 5);
        CompletableFuture<Lease> theirs = ask(control.client(), STRICT);
        before.release();
        Lease present = pass(lease(inLine.get(0)), inLine.subList(1, HANDED.localHandoffs()));
        release(present);
        lease(theirs).release();
        pass(lease(inLine.get(3)), inLine.subList(4, 5)).release();
    }

    @Test
    void recall_comesBeforeTheReplyOfItsGrant_closesTheTurnAtItsStart() {
        Holdfast client = clientOver(driver);
        List<CompletableFuture<Lease>> inLine = line(client, HANDED, 2);
        FakeDriver.Call asked = driver.next("acquire");
        driver.message("R 100 hf:{a}");
        asked.answer(driver.grantedToKeep(100));
        CompletableFuture<Lease> later = ask(client, HANDED);
        release(pass(lease(inLine.get(0)), inLine.subList(1, 2)));
        assertFalse(later.isDone());
        FakeDriver.Call anew = driver.next("acquire");
        assertNotEquals(asked.owner(), anew.owner());
        assertEquals(asked.owner(), driver.calls("release").get(0).owner());
        client.close();
    }

    @Test
    void cancel_oneOfTheClosedPart_takesThePlaceAlong() {
        Lease present = lease(ask(ours, HANDED));
        List<CompletableFuture<Lease>> inLine = line(ours, HANDED, 2);
        CompletableFuture<Lease> theirs = ask(other, STRICT);
        CompletableFuture<Lease> later = ask(ours, HANDED);
        inLine.get(1).cancel(false);
        present = pass(present, inLine.subList(0, 1));
        release(present);
        assertFalse(later.isDone());
        lease(theirs).release();
        lease(later).release();
    }

    /** Who was not to be served takes nobody's place along. */
    @Test
    void cancel_oneBehindTheClosedPart_leavesTheOthersTheirs() {
        Lease present = lease(ask(ours, HANDED));
        List<CompletableFuture<Lease>> inLine = line(ours, HANDED, 2);
        CompletableFuture<Lease> theirs = ask(other, STRICT);
        ask(ours, HANDED).cancel(false);
        present = pass(present, inLine);
        release(present);
        lease(theirs).release();
    }

    /** Whoever asks with other options stands in another line, and in the server's queue. */
    @Test
    void recall_byTheSameClientWithOtherOptions_isByAnother() {
        LockOptions others = HANDED.withPriority(1);
        Lease present = lease(ask(ours, HANDED));
        CompletableFuture<Lease> theirs = ask(ours, others);
        CompletableFuture<Lease> later = ask(ours, HANDED);
        release(present);
        assertFalse(later.isDone());
        lease(theirs).release();
        lease(later).release();
    }

    // ---- a limited life beside turns

    /** Of a client with the lock, those that came after the turn was closed are not in the server's queue until it ends. */
    @Test
    void requestLife_over_goesBehindTheServersQueueAndNotBehindThoseWhoseClientHasItsTurn() {
        Duration life = Duration.ofMillis(200);
        LockOptions shortLived = STRICT.withRequestLife(life, LockOptions.RequestEnd.TO_TAIL);
        for (Holdfast asking : List.of(ours, other)) {
            Lease present = lease(ask(ours, HANDED));
            CompletableFuture<Lease> outlived = ask(asking, shortLived);
            CompletableFuture<Lease> inLine = ask(ours, HANDED);
            CompletableFuture<Lease> inQueue = ask(other, STRICT);
            time.advance(life.multipliedBy(2));
            release(present);
            assertFalse(outlived.isDone() || inLine.isDone());
            release(lease(inQueue));
            assertFalse(inLine.isDone());
            release(lease(outlived));
            release(lease(inLine));
        }
    }

    // ---- questions

    /** Sections one after the other, somebody always in line, until it is not served at once. */
    private Deque<CompletableFuture<Lease>> work(Holdfast client, Lease first, Duration until) {
        Deque<CompletableFuture<Lease>> line = new ArrayDeque<>();
        line.add(CompletableFuture.completedFuture(first));
        Duration end = time.elapsed().plus(until);
        while (line.element().isDone() && time.elapsed().compareTo(end) < 0) {
            line.add(ask(client, LONG));
            time.advance(SECTION);
            line.remove().join().release();
        }
        return line;
    }

    @Test
    void question_othersAreOvertaken_isAskedOnceAnIntervalInTheCallThatRenews() {
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> first = ask(client, LONG);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        driver.answer("renew", driver::renewed);
        Deque<CompletableFuture<Lease>> line = work(client, lease(first), Duration.ofSeconds(2));
        assertTrue(line.element().isDone(), "the turn has ended though nobody else waits");
        List<FakeDriver.Call> asked = driver.calls("renew");
        assertTrue(asked.size() >= 17 && asked.size() <= 20, asked::toString);
        assertEquals(Duration.ofMillis(100), asked.get(0).sent());
        client.close();
    }

    @Test
    void question_nobodyIsOvertaken_isNotAsked() {
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> first = ask(client, LONG);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        time.advance(Duration.ofSeconds(5));
        release(lease(first));
        assertEquals(0, driver.count("renew"));
        client.close();
    }

    /** The interval counts from when the answered question left, not from its answer. */
    @Test
    void question_answerIsSlow_isAskedAnewAnIntervalAfterTheAnsweredOneLeft() {
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> first = ask(client, LONG);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        Deque<CompletableFuture<Lease>> line = work(client, lease(first), Duration.ofMillis(170));
        FakeDriver.Call slow = driver.next("renew");
        assertEquals(Duration.ofMillis(100), slow.sent());
        slow.answer(driver.renewed(1));
        work(client, line.remove().join(), Duration.ofMillis(50));
        assertEquals(Duration.ofMillis(200), driver.next("renew").sent());
        client.close();
    }

    @Test
    void question_othersWait_closesTheTurn() {
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> first = ask(client, LONG);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        Deque<CompletableFuture<Lease>> line = work(client, lease(first), Duration.ofMillis(110));
        driver.next("renew").answer(driver.renewed(2));
        CompletableFuture<Lease> later = ask(client, LONG);
        release(line.element().join());
        assertFalse(later.isDone());
        assertEquals(1, driver.count("release"));
        client.close();
    }

    /** From two intervals after the last question that was answered, those who join are not served. */
    @Test
    void question_isNotAnswered_countsAsOthersThatWait() {
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> first = ask(client, LONG);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        Lease present = lease(first);
        time.advance(Duration.ofMillis(150));
        CompletableFuture<Lease> inLine = ask(client, LONG);
        driver.next("renew");
        time.advance(Duration.ofMillis(60));
        CompletableFuture<Lease> later = ask(client, LONG);
        present = pass(present, List.of(inLine));
        release(present);
        assertFalse(later.isDone());
        assertEquals(1, driver.count("release"));
        driver.next("acquire");
        client.close();
    }

    /** Nobody came who would have made the client ask: what it knew then is as old as if it had not been answered. */
    @Test
    void question_sectionIsLongerThanTwoIntervals_goesBackToTheServer() {
        Lease present = lease(ask(ours, HANDED));
        String owner = present.owner();
        time.advance(Duration.ofMillis(300));
        CompletableFuture<Lease> next = ask(ours, HANDED);
        release(present);
        assertNotEquals(owner, lease(next).owner());
        next.join().release();
    }

    @Test
    void recall_isLost_costsOthersAnInterval() {
        Holdfast deaf = deafClient();
        Lease first = lease(ask(deaf, LONG));
        Deque<CompletableFuture<Lease>> line = work(deaf, first, Duration.ofMillis(500));
        Duration since = time.elapsed();
        CompletableFuture<Lease> theirs = ask(other, STRICT);
        line.addAll(work(deaf, line.remove().join(), Duration.ofSeconds(5)));
        Duration waited = time.elapsed().minus(since);
        lease(theirs).release();
        assertTrue(waited.compareTo(Duration.ofMillis(100).plus(SECTION.multipliedBy(2))) <= 0, waited::toString);
        deaf.close();
    }

    /** A turn asks, and needs no messages; only what is kept for nobody does. */
    @Test
    void messagesDown_nobodyElseWaits_theTurnGoesOn() {
        Holdfast client = clientOver(driver);
        CompletableFuture<Lease> first = ask(client, LONG);
        driver.next("acquire").answer(driver.grantedToKeep(100));
        driver.messages(false);
        pass(lease(first), line(client, LONG, 3)).release();
        assertEquals(1, driver.count("acquire"));
        client.close();
    }

    // ---- beside other options

    @Test
    void keepFor_withTurns_keepsWhileNobodyWaitsAndServesTheClosedLine() {
        LockOptions both = HANDED.withKeepFor(KEPT.keepFor());
        lease(ask(ours, both)).release();
        Lease present = lease(ask(ours, both));
        String owner = present.owner();
        time.advance(Duration.ofSeconds(3));
        List<CompletableFuture<Lease>> inLine = line(ours, both, 2);
        CompletableFuture<Lease> theirs = ask(other, STRICT);
        CompletableFuture<Lease> later = ask(ours, both);
        present = pass(present, inLine);
        assertEquals(owner, present.owner());
        release(present);
        lease(theirs).release();
        lease(later).release();
    }

    @Test
    void strictOrder_afterTurns_asksTheServerForEach() {
        LockOptions strict = HANDED.withStrictOrder();
        Lease present = lease(ask(ours, strict));
        CompletableFuture<Lease> next = ask(ours, strict);
        assertEquals(1, other.inspect().lock("a").waiters());
        String owner = present.owner();
        present.release();
        assertNotEquals(owner, lease(next).owner());
        next.join().release();
    }

    @Test
    void acquire_untilStuck_standsInTheServersQueueItself() {
        Lease present = lease(ask(ours, HANDED));
        CompletableFuture<Lease> inLine = ask(ours, HANDED);
        CompletableFuture<Lease> alone = ours.lock("a", HANDED).acquireAsync(Wait.untilStuck(Duration.ofMinutes(5)));
        assertEquals(1, other.inspect().lock("a").waiters());
        release(pass(present, List.of(inLine)));
        lease(alone).release();
    }
}
