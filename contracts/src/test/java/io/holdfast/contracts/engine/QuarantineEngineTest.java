package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static io.holdfast.contracts.Outcomes.assertObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ServerRefusedException;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a client with a quarantine hands leases out. */
class QuarantineEngineTest {
    private static final Duration QUARANTINE = Duration.ofSeconds(30);
    private static final HoldfastOptions OPTIONS = HoldfastOptions.defaults()
            .withExecutor(Runnable::run)
            .withCloseTimeout(Duration.ofMillis(50))
            .withQuarantine(QUARANTINE);

    private final VirtualTime time = new VirtualTime();
    private final FakeDriver server = new FakeDriver(time);
    private Duration forgetfulUntil = Duration.ZERO; // by virtual time

    private Holdfast connect() {
        server.answer("renew", call -> server.renewed(call));
        return Holdfast.over(server, OPTIONS, time.environment(1));
    }

    /** The server has lost its memory, or is new, and is asked for the first time now. */
    private void forgets() {
        forgetfulUntil = time.elapsed().plus(QUARANTINE);
        answersAboutItsMemory();
    }

    private void answersAboutItsMemory() {
        server.answer("memory", call -> {
            Duration left = forgetfulUntil.minus(time.elapsed());
            return left.compareTo(Duration.ZERO) > 0
                    ? Reply.of(List.of(Reply.of("FRESH"), Reply.of(left.toMillis())))
                    : Reply.of(List.of(Reply.of("KNOWS")));
        });
    }

    private CompletableFuture<Attempt<Lease>> ask(Holdfast holdfast, Wait wait) {
        CompletableFuture<Attempt<Lease>> attempt = holdfast.lock("a").attemptAsync(wait);
        server.next("acquire").answer(server.granted(100));
        return attempt;
    }

    @AfterEach
    void answerReleases() {
        server.answer("release", call -> server.released("RELEASED"));
    }

    @Test
    void acquire_serverThatKnowsItsGrants_handsOutAtOnce() {
        assertObtained(ask(connect(), Wait.none()).join());
    }

    @Test
    void acquire_serverThatMayHaveForgotten_handsOutWhenTheTimeIsOverAndNotBefore() {
        forgets();
        CompletableFuture<Attempt<Lease>> attempt = ask(connect(), Wait.forever());
        time.advance(QUARANTINE.minusMillis(1));
        assertFalse(attempt.isDone());
        time.advance(Duration.ofMillis(1));
        assertTrue(attempt.join().orElseThrow().isValid());
    }

    @Test
    void acquire_notRenewedAndHeldBackForLongerThanItsTerm_isGoodForItsWholeTermAndNoLonger() {
        forgets();
        Holdfast holdfast = connect();
        server.answer("confirm", call -> server.held());
        Duration term = Duration.ofSeconds(5);
        CompletableFuture<Attempt<Lease>> attempt = holdfast.lock(
                        "a", LockOptions.defaults().withLeaseDuration(term).withRenewal(false))
                .attemptAsync(Wait.forever());
        server.next("acquire").answer(server.granted(100));
        time.advance(QUARANTINE.minusMillis(1));
        assertFalse(attempt.isDone());
        time.advance(Duration.ofMillis(1));
        Lease lease = attempt.join().orElseThrow();
        Duration allowance = Duration.ofMillis(52); // 1 % and 2 ms
        assertEquals(term.minus(allowance), lease.remaining());
        int before = server.count("renew");
        time.advance(term.minus(allowance).minusMillis(1));
        assertTrue(lease.isValid());
        time.advance(Duration.ofMillis(1));
        assertEquals(
                LossReason.LEASE_LIMIT_REACHED,
                lease.whenLost().toCompletableFuture().getNow(null));
        assertEquals(before, server.count("renew"));
    }

    @Test
    void acquire_memoryLostWhileItIsHeldBack_waitsAnew() {
        forgets();
        CompletableFuture<Attempt<Lease>> attempt = ask(connect(), Wait.forever());
        time.advance(QUARANTINE.dividedBy(2));
        forgets();
        time.advance(QUARANTINE.minusMillis(1));
        assertFalse(attempt.isDone());
        time.advance(Duration.ofMillis(1));
        assertTrue(attempt.join().orElseThrow().isValid());
    }

