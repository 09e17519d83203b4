package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Timers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Asking again on a quorum, being woken, giving up, and closing, to the millisecond. */
final class QuorumWaitEngineTest extends QuorumFixture {

    @Test
    void retry_roundWasLost_isReleasedBeforeItAsksAgainUnderAnotherOwner() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.upTo(Duration.ofSeconds(10)));
        List<Call> first = nodes.stream().map(node -> node.next(ACQUIRE)).toList();
        first.get(0).answer(granted(100));
        first.get(1).answer(taken("x.0-1", 20_000));
        assertEquals(List.of(0, 0, 0), counts("release"));
        first.get(2).answer(taken("x.0-1", 20_000));
        assertEquals(List.of(1, 0, 0), counts("release"));
        time.advance(millis(499));
        assertEquals(List.of(1, 1, 1), counts(ACQUIRE));
        time.advance(millis(1));
        for (FakeDriver node : nodes) {
            Call again = node.next(ACQUIRE);
            assertNotEquals(first.get(0).arg(1), again.arg(1));
            again.answer(granted(200));
        }
        Lease lease = obtained(future);
        assertEquals(2, lease.attempts());
        assertEquals(VALIDITY, lease.remaining());
    }

    @Test
    void wait_over_asksALastTimeAndIsTimedOut() {
        CompletableFuture<Attempt<Lease>> future = quorum.lock("a").attemptAsync(Wait.upTo(millis(700)));
        nodes.forEach(node -> node.answer(ACQUIRE, call -> taken("x.0-1", 20_000)));
        time.advance(millis(699));
        assertOpen(future);
        time.advance(millis(1));
        assertNotObtained(Reason.TIMED_OUT, done(future));
        assertEquals(3, node(0).count(ACQUIRE));
    }

    @Test
    void release_toldByANode_wakesTheWaiterBeforeItsBackoff() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.forever());
        nodes.forEach(node -> node.next(ACQUIRE).answer(taken("x.0-1", 20_000)));
        time.advance(millis(100));
        node(2).message("F");
        node(0).message("F");
        time.advance(millis(10));
        assertEquals(List.of(2, 2, 2), counts(ACQUIRE));
        nodes.forEach(node -> node.next(ACQUIRE).answer(granted(200)));
        obtained(future);
    }

    /** The second node releases just after it has refused the round that the first one's message caused. */
    @Test
    void release_toldByANodeThatHadJustRefused_wakesTheWaiterAgain() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.forever());
        nodes.forEach(node -> node.next(ACQUIRE).answer(taken("x.0-1", 20_000)));
        time.advance(millis(100));
        node(0).message("F");
        letAsk(2);
        node(1).message("F");
        node(0).next(ACQUIRE).answer(granted(200));
        node(1).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        node(2).next(ACQUIRE).answer(taken("x.0-1", 20_000));
        letAsk(3);
        nodes.forEach(node -> node.next(ACQUIRE).answer(granted(300)));
        obtained(future);
    }

    @Test
    void release_wokeOneThatGivesUpBeforeItAsks_wakesTheNext() {
        nodes.forEach(node -> node.answer(ACQUIRE, call -> taken("x.0-1", 20_000)));
        CompletableFuture<Lease> first = quorum.lock("a").acquireAsync(Wait.forever());
        CompletableFuture<Lease> second = quorum.lock("a").acquireAsync(Wait.forever());
        time.advance(millis(100));
        node(0).message("F");
        first.cancel(false);
        letAsk(3);
        assertOpen(second);
    }

    /** Messages of one release cause one round, as long as that has not begun. */
    @Test
    void release_toldByAllNodes_wakesOneOnce() {
        nodes.forEach(node -> node.answer(ACQUIRE, call -> taken("x.0-1", 20_000)));
        CompletableFuture<Lease> first = quorum.lock("a").acquireAsync(Wait.forever());
        CompletableFuture<Lease> second = quorum.lock("a").acquireAsync(Wait.forever());
        time.advance(millis(100));
        nodes.forEach(node -> node.message("F"));
        time.advance(millis(50));
        assertOpen(first);
        assertOpen(second);
        assertEquals(3, node(0).count(ACQUIRE));
    }

    /** Until so many rounds were begun, which takes a waiter that is woken some milliseconds. */
    private void letAsk(int rounds) {
        for (int i = 0; i < 10 && node(0).count(ACQUIRE) < rounds; i++) {
            time.advance(millis(1));
        }
        assertEquals(rounds, node(0).count(ACQUIRE));
    }

    /** Its message meets the one who waits longest, who has ended and still stands in the line. */
    @Test
    void release_toldWhileTheFirstWaiterEnds_wakesTheNext() {
        AtomicReference<Runnable> atNextCancel = new AtomicReference<>(() -> {});
        Environment environment = time.environment(2);
        try (Quorum client = Quorum.connect(
                nodes.stream().map(QuorumNode::over).toList(),
                options,
                new Environment(
                        environment.ticker(),
                        () -> new TellingTimers(time.timers(), atNextCancel),
                        environment.entropy()))) {
            nodes.forEach(node -> node.answer(ACQUIRE, call -> taken("x.0-1", 20_000)));
            CompletableFuture<Lease> first = client.lock("a").acquireAsync(Wait.forever());
            CompletableFuture<Lease> second = client.lock("a").acquireAsync(Wait.forever());
            time.advance(millis(100));
            atNextCancel.set(() -> node(0).message("F"));
            first.cancel(false);
            time.advance(millis(10));
            assertOpen(second);
            assertEquals(3, node(0).count(ACQUIRE), "the second waits for its backoff");
        }
    }

    /** Something happens when a task is next withdrawn. */
    private record TellingTimers(Timers timers, AtomicReference<Runnable> atNextCancel) implements Timers {
        @Override
        public Runnable schedule(long delayNanos, Runnable task) {
            Runnable cancel = timers.schedule(delayNanos, task);
            return () -> {
                cancel.run();
                atNextCancel.getAndSet(() -> {}).run();
            };
        }

        @Override
        public void close() {
            timers.close();
        }
    }

    // ---- its end

    /** A listener runs between the look at the end and the round, as another thread could. */
    @Test
    void cancel_whenItIsAboutToAskAgain_asksNobody() {
        AtomicReference<Runnable> cancel = new AtomicReference<>(() -> {});
        LockOptions listening = LockOptions.defaults().withListener(event -> {
            if (event instanceof LockEvent.Asked asked && asked.attempt() == 2) {
                cancel.getAndSet(() -> {}).run();
            }
        });
        CompletableFuture<Lease> asking = quorum.lock("a", listening).acquireAsync(Wait.forever());
        cancel.set(() -> asking.cancel(false));
        nodes.forEach(node -> node.next(ACQUIRE).answer(taken("x.0-1", 20_000)));
        time.advance(millis(500));
        assertTrue(asking.isCancelled());
        assertEquals(List.of(1, 1, 1), counts(ACQUIRE), "asked for nobody");
        assertEquals(List.of(0, 0, 1), counts("release"), "that of the first round is the only one");
    }

    @Test
    void close_whileALostRoundIsTakenBack_waitsUntilEachNodeWasAsked() throws Exception {
        closeWhileTakenBack(patient -> {
            var unused = patient.lock("a").acquireAsync(Wait.forever());
            node(1).next(ACQUIRE).answer(taken("x.0-1", 20_000));
            node(2).next(ACQUIRE).answer(granted(100));
            return () -> time.advance(millis(100)); // the node timeout; the first is silent
        });
        assertEquals(List.of(1, 0, 1), counts("release"), "a node was closed before its release left");
    }

    @Test
    void close_whileALeaseThatCameTooLateIsTakenBack_waitsUntilEachNodeWasAsked() throws Exception {
        LockOptions demanding =
                LockOptions.defaults().withLeaseDuration(millis(500)).withMinRemaining(millis(440));
        closeWhileTakenBack(patient -> {
            var unused = patient.lock("a", demanding).acquireAsync(Wait.forever());
            node(0).next(ACQUIRE).answer(granted(100));
            time.advance(millis(60));
            return () -> node(2).next(ACQUIRE).answer(granted(100));
        });
        assertEquals(List.of(1, 1, 1), counts("release"), "a node was closed before its release left");
    }

    /**
     * Closes a client while the first node is being asked to take something back, and the others are not yet.
     *
     * @param begin asks, and returns what makes that come to nothing
     */
    private void closeWhileTakenBack(Function<Quorum, Runnable> begin) throws InterruptedException {
        try (Quorum patient = patient()) {
            Runnable fail = begin.apply(patient);
            Thread closing = new Thread(patient::close);
            node(0).answer("release", call -> {
                letClose(closing);
                return node(0).released("GONE");
            });
            node(1).answer("release", call -> node(1).released("GONE"));
            node(2).answer("release", call -> node(2).released("RELEASED"));
            fail.run();
            closing.join();
        }
    }

    @Test
    void cancel_whileAsking_isTakenBackOnAllNodesAndALateGrantStaysSo() {
        CompletableFuture<Lease> future = quorum.lock("a").acquireAsync(Wait.forever());
        node(0).next(ACQUIRE).answer(granted(100));
        future.cancel(false);
        assertEquals(List.of(1, 1, 1), counts("release"));
        assertEquals(0, quorum.waiterCount());
        node(1).next(ACQUIRE).answer(granted(100));
        assertEquals(0, quorum.leaseCount());
        assertEquals("120000", node(1).next("release").tombstone());
    }
}
