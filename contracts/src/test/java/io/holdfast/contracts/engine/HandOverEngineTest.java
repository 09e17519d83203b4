package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseTicket;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver.Call;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a giver learns of its lease, and since when leases hold. */
final class HandOverEngineTest extends EngineFixture {
    private final List<LockEvent> told = new ArrayList<>();
    private final LockOptions options = LockOptions.defaults().withListener(told::add);

    private Lease given(AtomicReference<LossReason> lost) {
        Lease lease = lease("a", options);
        lease.whenLost().thenAccept(lost::set);
        assertEquals(100, lease.ticket().token());
        return lease;
    }

    private boolean isTold(Class<?> event) {
        return told.stream().anyMatch(event::isInstance);
    }

    @Test
    void renewal_findsAnotherOwnerAfterATicket_endsQuietlyAsHandedOver() {
        AtomicReference<LossReason> lost = new AtomicReference<>();
        Lease lease = given(lost);
        server.answer("renew", call -> server.renewed(0));
        time.runUntil("it asks what became of it", seconds(15), () -> server.count("adopted") == 1);
        assertTrue(lease.isValid(), "not known yet");
        server.next("adopted").answer(server.adopted("ADOPTED"));
        assertFalse(lease.isValid());
        assertTrue(lease.isHandedOver());
        assertNull(lost.get());
        assertTrue(isTold(LockEvent.HandedOver.class));
        assertFalse(isTold(LockEvent.Lost.class));
        LeaseLostException thrown = assertThrows(LeaseLostException.class, lease::requireValid);
        assertNull(thrown.reason());
        assertTrue(String.valueOf(thrown.getMessage()).contains("handed over"), thrown.getMessage());
        lease.detach(); // it is
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        time.advance(seconds(60));
        assertEquals(0, server.count("release"), "nothing is taken back");
    }

    @Test
    void renewal_findsItGoneAfterATicket_isLostUnlessTheServerKnowsAnHeir() {
        AtomicReference<LossReason> lost = new AtomicReference<>();
        given(lost);
        server.answer("renew", call -> server.renewed(0));
        server.answer("adopted", call -> server.adopted("OTHER"));
        server.answer("release", call -> server.released("GONE"));
        time.runUntil("it is lost", seconds(15), () -> lost.get() == LossReason.NOT_ON_SERVER);
        assertEquals(1, server.count("release"), "it is taken back");
    }

    @Test
    void renewal_findsItGoneAndTheQuestionIsNotAnswered_isLost() {
        AtomicReference<LossReason> lost = new AtomicReference<>();
        Lease lease = given(lost);
        server.answer("renew", call -> server.renewed(0));
        server.answer("release", call -> server.released("GONE"));
        time.runUntil("it asks", seconds(15), () -> server.count("adopted") == 1);
        time.advance(OPTIONS.commandTimeout().plusMillis(600));
        assertEquals(LossReason.NOT_ON_SERVER, lost.get());
        server.next("adopted").answer(server.adopted("ADOPTED")); // too late
        assertFalse(lease.isHandedOver());
    }

    @Test
    void renewal_findsItGoneWithoutATicket_asksNobody() {
        AtomicReference<LossReason> lost = new AtomicReference<>();
        lease("a", options).whenLost().thenAccept(lost::set);
        server.answer("renew", call -> server.renewed(0));
        server.answer("release", call -> server.released("GONE"));
        time.runUntil("it is lost", seconds(15), () -> lost.get() == LossReason.NOT_ON_SERVER);
        assertEquals(0, server.count("adopted"));
    }

    @Test
    void detach_adoptedBefore_isHandedOverAndThrowsNothing() {
        AtomicReference<LossReason> lost = new AtomicReference<>();
        Lease lease = given(lost);
        server.answer("confirm", call -> server.gone());
        server.answer("adopted", call -> server.adopted("ADOPTED"));
        lease.detach();
        assertTrue(lease.isHandedOver());
        assertNull(lost.get());
        assertEquals(0, server.count("release"));
    }