    @Test
    void acquire_granted_isAskedForTheMemoryAfterwardsAndNotBefore() {
        Holdfast holdfast = connect();
        server.stopAnswering("memory");
        int before = server.count("memory");
        CompletableFuture<Attempt<Lease>> attempt = holdfast.lock("a").attemptAsync(Wait.none());
        assertEquals(before, server.count("memory"));
        server.next("acquire").answer(server.granted(100));
        assertEquals(before + 1, server.count("memory"));
        assertFalse(attempt.isDone());
        answersAboutItsMemory();
        assertObtained(attempt.join());
    }

    @Test
    void acquire_questionNotAnswered_isAskedAgain() {
        Holdfast holdfast = connect();
        server.stopAnswering("memory");
        CompletableFuture<Attempt<Lease>> attempt = ask(holdfast, Wait.none());
        server.next("memory").fail();
        assertFalse(attempt.isDone());
        answersAboutItsMemory();
        time.advance(Duration.ofMillis(100));
        assertObtained(attempt.join());
    }

    @Test
    void acquire_questionRefused_failsWithTheReasonAndGivesBack() {
        Holdfast holdfast = connect();
        server.stopAnswering("memory");
        CompletableFuture<Attempt<Lease>> attempt = ask(holdfast, Wait.none());
        server.next("memory").reject("ERR The user executing the script can't run this command or subcommand");
        answerReleases();
        CompletionException e = assertThrows(CompletionException.class, attempt::join);
        assertTrue(String.valueOf(assertInstanceOf(ServerRefusedException.class, e.getCause())
                        .getMessage())
                .contains("docs/operations.md"));
        assertTrue(server.count("release") > 0);
    }

    @Test
    void wait_overBeforeTheQuarantine_isUnconfirmedAtOnceAndGivenBack() {
        forgets();
        Holdfast holdfast = connect();
        for (Wait wait : List.of(Wait.none(), Wait.upTo(QUARANTINE.minusMillis(1)))) {
            CompletableFuture<Attempt<Lease>> attempt =
                    holdfast.lock("a", EngineFixture.STRICT).attemptAsync(wait);
            server.next("acquire").answer(server.granted(100));
            assertNotNull(server.next("release"));
            assertNotObtained(Reason.QUARANTINE, attempt.join());
        }
    }

    @Test
    void connect_andConnectAgain_lookForTheMemoryBeforeAnybodyAsksForALock() {
        connect();
        assertEquals(1, server.count("memory"));
        server.disconnect();
        server.restore();
        assertEquals(2, server.count("memory"));
    }

    @Test
    void lock_termOrExtensionLongerThanTheQuarantine_isRefused() {
        Holdfast holdfast = connect();
        LockOptions longer = LockOptions.defaults().withLeaseDuration(QUARANTINE.plusMillis(1));
        assertThrows(IllegalArgumentException.class, () -> holdfast.lock("a", longer));
        Lease lease = ask(holdfast, Wait.none()).join().orElseThrow();
        assertThrows(IllegalArgumentException.class, () -> lease.extendAsync(QUARANTINE.plusMillis(1)));
    }

    @Test
    void close_whileHeldBack_failsTheRequestAndReleases() {
        forgets();
        Holdfast holdfast = connect();
        CompletableFuture<Attempt<Lease>> attempt = ask(holdfast, Wait.forever());
        answerReleases();
        holdfast.close();
        time.advance(QUARANTINE);
        CompletionException e = assertThrows(CompletionException.class, attempt::join);
        assertInstanceOf(HoldfastClosedException.class, e.getCause());
        assertTrue(server.count("release") > 0);
    }

    @Test
    void cancel_whileHeldBack_releasesAtOnce() {
        forgets();
        CompletableFuture<Attempt<Lease>> attempt = ask(connect(), Wait.forever());
        attempt.cancel(true);
        assertNotNull(server.next("release"));
    }
}
