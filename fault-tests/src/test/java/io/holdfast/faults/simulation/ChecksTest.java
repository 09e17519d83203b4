package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import io.holdfast.faults.simulation.Checks.Check;
import io.holdfast.faults.simulation.Plan.Kind;
import io.holdfast.testkit.MemoryServer;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each check finds what it is there for. Situations that no client can bring about are played with two servers. */
class ChecksTest extends ChecksFixture {
    @Test
    void step_oneGoodLease_findsNothing() {
        Held held = hold(server);
        for (int i = 0; i < 20; i++) {
            step();
        }
        checks.write(held);
        assertNull(checks.finding());
    }

    @Test
    void exclusion_twoGoodLeases_isFound() {
        hold(server);
        time.advance(Duration.ofMillis(5));
        hold(otherServer);
        checks.afterStep();
        assertEquals(Check.EXCLUSION, found());
    }

    @Test
    void holder_serverHasLostTheHold_isFound() {
        hold(server);
        server.command("DEL", HOLD);
        step();
        assertEquals(Check.HOLDER, found());
    }

    @Test
    void holder_serverKeepsItForAShorterTime_isFound() {
        hold(server);
        server.command("PEXPIRE", HOLD, "1000");
        step();
        assertEquals(Check.HOLDER, found());
    }

    @Test
    void tokens_lowerOneOnTheServer_isFound() {
        hold(server);
        step();
        server.command("SET", HOLD, "c.0-1~x 5 5 1000 a/b", "PX", "1000");
        ofServer.ran(null);
        ofServer.afterStep();
        assertEquals(Check.TOKENS, found());
    }

    @Test
    void tokens_lowerOneOfALaterLease_isFound() {
        server.stepClock(Duration.ofSeconds(5));
        hold(server);
        hold(otherServer);
        assertEquals(Check.TOKENS, found());
    }

    @Test
    void told_leaseIsOverAndNobodyHears_isFound() {
        hold(server, Plan.STRICT.withLeaseDuration(Duration.ofSeconds(1)).withRenewal(false));
        time.advance(Duration.ofSeconds(1));
        checks.afterStep();
        assertNull(checks.finding());
        time.advance(Duration.ofMillis(2));
        checks.afterStep();
        assertEquals(Check.TOLD, found());
    }

    @Test
    void sticky_goodLeaseIsToldAsLost_isFound() {
        checks.lost(hold(server), LossReason.EXPIRED);
        assertEquals(Check.STICKY, found());
    }

    @Test
    void kept_leaseIsLostAndNothingWasWrong_isFound() {
        Held held = hold(server);
        held.lease.release();
        checks.lost(held, LossReason.EXPIRED);
        assertEquals(Check.KEPT, found());
    }

    /**
     * A server was silent from the first to the second second of a lease with a term of three seconds; clients give a
     * connection up after 900 ms.
     */
    private @Nullable Enum<?> foundOfASilence(long gaveUpAtMillis, long connectedAtMillis) {
        Held held = hold(server, Plan.STRICT.withLeaseDuration(Duration.ofSeconds(3)));
        silence = Silences.untilConnected(
                new Silences.Silence(
                        -1, 0, held.obtainedAt + 1_000 * Checks.MILLI, held.obtainedAt + 2_000 * Checks.MILLI),
                900 * Checks.MILLI,
                gaveUpAtMillis < 0 ? -1 : held.obtainedAt + gaveUpAtMillis * Checks.MILLI,
                held.obtainedAt + connectedAtMillis * Checks.MILLI);
        held.lease.release();
        checks.lost(held, LossReason.EXPIRED);
        return found();
    }

    @Test
    void kept_lostByAShortSilence_isFound() {
        assertEquals(Check.KEPT, foundOfASilence(-1, 0));
    }

    @Test
    void kept_connectionGivenUpAndOpenedInTime_isFound() {
        assertEquals(Check.KEPT, foundOfASilence(1_950, 2_490));
    }

    @Test
    void kept_connectionGivenUpAndOpenedTooLate_findsNothing() {
        assertNull(foundOfASilence(1_950, 2_510));
    }

    @Test
    void kept_connectionGivenUpTooEarlyAndOpenedTooLate_isFound() {
        assertEquals(Check.KEPT, foundOfASilence(1_850, 2_510));
    }