    @Test
    void detach_expiredHereAndAdoptedThere_throwsNothing() {
        AtomicReference<LossReason> lost = new AtomicReference<>();
        Lease lease = given(lost);
        server.answer("release", call -> server.released("GONE"));
        time.advance(VALIDITY);
        assertEquals(LossReason.EXPIRED, lost.get());
        server.answer("adopted", call -> server.adopted("ADOPTED"));
        lease.detach();
        server.answer("adopted", call -> server.adopted("OTHER"));
        assertEquals(
                LossReason.EXPIRED,
                assertThrows(LeaseLostException.class, lease::detach).reason());
    }

    @Test
    void call_adoptedWhileTheWorkRuns_returnsWhatTheWorkGave() throws Exception {
        server.answer("acquire", call -> server.granted(100));
        server.answer("renew", call -> server.renewed(0));
        server.answer("adopted", call -> server.adopted("ADOPTED"));
        String done = holdfast.lock("a").call(lease -> {
            lease.ticket();
            time.advance(seconds(11));
            assertTrue(lease.isHandedOver());
            return "done";
        });
        assertEquals("done", done);
        assertEquals(0, server.count("release"));
    }

    @Test
    void adopt_answersTooLateEachTime_isTakenBackUnderItsOwnOwner() {
        LeaseTicket ticket = new LeaseTicket("a", "x.0-1~secret", 7, 7, seconds(1));
        server.answer("release", call -> server.released("RELEASED"));
        server.answer("adopt", call -> {
            time.advance(seconds(1));
            return server.adoptedSince(1);
        });
        assertThrows(LeaseLostException.class, () -> holdfast.adopt(ticket));
        List<Call> adopts = server.calls("adopt");
        assertEquals(4, adopts.size());
        String owner = adopts.get(0).arg(5);
        assertTrue(adopts.stream().allMatch(call -> call.arg(5).equals(owner)), "it repeats itself");
        assertEquals(1, server.count("release"));
        assertEquals(owner, server.calls("release").get(0).owner());
        assertEquals(0, holdfast.leaseCount());
    }

    @Test
    void adopt_answered_isALeaseWithTheTimeOfTheGrant() {
        LeaseTicket ticket = new LeaseTicket("a", "x.0-1~secret", 7, 7, seconds(5));
        long granted = server.serverMicros() - 3_000_000;
        server.answer("adopt", call -> server.adoptedSince(granted));
        Lease lease = holdfast.adopt(ticket, options);
        assertEquals(7, lease.token());
        assertEquals(micros(granted), lease.since());
        assertTrue(lease.owner().startsWith(holdfast.id()));
        assertTrue(isTold(LockEvent.Adopted.class));
        server.answer("release", call -> server.released("RELEASED"));
        assertEquals(ReleaseResult.RELEASED, lease.release());
    }

    // ---- since when

    private static Instant micros(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    @Test
    void since_grantedAtOnceByMessageOrInAReply_isTheServersTimeOfTheGrant() {
        CompletableFuture<Lease> free = holdfast.lock("a").acquireAsync(Wait.none());
        long now = server.serverMicros();
        Call acquire = server.next("acquire");
        time.advance(millis(300));
        acquire.answer(server.granted(100));
        assertEquals(micros(now + 300_000), obtained(free).since());
        Waiting byMessage = waiting("b");
        time.advance(millis(100));
        long granted = server.serverMicros() - 40_000;
        server.grant(byMessage.acquire, 7, CLAIM, millis(40));
        assertEquals(micros(granted), obtained(byMessage.future).since());
        Waiting byReply = waiting("c");
        server.answer("refresh", call -> server.refreshedWithClaim(call, byReply.acquire, 9, CLAIM));
        time.runUntil("a refresh", seconds(5), byReply.future::isDone);
        assertEquals(micros(server.serverMicros()), obtained(byReply.future).since());
    }

    @Test
    void since_leasesThatShareAHold_isTheirOwn() {
        LockOptions handed = LockOptions.defaults().withLocalHandoffs(3, seconds(5));
        CompletableFuture<Lease> first = holdfast.lock("a", handed).acquireAsync(Wait.forever());
        Instant begin = micros(server.serverMicros());
        server.next("acquire").answer(server.grantedToKeep(100));
        CompletableFuture<Lease> second = holdfast.lock("a", handed).acquireAsync(Wait.forever());
        assertEquals(begin, obtained(first).since());
        time.advance(millis(20));
        obtained(first).release();
        assertEquals(begin.plusMillis(20), obtained(second).since());
    }
}
