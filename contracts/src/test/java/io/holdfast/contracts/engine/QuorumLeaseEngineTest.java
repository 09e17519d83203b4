package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.internal.lease.Hold;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What becomes of a lease of a quorum: renewal, extension, its client's end, its events. */
final class QuorumLeaseEngineTest extends QuorumFixture {
    // ---- nodes whose clocks run ahead

    @Test
    void remaining_oneNodesClockIsSetForward_isWhatTheMajorityGrantsYet() {
        Lease lease = lease("a");
        time.advance(Duration.ofSeconds(5));
        node(0).stepServerClock(Duration.ofSeconds(20));
        lease("b");
        assertEquals(VALIDITY.minusSeconds(5), lease.remaining());
    }

    @Test
    void remaining_clocksOfAMajorityAreSetForward_isShorterByThatUntilItIsRenewedAtOnce() {
        Lease lease = lease("a");
        time.advance(Duration.ofSeconds(5));
        node(0).stepServerClock(Duration.ofSeconds(20));
        node(2).stepServerClock(Duration.ofSeconds(20));
        lease("b");
        Duration left = lease.remaining();
        assertTrue(
                lease.isValid() && left.compareTo(Duration.ofSeconds(5)) <= 0, "on two nodes it ends in 5 s: " + left);
        nodes.forEach(node -> node.answer("renew", node::renewed));
        time.runDue();
        assertEquals(VALIDITY, lease.remaining());
    }

    // ---- renewal

    @Test
    void renew_majorityAgrees_raisesTheDeadlineCountedFromTheSend() {
        Lease lease = lease("a");
        time.advance(TERM.dividedBy(3));
        node(0).next("renew").answer(node(0).renewed(1));
        assertEquals(VALIDITY.minus(TERM.dividedBy(3)), lease.remaining());
        time.advance(millis(20));
        node(1).next("renew").answer(node(1).renewed(1));
        assertTrue(lease.remaining().compareTo(VALIDITY.minusMillis(20 + 100)) >= 0, lease.toString());
        assertTrue(lease.remaining().compareTo(VALIDITY.minusMillis(20)) <= 0, lease.toString());
    }

    @Test
    void renew_onlyAMinorityAnswers_doesNotRaiseAndIsLostAtTheDeadline() {
        nodes.get(0).answer("renew", call -> node(0).renewed(call));
        Lease lease = lease("a");
        List<LossReason> lost = new ArrayList<>();
        lease.whenLost().thenAccept(lost::add);
        time.advance(VALIDITY.minusMillis(1));
        assertTrue(lease.isValid());
        time.advance(millis(1));
        assertEquals(List.of(LossReason.EXPIRED), lost);
        assertFalse(lease.isValid());
    }

    @Test
    void renew_majorityGone_isLostAtOnceAndOneGoneJoinsAgain() {
        Lease lease = lease("a");
        time.advance(TERM.dividedBy(3));
        node(0).next("renew").answer(node(0).renewed(0));
        assertTrue(lease.isValid());
        node(1).next("renew").answer(node(1).renewed(1));
        node(2).next("renew").answer(node(2).renewed(1));
        // The node that lost the grant is asked again for the same owner.
        Call again = node(0).next(ACQUIRE);
        assertEquals(node(1).calls(ACQUIRE).get(0).arg(1), again.arg(1));
        again.answer(granted(150));
        assertEquals("100", node(0).next(RAISE).arg(3));
        time.advance(TERM.dividedBy(3));
        node(0).next("renew").answer(node(0).renewed(0));
        node(1).next("renew").answer(node(1).renewed(0));
        assertFalse(lease.isValid());
        assertThrows(LeaseLostException.class, lease::requireValid);
    }