    @Test
    void kept_connectionGivenUpAfterTheSilence_isFound() {
        assertEquals(Check.KEPT, foundOfASilence(2_100, 2_510));
    }

    @Test
    void expiry_keyWithoutOne_isFound() {
        server.command("SET", "hf:{lock0}:t", "5");
        for (int i = 0; i < 20; i++) {
            step();
        }
        assertEquals(Check.EXPIRY, found());
    }

    /** A lock is handed to a process that stands still; in the same step an operator extends the hold before, or after it. */
    private @Nullable Enum<?> foundOfAClaim(boolean extendedBefore) {
        ofServer.owns("c.0-1", ask(0, Plan.STRICT));
        ofServer.owns("c.0-2", ask(-1, Plan.STRICT));
        server.command("SET", HOLD, "c.0-1~x 5 5 60000 a/b", "PX", "60000");
        ofServer.ran(null);
        if (extendedBefore) {
            ofServer.prolonged(0);
        }
        ofServer.ran(null);
        server.command("SET", HOLD, "c.0-2~y 6 6 60000 a/b", "PX", "60000");
        server.command("HSET", HOLD + ":d", "@claim", "c.0-2~y 1");
        ofServer.ran(null);
        if (!extendedBefore) {
            ofServer.prolonged(0);
        }
        machine.freeze();
        ofServer.afterStep();
        time.advance(Duration.ofSeconds(4));
        ofServer.ran(null);
        ofServer.afterStep();
        return found();
    }

    @Test
    void liveness_claimOfAFrozenProcessIsKept_isFound() {
        assertEquals(Check.LIVENESS, foundOfAClaim(true));
    }

    @Test
    void liveness_claimOfAFrozenProcessIsKeptByAnOperator_findsNothing() {
        assertNull(foundOfAClaim(false));
    }

    @Test
    void order_lockIsTakenPastOneWhoWaits_isFound() {
        Asked waits = ask(-1, Plan.STRICT);
        ofServer.owns("c.0-1", waits);
        server.command("ZADD", HOLD + ":q", "1", "c.0-1~x");
        step();
        time.advance(Duration.ofMillis(10));
        Held held = hold(server);
        step();
        assertEquals(Check.ORDER, found(), () -> held + " " + checks.finding());
    }

    /** Somebody holds the lock, and somebody waits for it since an earlier step. */
    private void waitWhileItIsHeld() {
        ofServer.owns("c.0-1", ask(-1, Plan.STRICT));
        server.command("SET", HOLD, "c.0-1~x 5 5 1000 a/b", "PX", "10000");
        ofServer.owns("c.0-2", ask(-1, Plan.STRICT));
        server.command("ZADD", HOLD + ":q", "1", "c.0-2~x");
        step();
        time.advance(Duration.ofMillis(10));
    }

    /** One command of the present step; the step ends with {@link ServerChecks#afterStep()}. */
    private void command(String... words) {
        ofServer.ran(machine);
        server.command(words);
    }

    private void queueAnother(int priority, String score) {
        ofServer.owns("c.0-3", ask(-1, Plan.STRICT.withPriority(priority)));
        command("ZADD", HOLD + ":q", score, "c.0-3~x");
    }

    private void handToTheOther() {
        command("SET", HOLD, "c.0-3~x 6 6 1000 a/b", "PX", "10000");
        server.command("ZREM", HOLD + ":q", "c.0-3~x");
    }

    @Test
    void order_higherPriorityIsQueuedAndHandedTheLockInOneStep_findsNothing() {
        waitWhileItIsHeld();
        queueAnother(1, "0");
        handToTheOther();
        ofServer.afterStep();
        assertNull(checks.finding());
    }

    @Test
    void order_laterOneIsQueuedAndHandedTheLockInOneStep_isFound() {
        waitWhileItIsHeld();
        queueAnother(0, "2");
        handToTheOther();
        ofServer.afterStep();
        assertEquals(Check.ORDER, found());
    }

