package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Candidacy;
import io.holdfast.Election;
import io.holdfast.LeaseLostException;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.contracts.HandLeader;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One candidate and its leader, in virtual time: what it asks, when it leads, and what becomes of its leader. */
final class ElectionEngineTest extends EngineFixture {
    private static final Duration ELECTION_TERM = seconds(15);
    /** A term of 15 s, less 1 % and 2 ms. */
    private static final Duration VALID = millis(14_848);

    private static final Duration REFRESH = OPTIONS.refreshInterval();
    private static final Duration SPACING = millis(100);

    private final HandLeader leader = new HandLeader();
    private final Election election = holdfast.election("a").withThreads(leader.threads);
    private final List<Optional<LossReason>> over = new ArrayList<>();

    @BeforeEach
    void answer() {
        server.answer("PUBLISH", call -> Reply.of(0));
        server.answer("release", call -> server.released("RELEASED"));
    }

    private HandLeader.Term elected(long token) {
        server.next("acquire").answer(server.granted(token));
        HandLeader.Term term = leader.next();
        term.leadership.whenOver().thenAccept(over::add);
        assertEquals(token, term.leadership.token());
        return term;
    }

    private void until(Duration elapsed) {
        time.advance(elapsed.minus(time.elapsed()));
    }

    @Test
    void election_withoutOptions_hasATermOf15SecondsAndStrictOrder() {
        assertEquals("hf:{%lead:a}", election.key());
        assertEquals(ELECTION_TERM, election.options().leaseDuration());
        assertEquals(
                Optional.of(seconds(5)), Optional.ofNullable(election.options().interruptBefore()));
        assertEquals(ELECTION_TERM, election.grace());
        assertEquals(
                0,
                holdfast.election("b", LockOptions.defaults().withLocalHandoffs())
                        .options()
                        .localHandoffs());
        Candidacy one = election.campaign(leader);
        Candidacy other = election.campaign(leader);
        assertEquals(2, server.count("acquire"), "each candidate stands in the server's queue");
        one.close();
        other.close();
    }

