package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DeadlockException;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.OnDeadlock;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.Wait;
import io.holdfast.WaitCycle;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that wait for each other: who is told, and who is ended. In virtual time; the actors are named, since no thread may block. */
final class DeadlockEngineTest {
    private static final Duration AFTER = Duration.ofSeconds(2);
    /** Long enough for pictures to be compared. */
    private static final Duration FOUND = AFTER.multipliedBy(3);

    private static final LockOptions STRICT =
            LockOptions.defaults().withStrictOrder().withWaitLimit(Wait.forever());
    private static final LockOptions TURNS = LockOptions.defaults().withWaitLimit(Wait.forever());
    private static final LockOptions BREAK = STRICT.withDeadlock(OnDeadlock.BREAK);

    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);
    private final List<LockEvent> events = new ArrayList<>();
    private final HoldfastOptions options =
            HoldfastOptions.defaults().withDeadlockDetection(AFTER).withListener(events::add);
    private final Holdfast one = server.client(options);
    private final Holdfast two = server.client(options);
    private final Holdfast three = server.client(options);
    /** Referred to, or they would not be renewed. */
    private final List<Lease> leases = new ArrayList<>();

    @AfterEach
    void close() {
        one.close();
        two.close();
        three.close();
        server.close();
    }

    private Lease holds(DistributedLock lock, String actor) {
        CompletableFuture<Lease> asked = lock.withActor(actor).acquireAsync(Wait.none());
        assertTrue(asked.isDone(), "it is taken: " + lock);
        leases.add(asked.join());
        return asked.join();
    }

    private CompletableFuture<Attempt<Lease>> waits(DistributedLock lock, String actor) {
        time.advance(Duration.ofMillis(1)); // none is queued at the same moment as another
        CompletableFuture<Attempt<Lease>> asked = lock.withActor(actor).attemptAsync(Wait.forever());
        assertFalse(asked.isDone(), "it does not wait: " + lock);
        return asked;
    }

    private static <T> T now(CompletableFuture<T> asked) {
        assertTrue(asked.isDone(), "it still waits");
        return asked.join();
    }

    private static Attempt.NotObtained<Lease> ended(CompletableFuture<Attempt<Lease>> asked) {
        return assertNotObtained(Reason.DEADLOCK, now(asked));
    }

    private Lease obtained(CompletableFuture<Attempt<Lease>> asked) {
        Lease lease = now(asked).orElseThrow();
        leases.add(lease);
        return lease;
    }

    /** Who waited for what, in the order of the events. */
    private List<String> told() {
        return events.stream()
                .filter(LockEvent.Deadlock.class::isInstance)
                .map(LockEvent.Deadlock.class::cast)
                .map(event -> words(event.cycle()))
                .sorted()
                .toList();
    }

    private static String words(WaitCycle cycle) {
        StringBuilder words = new StringBuilder();
        cycle.links()
                .forEach(link -> words.append(link.actor())
                        .append(link.held() ? "->" : "-)")
                        .append(link.lockName())
                        .append(' '));
        return words.toString().trim();
    }

    /** Two clients, each of which has what the other one wants. */
    private List<CompletableFuture<Attempt<Lease>>> cross(LockOptions first, LockOptions second) {
        holds(one.lock("a", first), "x");
        holds(two.lock("b", second), "y");
        List<CompletableFuture<Attempt<Lease>>> asked = new ArrayList<>();
        asked.add(waits(one.lock("b", first), "x"));
        asked.add(waits(two.lock("a", second), "y"));
        return asked;
    }

    @Test
    void twoThatWaitForEachOther_areTold_andWaitOn() {
        List<CompletableFuture<Attempt<Lease>>> asked = cross(STRICT, STRICT);
        time.advance(FOUND);
        assertEquals(List.of("x->b y->a", "y->a x->b"), told());
        time.advance(FOUND); // once each
        assertEquals(2, told().size());
        asked.forEach(each -> assertFalse(each.isDone()));
        WaitCycle cycle = ((LockEvent.Deadlock) events.stream()
                        .filter(LockEvent.Deadlock.class::isInstance)
                        .findFirst()
                        .orElseThrow())
                .cycle();
        WaitCycle.Link first = cycle.links().get(0);
        assertEquals(first.actor().equals("x") ? one.id() : two.id(), first.client());
        assertEquals(first.actor().equals("x") ? "hf:{b}" : "hf:{a}", first.key());
        assertEquals(options.application(), first.application());
        assertTrue(cycle.describe().contains(", x waits for lock 'b', which "), cycle.describe());
    }

    @Test
    void theLastQueued_thatMayBeEnded_isEnded_andTheOtherGoesOn() {
        List<CompletableFuture<Attempt<Lease>>> asked = cross(BREAK, BREAK);
        time.advance(FOUND);
        assertFalse(asked.get(0).isDone());
        Attempt.NotObtained<Lease> ended = ended(asked.get(1));
        assertEquals("y->a x->b", words(ended.cycle().orElseThrow()));
        DeadlockException thrown = assertThrows(DeadlockException.class, ended::orElseThrow);
        assertEquals("a", thrown.lockName());
        assertEquals(ended.cycle().orElseThrow(), thrown.cycle());
        assertTrue(events.stream()
                .anyMatch(event ->
                        event instanceof LockEvent.NotObtained not && not.reason() == Attempt.Reason.DEADLOCK));
        leases.get(1).release();
        time.advance(Duration.ofMillis(100));
        assertTrue(obtained(asked.get(0)).isValid());
        assertEquals(0, server.command("EXISTS", "hf:{a}:q").asLong());
    }

    @Test
    void whoMayNotBeEnded_isNot_thoughItWasQueuedLast() {
        List<CompletableFuture<Attempt<Lease>>> asked = cross(BREAK, STRICT);
        time.advance(FOUND);
        ended(asked.get(0));
        assertFalse(asked.get(1).isDone());
    }

    @Test
    void holdsOfWhoeverIsEnded_areStillIts() {
        cross(BREAK, BREAK);
        time.advance(FOUND);
        leases.forEach(lease -> assertTrue(lease.isValid()));
    }

    @Test
    void three_inACycle() {
        holds(one.lock("a", BREAK), "x");
        holds(two.lock("b", BREAK), "y");
        Lease last = holds(three.lock("c", BREAK), "z");
        CompletableFuture<Attempt<Lease>> first = waits(one.lock("b", BREAK), "x");
        CompletableFuture<Attempt<Lease>> second = waits(two.lock("c", BREAK), "y");
        CompletableFuture<Attempt<Lease>> third = waits(three.lock("a", BREAK), "z");
        time.advance(FOUND);
        Attempt.NotObtained<Lease> ended = ended(third);
        assertEquals("z->a x->b y->c", words(ended.cycle().orElseThrow()));
        assertFalse(first.isDone() || second.isDone());
        last.release();
        time.advance(Duration.ofMillis(100));
        obtained(second).release();
        leases.get(1).release();
        time.advance(Duration.ofMillis(100));
        obtained(first);
    }

    @Test
    void twoReadersThatWantToWrite() {
        DistributedReadWriteLock ours = one.readWriteLock("d", BREAK);
        DistributedReadWriteLock theirs = two.readWriteLock("d", BREAK);
        holds(ours.read(), "x");
        Lease reads = holds(theirs.read(), "y");
        CompletableFuture<Attempt<Lease>> first = waits(ours.write(), "x");
        CompletableFuture<Attempt<Lease>> second = waits(theirs.write(), "y");
        time.advance(FOUND);
        // Each stands in its own way, too.
        ended(first);
        ended(second);
        assertEquals(List.of("x->d", "y->d"), told());
        reads.release();
    }

    @Test
    void readerBehindAWriter_whoWaitsForAReader() {
        holds(one.readWriteLock("d", STRICT).read(), "x");
        holds(two.lock("a", STRICT), "y");
        CompletableFuture<Attempt<Lease>> write =
                waits(three.readWriteLock("d", BREAK).write(), "z");
        CompletableFuture<Attempt<Lease>> read =
                waits(two.readWriteLock("d", STRICT).read(), "y");
        CompletableFuture<Attempt<Lease>> last = waits(one.lock("a", STRICT), "x");
        time.advance(FOUND);
        ended(write);
        obtained(read); // at once: the writer was all that stood in its way
        assertFalse(last.isDone());
        assertTrue(told().contains("z->d x->a y-)d"), () -> told().toString());
    }

    @Test
    void permits_thatAllWhoWaitHave() {
        holds(one.semaphore("s", 2, STRICT).permits(1), "x");
        Lease theirs = holds(two.semaphore("s", 2, STRICT).permits(1), "y");
        CompletableFuture<Attempt<Lease>> first =
                waits(one.semaphore("s", 2, BREAK).permits(1), "x");
        CompletableFuture<Attempt<Lease>> second =
                waits(two.semaphore("s", 2, BREAK).permits(1), "y");
        time.advance(FOUND);
        ended(second);
        theirs.release();
        time.advance(Duration.ofMillis(100));
        obtained(first);
    }

    @Test
    void permits_ofWhichOneComesBack_areNoDeadlock() {
        holds(one.semaphore("s", 3, STRICT).permits(1), "x");
        holds(two.semaphore("s", 3, STRICT).permits(1), "y");
        holds(three.semaphore("s", 3, STRICT).permits(1), "z");
        waits(one.semaphore("s", 3, BREAK).permits(1), "x");
        waits(two.semaphore("s", 3, BREAK).permits(1), "y");
        time.advance(FOUND);
        assertEquals(List.of(), told());
    }

    @Test
    void actorThatWaitsForItself() {
        holds(one.lock("a", BREAK), "x");
        CompletableFuture<Attempt<Lease>> again = waits(one.lock("a", BREAK), "x");
        time.advance(FOUND);
        assertEquals(List.of("x->a"), told());
        ended(again);
    }

    @Test
    void requestsOfOneClient_inTurns() {
        holds(one.lock("a", TURNS), "x");
        holds(one.lock("b", TURNS), "y");
        CompletableFuture<Attempt<Lease>> first = waits(one.lock("b", TURNS.withDeadlock(OnDeadlock.BREAK)), "x");
        CompletableFuture<Attempt<Lease>> second = waits(one.lock("a", TURNS), "y");
        time.advance(FOUND);
        assertEquals(List.of("x->b y->a", "y->a x->b"), told());
        ended(first);
        leases.get(0).release();
        time.advance(Duration.ofMillis(100));
        obtained(second);
    }

    @Test
    void turnsOfTwoClients_whereTheLastStandsBehindAnother() {
        // The line of the second client has one request at the server, for two actors.
        holds(one.lock("a", TURNS), "x");
        holds(two.lock("b", TURNS), "y");
        CompletableFuture<Attempt<Lease>> before = waits(two.lock("a", TURNS), "other");
        CompletableFuture<Attempt<Lease>> second = waits(two.lock("a", TURNS), "y");
        CompletableFuture<Attempt<Lease>> first = waits(one.lock("b", TURNS), "x");
        time.advance(FOUND);
        assertEquals(List.of("x->b y->a", "y->a x->b"), told());
        before.cancel(false);
        second.cancel(false);
        first.cancel(false);
    }

    @Test
    void aLineMate_thatStandsInFront_isEndedWithItsOwnLineOnly() {
        LockOptions ends = TURNS.withDeadlock(OnDeadlock.BREAK);
        holds(one.lock("a", ends), "x");
        Lease theirs = holds(two.lock("b", ends), "y");
        CompletableFuture<Attempt<Lease>> first = waits(one.lock("b", ends), "x");
        CompletableFuture<Attempt<Lease>> mate = waits(two.lock("a", ends), "other");
        CompletableFuture<Attempt<Lease>> second = waits(two.lock("a", ends), "y");
        time.advance(FOUND);
        ended(second);
        assertFalse(first.isDone() || mate.isDone());
        theirs.release();
        time.advance(Duration.ofMillis(100));
        obtained(first);
    }

    @Test
    void set_thatWaitsWithTheFirstOfItsLocks() {
        String[] order = one.locks("a", "b").names().toArray(String[]::new);
        holds(two.lock(order[1], STRICT), "y");
        CompletableFuture<Attempt<LeaseSet>> set = one.allOf(one.lock("a", BREAK), one.lock("b", BREAK))
                .withActor("x")
                .attemptAsync(Wait.forever());
        CompletableFuture<Attempt<Lease>> other = waits(two.lock(order[0], STRICT), "y");
        time.advance(FOUND);
        Attempt.NotObtained<LeaseSet> notAll = assertNotObtained(Reason.DEADLOCK, now(set));
        assertEquals(order[1], notAll.lockName());
        time.advance(Duration.ofMillis(100));
        obtained(other); // what the set had was given back
        leases.forEach(Lease::release);
        CompletableFuture<LeaseSet> again = one.locks("a", "b").withActor("x").acquireAsync();
        time.advance(Duration.ofMillis(100));
        assertTrue(again.isDone());
        again.join().close();
    }

    // ---- what is none

    @Test
    void holdThatIsReleased_betweenThePictures_makesNone() {
        List<CompletableFuture<Attempt<Lease>>> asked = cross(BREAK, BREAK);
        for (int i = 0; i < 10; i++) {
            time.advance(AFTER); // a first picture has been made, and was not compared
            assertEquals(List.of(), told());
            asked.forEach(each -> each.cancel(false));
            time.advance(Duration.ofMillis(50));
            asked = List.of(waits(one.lock("b", BREAK), "x"), waits(two.lock("a", BREAK), "y"));
            time.advance(Duration.ofMillis(50));
        }
        asked.forEach(each -> each.cancel(false));
    }

    @Test
    void leaseThatGoesRoundInItsClient_makesNone() {
        holds(two.lock("b", STRICT), "y");
        Lease present = holds(one.lock("a", TURNS.withLocalHandoffs(1_000, Duration.ofMinutes(1))), "x0");
        CompletableFuture<Attempt<Lease>> theirs = waits(two.lock("a", STRICT), "y");
        CompletableFuture<Attempt<Lease>> forOthers = waits(one.lock("b", STRICT), "x0");
        for (int i = 1; i < 12; i++) {
            // Whoever has it waits for what the other client has, but not for long: it is handed on meanwhile.
            CompletableFuture<Attempt<Lease>> next =
                    waits(one.lock("a", TURNS.withLocalHandoffs(1_000, Duration.ofMinutes(1))), "x" + i);
            time.advance(AFTER);
            forOthers.cancel(false);
            present.release();
            time.advance(Duration.ofMillis(10));
            if (!next.isDone()) {
                break; // the turn is over
            }
            present = obtained(next);
            forOthers = waits(one.lock("b", STRICT), "x" + i);
        }
        assertEquals(List.of(), told());
        theirs.cancel(false);
        forOthers.cancel(false);
    }

    @Test
    void requestsOfNobody_areNotTakenToStandStill() {
        leases.add(one.lock("a", STRICT).acquireAsync().join());
        leases.add(two.lock("b", STRICT).acquireAsync().join());
        CompletableFuture<Lease> first = one.lock("b", STRICT).acquireAsync();
        CompletableFuture<Lease> second = two.lock("a", STRICT).acquireAsync();
        time.advance(FOUND);
        assertEquals(List.of(), told());
        assertEquals(List.of(), written());
        first.cancel(false);
        second.cancel(false);
    }

    private List<String> written() {
        return server.command("KEYS", "hf:waits:*").asList().stream()
                .map(Reply::asString)
                .toList();
    }

    @Test
    void clientWithoutDetection_hidesTheCycle_andWritesNothing() {
        Holdfast without = server.client(HoldfastOptions.defaults());
        holds(without.lock("a", STRICT), "x");
        holds(two.lock("b", STRICT), "y");
        waits(without.lock("b", STRICT), "x");
        waits(two.lock("a", STRICT), "y");
        time.advance(FOUND);
        assertEquals(List.of(), told());
        assertEquals(List.of("hf:waits:{" + two.id() + "}"), written());
        without.close();
    }

    @Test
    void shortWaits_writeNothing_andWhatWasWrittenIsGoneSoon() {
        holds(one.lock("a", STRICT), "x");
        CompletableFuture<Attempt<Lease>> waits = waits(two.lock("a", STRICT), "y");
        time.advance(AFTER.minusMillis(10));
        assertEquals(List.of(), written());
        time.advance(AFTER);
        assertEquals(List.of("hf:waits:{" + two.id() + "}"), written());
        waits.cancel(false);
        time.advance(AFTER.multipliedBy(4));
        assertEquals(List.of(), written());
    }

    @Test
    void deadlock_ofWhichNoneMayBeEnded_isFoundAfterTheServerWasAway() {
        cross(STRICT, STRICT);
        server.disconnect();
        time.advance(Duration.ofSeconds(10));
        assertEquals(List.of(), told());
        server.connect();
        time.advance(FOUND.plusSeconds(5));
        assertEquals(2, told().size());
    }

    // ---- options

    @Test
    void breaking_withoutDetection_isRefused() {
        Holdfast without = server.client(HoldfastOptions.defaults());
        assertEquals(
                "deadlock is BREAK, must be WAIT for a client without deadlockDetection: no client would find one",
                assertThrows(IllegalArgumentException.class, () -> without.lock("a", BREAK))
                        .getMessage());
        without.close();
    }

    @Test
    void election_ofAClientThatBreaksDeadlocks_waitsForEver() {
        Holdfast breaking = server.client(options.withLockDefaults(BREAK));
        assertEquals(OnDeadlock.WAIT, breaking.election("e").options().deadlock());
        assertThrows(IllegalArgumentException.class, () -> breaking.election("e", BREAK));
        breaking.close();
    }

    @Test
    void tryingForms_doNotHideIt() {
        holds(one.lock("a", BREAK), "x");
        CompletableFuture<Lease> again = one.lock("a", BREAK.withReentrancy(Reentrancy.WAIT))
                .withActor("x")
                .acquireAsync(Wait.upTo(Duration.ofMinutes(1)));
        time.advance(FOUND);
        assertTrue(again.isDone());
        CompletionException thrown = assertThrows(CompletionException.class, again::join);
        assertInstanceOf(DeadlockException.class, thrown.getCause());
    }
}