    @Test
    void order_whoHasAClaimGivesItBack_findsNothing() {
        ofServer.owns("c.0-1", ask(-1, Plan.STRICT));
        server.command("ZADD", HOLD + ":q", "0", "c.0-1~x"); // where it stands until it confirms
        server.command("SET", HOLD, "c.0-1~x 5 5 1000 a/b", "PX", "10000");
        step();
        ofServer.owns("c.0-2", ask(-1, Plan.STRICT));
        server.command("ZADD", HOLD + ":q", "1", "c.0-2~x");
        step();
        time.advance(Duration.ofMillis(10));
        command("SET", HOLD, "c.0-2~x 6 6 1000 a/b", "PX", "10000");
        ofServer.afterStep();
        assertNull(checks.finding());
    }

    @Test
    void order_higherPriorityTakesTheLockWithoutBeingQueued_isFound() {
        waitWhileItIsHeld();
        ofServer.owns("c.0-3", ask(-1, Plan.STRICT.withPriority(1)));
        command("DEL", HOLD);
        handToTheOther();
        ofServer.afterStep();
        assertEquals(Check.ORDER, found());
    }

    @Test
    void order_laterOneGetsTheLockAndReleasesItInOneStep_isFound() {
        waitWhileItIsHeld();
        queueAnother(0, "2");
        handToTheOther();
        command("DEL", HOLD);
        ofServer.afterStep();
        assertEquals(Check.ORDER, found());
    }

    /** The queue that counts is the one before the grant, not one that later commands of the step have left. */
    @Test
    void order_whoWasOvertakenLeavesTheQueueInTheSameStep_isFound() {
        waitWhileItIsHeld();
        queueAnother(0, "2");
        handToTheOther();
        command("DEL", HOLD + ":q");
        ofServer.afterStep();
        assertEquals(Check.ORDER, found());
    }

    @Test
    void liveness_freeLockAndOneWhoWaits_isFound() {
        ofServer.owns("c.0-1", ask(-1, Plan.STRICT));
        server.command("ZADD", HOLD + ":q", "1", "c.0-1~x");
        step();
        time.advance(Duration.ofMillis(100));
        step();
        assertNull(checks.finding());
        time.advance(Duration.ofMillis(100));
        step();
        assertEquals(Check.LIVENESS, found());
    }

    @Test
    void liveness_oneWhoCouldBeToldStandsAside_isFound() {
        Asked waits = ask(-1, Plan.STRICT);
        waits.queuedAt = -1;
        ofServer.owns("c.0-1", waits);
        server.command("ZADD", HOLD + ":p", "1", "c.0-1~x");
        ofServer.nobodyStaysAside();
        assertEquals(Check.LIVENESS, found());
    }

    @Test
    void ends_waitIsLongOver_isFound() {
        ask(100, Plan.STRICT);
        time.advance(Duration.ofMillis(2_700));
        checks.requestsEnd();
        assertNull(checks.finding());
        time.advance(Duration.ofSeconds(1));
        checks.requestsEnd();
        assertEquals(Check.ENDS, found());
    }

    @Test
    void answer_unknownAndNothingWasWrong_isFound() {
        Holdfast client = server.client(plan.options());
        server.disconnect();
        Attempt<Lease> unknown = client.lock("lock0").attemptAsync(Wait.none()).join();
        checks.answered(ask(0, Plan.STRICT), unknown, null);
        assertEquals(Check.ANSWER, found());
    }

    @Test
    void answer_failureThatNobodyAskedFor_isFound() {
        checks.answered(ask(0, Plan.STRICT), null, new IllegalStateException("on purpose"));
        assertEquals(Check.ANSWER, found());
    }

    private void answeredTaken(Asked asked) {
        checks.answered(
                asked, new Attempt.NotObtained<>("lock0", Attempt.Reason.TAKEN, Contention.NOTHING_KNOWN), null);
    }

    /** A lock that nobody holds, and somebody who does not wait asks for it. */
    private Asked askWhileItIsFree() {
        step();
        time.advance(Duration.ofMillis(5));
        Asked asked = ask(0, Plan.STRICT);
        step();
        return asked;
    }

    @Test
    void answer_takenThoughTheLockIsFree_isFound() {
        answeredTaken(askWhileItIsFree());
        assertEquals(Check.ANSWER, found());
    }

    @Test
    void answer_takenThoughTheHoldHasEndedBefore_isFound() {
        Held held = hold(server);
        step();
        held.lease.release();
        held.released = true;
        answeredTaken(askWhileItIsFree());
        assertEquals(Check.ANSWER, found());
    }