    @Test
    void election_optionsThatMeanNothing_areRefusedByName() {
        LockOptions usual = LockOptions.defaults();
        for (LockOptions refused : List.of(
                usual.withRenewal(false),
                usual.withReentrancy(LockOptions.Reentrancy.REENTER),
                usual.withReentrancy(LockOptions.Reentrancy.REFUSE),
                usual.withKeepFor(seconds(1)),
                usual.withRequestLife(seconds(1), LockOptions.RequestEnd.LEAVE))) {
            IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> holdfast.election("a", refused));
            assertTrue(String.valueOf(refusal.getMessage()).contains(" for an election: "), refusal::toString);
        }
    }

    @Test
    void campaign_granted_leadsUntilTheLeaderReturnsAndThenCampaignsAgain() {
        Candidacy me = election.campaign(leader);
        assertFalse(me.isLeader());
        HandLeader.Term term = elected(100);
        assertTrue(me.isLeader());
        assertEquals(Optional.of(term.leadership), me.leadership());
        assertEquals(1, server.count("PUBLISH"));
        assertEquals("hf:led:{%lead:a}", server.calls("PUBLISH").get(0).arg(1));
        time.advance(SPACING);
        term.end();
        assertFalse(me.isLeader());
        assertEquals(List.of(Optional.empty()), over);
        assertEquals(1, server.count("release"));
        Call again = server.next("acquire");
        again.answer(server.queued(3, ELECTION_TERM));
        time.advance(seconds(1));
        assertFalse(me.isLeader());
        assertThrows(LeaseLostException.class, term.leadership::requireValid);
        me.close();
        assertEquals(again.owner(), server.calls("release").get(1).owner(), "withdrawn");
    }

    @Test
    void campaign_handedOver_isGoodForATermBeforeItsLeaderBegins() {
        Candidacy me = election.campaign(leader);
        Call acquire = server.next("acquire");
        acquire.answer(server.queued(1, ELECTION_TERM));
        server.grant(acquire, 100, CLAIM, Duration.ZERO);
        leader.assertIdle();
        HandLeader.Term term = elected(100);
        assertEquals(VALID, term.leadership.remaining());
        time.advance(seconds(1));
        term.assertNotInterrupted();
        me.close();
        term.end();
    }

    @Test
    void leadership_serverSilent_leaderIsInterruptedBeforeTheDeadlineAndItIsOverAtIt() {
        Candidacy me = election.campaign(leader);
        HandLeader.Term term = elected(100);
        until(VALID.minusSeconds(5).minusNanos(1));
        term.assertNotInterrupted();
        until(VALID.minusSeconds(5));
        term.awaitInterrupt();
        assertTrue(me.isLeader());
        until(VALID.minusNanos(1));
        assertTrue(me.isLeader());
        int asked = server.count("acquire");
        until(VALID);
        assertFalse(me.isLeader());
        term.awaitInterrupt();
        assertEquals(List.of(Optional.of(LossReason.EXPIRED)), over);
        assertEquals(asked + 1, server.count("acquire"), "campaigns again");
        term.end();
        me.close();
    }

    @Test
    void leadership_renewed_goesOn() {
        server.answer("renew", server::renewed);
        Candidacy me = election.campaign(leader);
        HandLeader.Term term = elected(100);
        time.advance(Duration.ofMinutes(10));
        assertTrue(me.isLeader());
        term.assertNotInterrupted();
        me.close();
        term.end();
    }

    @Test
    void leadership_gone_isOverAtOnceAndFinal() {
        Candidacy me = election.campaign(leader);
        HandLeader.Term first = elected(100);
        server.answer("renew", call -> server.renewed(0));
        time.advance(seconds(6));
        assertEquals(List.of(Optional.of(LossReason.NOT_ON_SERVER)), over);
        first.awaitInterrupt();
        first.end();
        HandLeader.Term second = elected(200);
        assertTrue(me.isLeader());
        assertFalse(first.leadership.isValid(), "the former one stays over");
        me.close();
        second.end();
    }

    @Test
    void leadership_longestHoldReached_comesToItsEndAndTheNextFollows() {
        server.answer("renew", server::renewed);
        Candidacy me = holdfast.election("a", LockOptions.defaults().withMaxHold(Duration.ofMinutes(1)))
                .withThreads(leader.threads)
                .campaign(leader);
        HandLeader.Term term = elected(100);
        time.advance(Duration.ofMinutes(1).plus(ELECTION_TERM.multipliedBy(2)));
        assertEquals(List.of(Optional.of(LossReason.LEASE_LIMIT_REACHED)), over);
        assertFalse(server.next("acquire")
                .owner()
                .equals(server.calls("acquire").get(0).owner()));
        term.end();
        me.close();
    }

    @Test
    void leader_stillAtWorkWhenElectedAgain_isFollowedByTheNextWhenItReturns() {
        Candidacy me = election.campaign(leader);
        HandLeader.Term first = elected(100);
        until(VALID);
        server.next("acquire").answer(server.granted(200));
        time.advance(seconds(4));
        leader.assertIdle();
        assertFalse(me.isLeader(), "held up");
        first.end();
        HandLeader.Term second = leader.next();
        assertEquals(200, second.leadership.token());
        assertTrue(me.isLeader());
        server.answer("renew", server::renewed);
        time.advance(ELECTION_TERM);
        assertTrue(me.isLeader(), "the grace was for its beginning");
        me.close();
        second.end();
    }

    @Test
    void leader_stillAtWorkWhenTheGraceIsOver_resignsAndCampaignsWhenItReturns() {
        server.answer("renew", call -> server.renewed(0));
        Candidacy me = election.withGrace(seconds(3)).campaign(leader);
        HandLeader.Term first = elected(100);
        until(seconds(6));
        server.answer("renew", server::renewed);
        int released = server.count("release");
        server.next("acquire").answer(server.granted(200));
        time.advance(seconds(3).minusNanos(1));
        assertEquals(released, server.count("release"));
        time.advance(Duration.ofNanos(1));
        assertEquals(released + 1, server.count("release"));
        time.advance(Duration.ofMinutes(1));
        assertEquals(2, server.count("acquire"), "nobody could lead");
        leader.assertIdle();
        first.end();
        HandLeader.Term second = elected(300);
        me.close();
        second.end();
    }

    @Test
    void leader_returnsSoonAfterAShortGrace_asksNoSoonerThanAfterAnyElection() {
        server.answer("renew", call -> server.renewed(0));
        Candidacy me = election.withGrace(millis(1)).campaign(leader);
        HandLeader.Term first = elected(100);
        until(seconds(6));
        server.next("acquire").answer(server.granted(200));
        time.advance(millis(1));
        first.end();
        assertEquals(2, server.count("acquire"));
        time.advance(SPACING.minusMillis(1).minusNanos(1));
        assertEquals(2, server.count("acquire"));
        time.advance(Duration.ofNanos(1));
        assertEquals(3, server.count("acquire"));
        me.close();
    }

    @Test
    void leader_heldUpAndLost_asksAgain() {
        server.answer("renew", call -> server.renewed(0));
        Candidacy me = election.campaign(leader);
        HandLeader.Term first = elected(100);
        until(seconds(6));
        server.next("acquire").answer(server.granted(200));
        until(seconds(12));
        server.next("acquire").answer(server.queued(1, ELECTION_TERM));
        first.end();
        leader.assertIdle();
        me.close();
    }

    @Test
    void resign_leading_releasesBeforeItAsksAgainAndInterruptsItsLeader() {
        Candidacy me = election.campaign(leader);
        HandLeader.Term term = elected(100);
        time.advance(seconds(1));
        me.resign();
        assertFalse(me.isLeader());
        term.awaitInterrupt();
        assertEquals(List.of(Optional.empty()), over);
        Call again = server.next("acquire");
        assertTrue(server.calls("release").get(0).sent().compareTo(again.sent()) <= 0);
        again.answer(server.queued(2, ELECTION_TERM));
        term.end();
        assertFalse(me.isLeader());
        me.close();
    }

    @Test
    void resign_waiting_changesNothing() {
        Candidacy me = election.campaign(leader);
        server.next("acquire").answer(server.queued(2, ELECTION_TERM));
        me.resign();
        assertEquals(0, server.count("release"));
        assertEquals(1, server.count("acquire"));
        me.close();
    }

    @Test
    void close_leading_isFinal() {
        Candidacy me = election.campaign(leader);
        HandLeader.Term term = elected(100);
        me.close();
        me.close();
        assertFalse(me.isLeader());
        term.awaitInterrupt();
        term.end();
        time.advance(Duration.ofMinutes(1));
        assertEquals(1, server.count("acquire"));
        assertEquals(1, server.count("release"));
    }

    @Test
    void close_grantedAtThatMoment_givesItBack() {
        Candidacy me = election.campaign(leader);
        Call acquire = server.next("acquire");
        me.close();
        acquire.answer(server.granted(100));
        time.advance(seconds(1));
        leader.assertIdle();
        assertTrue(
                server.calls("release").stream().anyMatch(call -> call.owner().equals(acquire.owner())));
        assertEquals(1, server.count("acquire"));
    }

    @Test
    void clientClosed_leadingAndWaiting_bothEndForGood() {
        Candidacy me = election.campaign(leader);
        HandLeader.Term term = elected(100);
        HandLeader idle = new HandLeader();
        Candidacy other = election.withThreads(idle.threads).campaign(idle);
        server.next("acquire").answer(server.queued(1, ELECTION_TERM));
        int asked = server.count("acquire");
        holdfast.close();
        assertFalse(me.isLeader() || other.isLeader());
        assertEquals(List.of(Optional.of(LossReason.CLIENT_CLOSED)), over);
        term.awaitInterrupt();
        term.end();
        idle.assertIdle();
        assertEquals(asked, server.count("acquire"));
    }

    @Test
    void leader_failed_campaignsAgainAfterAWhile() {
        Candidacy me = election.campaign(leader);
        elected(100).end(() -> {
            throw new IllegalStateException("thrown on purpose");
        });
        assertEquals(1, server.count("release"));
        time.advance(REFRESH.minusNanos(1));
        assertEquals(1, server.count("acquire"));
        time.advance(Duration.ofNanos(1));
        assertEquals(2, server.count("acquire"));
        me.close();
    }

    @Test
    void leader_returnsAtOnce_doesNotSpin() {
        Candidacy me = election.campaign(leader);
        for (int i = 1; i <= 5; i++) {
            elected(100 + i).end();
            time.advance(SPACING.minusNanos(1));
            assertEquals(i, server.count("acquire"));
            time.advance(Duration.ofNanos(1));
            assertEquals(i + 1, server.count("acquire"));
        }
        me.close();
    }

    @Test
    void leader_withoutAThread_resignsAndCampaignsAgainAfterAWhile() {
        Candidacy me = election.withThreads(task -> {
                    throw new IllegalStateException("no threads, on purpose");
                })
                .campaign(leader);
        server.next("acquire").answer(server.granted(100));
        assertFalse(me.isLeader());
        assertEquals(1, server.count("release"));
        time.advance(REFRESH);
        assertEquals(2, server.count("acquire"));
        me.close();
    }

    @Test
    void campaign_refusedByTheServer_asksAgainAfterAWhile() {
        Candidacy me = election.campaign(leader);
        server.next("acquire").reject("NOPERM this user has no permissions");
        time.advance(REFRESH);
        HandLeader.Term term = elected(100);
        me.close();
        term.end();
    }

    @Test
    void campaign_droppedByAnOperator_asksAgainAfterAWhile() {
        Candidacy me = election.campaign(leader);
        Call acquire = server.next("acquire");
        acquire.answer(server.queued(1, ELECTION_TERM));
        server.message("E " + acquire.publicOwner() + " " + acquire.keys().get(0));
        assertEquals(1, server.count("acquire"));
        time.advance(REFRESH);
        Call again = server.next("acquire");
        assertFalse(again.owner().equals(acquire.owner()));
        me.close();
    }

    @Test
    void campaign_serverAway_asksAgainWhenItIsBack() {
        server.disconnect();
        Candidacy me = election.campaign(leader);
        time.advance(Duration.ofMinutes(5));
        leader.assertIdle();
        server.restore();
        server.answer("acquire", call -> server.granted(100));
        time.advance(seconds(2));
        HandLeader.Term term = leader.next();
        assertTrue(me.isLeader());
        me.close();
        term.end();
    }
}