    @Test
    void renew_manyLeases_isOneCallToEachNode() {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            leases.add(lease("a" + i));
        }
        time.advance(TERM.dividedBy(3));
        assertEquals(List.of(1, 1, 1), counts("renew"));
        assertTrue(leases.stream().allMatch(Lease::isValid));
    }

    @Test
    void extend_majorityAgrees_lastsAtLeastSoLong() {
        Lease lease = lease("a");
        CompletableFuture<Void> extended = lease.extendAsync(Duration.ofSeconds(50));
        node(0).next("confirm").answer(node(0).held());
        assertOpen(extended);
        node(2).next("confirm").answer(node(2).held());
        assertTrue(extended.isDone());
        assertEquals(Duration.ofMillis(49_498), lease.remaining());
        assertThrows(IllegalArgumentException.class, () -> lease.extend(Duration.ofSeconds(61)));
    }

    /** Whether it is held was asked a moment before: in between, the last that stood behind it may say that it is gone. */
    @Test
    void extend_noNodeStandsBehindItAnyMore_isRefusedAtOnce() {
        Lease lease = lease("a");
        Hold hold = Faces.hold(lease);
        time.advance(TERM.dividedBy(3));
        nodes.forEach(node -> node.next("renew").answer(node.renewed(0)));
        assertFalse(done(hold.grant.extend(TERM)));
        assertEquals(LossReason.NOT_ON_SERVER, hold.lossReason());
        assertEquals(List.of(0, 0, 0), counts("confirm"));
    }

    /** A last answer may overtake the one that made the majority, while that moves the deadline. */
    @Test
    void extend_thirdAnswersWhileTheMajorityMovesTheDeadline_hasSucceeded() {
        AtomicReference<Runnable> meanwhile = new AtomicReference<>();
        Environment usual = time.environment(2);
        Timers timers = time.timers();
        Timers watched = new Timers() {
            @Override
            public Runnable schedule(long delayNanos, Runnable task) {
                Runnable once = meanwhile.getAndSet(null);
                if (once != null) {
                    once.run();
                }
                return timers.schedule(delayNanos, task);
            }

            @Override
            public void close() {
                timers.close();
            }
        };
        try (Quorum watching = Quorum.connect(
                nodes.stream().map(QuorumNode::over).toList(),
                options,
                new Environment(usual.ticker(), () -> watched, usual.entropy()))) {
            CompletableFuture<Lease> future = watching.lock(
                            "a", LockOptions.defaults().withRenewal(false))
                    .acquireAsync(Wait.none()); // else it is to be renewed before it ends, and no timer moves
            nodes.forEach(node -> node.next(ACQUIRE).answer(granted(100)));
            CompletableFuture<Void> extended = obtained(future).extendAsync(Duration.ofSeconds(50));
            node(0).next("confirm").answer(node(0).held());
            Call last = node(2).next("confirm");
            meanwhile.set(() -> last.answer(node(2).held()));
            node(1).next("confirm").answer(node(1).held());
            assertNull(meanwhile.get(), "the last answer did not come in between");
            assertTrue(extended.isDone());
            extended.join();
            nodes.forEach(node -> node.answer(RELEASE, call -> node.held()));
        }
    }

    @Test
    void close_withALease_tellsTheLossAndReleases() {
        Lease lease = lease("a");
        nodes.forEach(node -> node.answer("release", call -> node.released("RELEASED")));
        quorum.close();
        assertFalse(lease.isValid());
        assertEquals(List.of(1, 1, 1), counts("release"));
        assertTrue(quorum.lock("a").acquireAsync(Wait.none()).isCompletedExceptionally());
    }

    @Test
    void close_whileALeaseIsBeingReleased_waitsUntilEachNodeWasAsked() throws Exception {
        try (Quorum patient = patient()) {
            CompletableFuture<Lease> future = patient.lock("a").acquireAsync(Wait.none());
            nodes.forEach(node -> node.next(ACQUIRE).answer(granted(100)));
            Lease lease = obtained(future);
            Thread closing = new Thread(patient::close);
            // The first node is being asked; the others are not yet.
            node(0).answer(RELEASE, call -> {
                letClose(closing);
                return releasedReply();
            });
            node(1).answer(RELEASE, call -> releasedReply());
            node(2).answer(RELEASE, call -> releasedReply());
            assertEquals(ReleaseResult.RELEASED, lease.release());
            closing.join();
            assertEquals(List.of(1, 1, 1), counts(RELEASE), "a node was closed before its release left");
        }
    }

    @Test
    void events_ofARequestAndItsHold_areToldAsForOneServer() {
        List<String> told = new ArrayList<>();
        LockOptions listening = LockOptions.defaults()
                .withListener(event -> told.add(event.getClass().getSimpleName()));
        CompletableFuture<Lease> future = quorum.lock("a", listening).acquireAsync(Wait.none());
        nodes.forEach(node -> node.next(ACQUIRE).answer(granted(100)));
        Lease lease = obtained(future);
        nodes.forEach(node -> node.answer("renew", call -> node.renewed(call)));
        time.advance(TERM.dividedBy(3));
        nodes.forEach(node -> node.answer(RELEASE, call -> releasedReply()));
        lease.release();
        var unused = quorum.lock("a", listening).attemptAsync(Wait.none());
        nodes.forEach(node -> node.next(ACQUIRE).answer(taken("x.0-1", 20_000)));
        assertEquals(List.of("Asked", "Obtained", "Renewed", "Released", "Asked", "NotObtained"), told);
    }

    @Test
    void detach_deadlinePassed_isOverAndTellsOfNoLoss() {
        Lease lease = lease("a");
        List<LossReason> told = new ArrayList<>();
        lease.whenLost().thenAccept(told::add);
        nodes.forEach(node -> node.answer("confirm", call -> node.held()));
        lease.detach();
        time.advance(VALIDITY);
        assertFalse(lease.isValid());
        assertEquals(List.of(), told);
        assertEquals(List.of(0, 0, 0), counts("release"));
    }
}