    /** As when a client blocks: what it had sent is carried out at once, one command after the other. */
    @Test
    void answer_takenBecauseAnotherWasGrantedItInTheSameStep_findsNothing() {
        Asked second = askWhileItIsFree();
        ofServer.ran(machine);
        hold(server);
        ofServer.ran(machine);
        answeredTaken(second);
        checks.afterStep();
        ofServer.afterStep();
        assertNull(checks.finding());
    }

    @Test
    void answer_takenByAHoldThatBeganAndEndedInTheSameStep_findsNothing() {
        Asked second = askWhileItIsFree();
        ofServer.ran(machine);
        Held held = hold(server);
        ofServer.ran(machine);
        held.lease.release();
        held.released = true;
        answeredTaken(second);
        assertNull(checks.finding());
    }

    @Test
    void answer_takenBeforeAnotherIsGrantedItInTheSameStep_isFound() {
        Asked first = askWhileItIsFree();
        ofServer.ran(machine);
        ofServer.ran(machine);
        answeredTaken(first);
        hold(server);
        checks.afterStep();
        ofServer.afterStep();
        assertEquals(Check.ANSWER, found());
    }

    @Test
    void unfenced_twoReadBeforeEitherWrites_isFound() {
        Held first = hold(server);
        time.advance(Duration.ofMillis(5));
        Held second = hold(otherServer);
        checks.write(second);
        checks.write(first);
        assertEquals(Check.UNFENCED, found());
    }

    @Test
    void fenced_twoWithOneToken_isFound() {
        Plan outside = new Plan(Kind.OUTSIDE, 1, 1, 1, 1_000, plan.options(), List.of());
        Checks lenient = new Checks(outside, calm);
        Held first = hold(server);
        Held second = hold(otherServer);
        assertEquals(first.token, second.token);
        lenient.obtained(first);
        lenient.obtained(second);
        lenient.write(second);
        lenient.write(first);
        assertEquals(
                Check.FENCED,
                lenient.finding() == null ? null : lenient.finding().check());
    }

    @Test
    void orphan_holdOfSomebodyWhoNeverAsked_isFound() {
        server.command("SET", HOLD, "c.0-1~x 5 5 1000 a/b", "PX", "1000");
        step();
        assertEquals(Check.ORPHAN, found());
    }

    @Test
    void orphan_holdOfOneWhoHasEnded_isFound() {
        Held held = hold(server);
        step();
        server.command("PEXPIRE", HOLD, "100000");
        String text = server.command("GET", HOLD).asString();
        held.lease.release();
        server.command("SET", HOLD, text, "PX", "100000");
        held.released = true;
        step();
        assertNull(checks.finding());
        time.advance(Duration.ofMillis(200));
        step();
        assertEquals(Check.ORPHAN, found());
    }

    @Test
    void litter_keyThatIsLeft_isFound() {
        server.command("SET", "hf:{lock0}:t", "5");
        ofServer.leftovers.empty();
        assertEquals(Check.LITTER, found());
    }

    @Test
    void orphan_holdThatOutlivesItsClient_isFound() {
        hold(server);
        ofServer.leftovers.allReleased();
        assertEquals(Check.ORPHAN, found());
    }

    @Test
    void log_errorOfTheEngine_isCaught() {
        EngineLog log = EngineLog.listen();
        try {
            assertNull(log.firstDefect());
            Logger.getLogger("io.holdfast").log(Level.SEVERE, "on purpose");
            assertNotNull(log.firstDefect());
        } finally {
            log.close();
        }
    }

    @Test
    void quorum_fewerThanAMajorityKeepTheHold_isFound() {
        QuorumChecks ofQuorum = new QuorumChecks(
                plan, checks, calm, List.of(server, otherServer, MemoryServer.start(time)), node -> false);
        hold(server);
        checks.afterStep();
        ofQuorum.afterStep();
        assertEquals(Check.HOLDER, found());
    }

    @Test
    void shrink_findingThatNeedsTwoItems_keepsThese() {
        assertEquals(
                java.util.Set.of(3, 11),
                new Shrinker(kept -> kept.containsAll(List.of(3, 11)))
                        .shrink(new java.util.TreeSet<>(
                                java.util.stream.IntStream.range(0, 40).boxed().toList())));
    }
}
