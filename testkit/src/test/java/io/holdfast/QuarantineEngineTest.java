package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Reply;
import io.holdfast.testkit.FakeDriver;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a client with a quarantine hands leases out. */
class QuarantineEngineTest {
    private static final Duration QUARANTINE = Duration.ofSeconds(20);
    private static final HoldfastOptions OPTIONS = HoldfastOptions.defaults()
            .withExecutor(Runnable::run)
            .withCloseTimeout(Duration.ofMillis(50))
            .withFailoverQuarantine(QUARANTINE);

    private final VirtualTime time = new VirtualTime();
    private final FakeDriver server = new FakeDriver(time);

    private Holdfast connect() {
        return Holdfast.over(server, OPTIONS, time.environment(1));
    }

    private void presents(String runId, long uptimeSeconds, boolean promoted) {
        server.answer(
                "INFO",
                call -> Reply.of("redis_version:7.0.15\r\nrole:master\r\nmaxmemory_policy:noeviction\r\nrun_id:" + runId
                        + "\r\nuptime_in_seconds:" + uptimeSeconds + "\r\nsecond_repl_offset:"
                        + (promoted ? "77" : "-1")
                        + "\r\n"));
    }

    private CompletableFuture<Attempt> ask(Holdfast holdfast, Wait wait) {
        CompletableFuture<Attempt> attempt = holdfast.lock("a").attemptAsync(wait);
        server.next("acquire").answer(server.granted(100));
        return attempt;
    }

    @AfterEach
    void answerReleases() {
        server.answer("release", call -> server.released("RELEASED"));
    }

    @Test
    void connect_longStandingServer_handsOutAtOnce() {
        presents("one", 3_600, false);
        assertInstanceOf(Attempt.Obtained.class, ask(connect(), Wait.none()).join());
    }

    @Test
    void connect_serverThatMayBeNew_handsOutWhenTheTimeIsOverAndNotBefore() {
        for (boolean promoted : List.of(false, true)) {
            presents("one", promoted ? 3_600 : 5, promoted);
            Holdfast holdfast = connect();
            server.answer("renew", call -> server.renewed(call));
            CompletableFuture<Attempt> attempt = ask(holdfast, Wait.forever());
            time.advance(QUARANTINE.minusMillis(1));
            assertFalse(attempt.isDone());
            time.advance(Duration.ofMillis(1));
            Lease lease = attempt.join().orElseThrow();
            assertTrue(lease.isValid());
            answerReleases();
            lease.release();
        }
    }

    @Test
    void wait_overBeforeTheQuarantine_isUnconfirmedAtOnceAndGivenBack() {
        presents("one", 5, false);
        Holdfast holdfast = connect();
        for (Wait wait : List.of(Wait.none(), Wait.upTo(QUARANTINE.minusMillis(1)))) {
            CompletableFuture<Attempt> attempt = ask(holdfast, wait);
            assertNotNull(server.next("release"));
            assertEquals(
                    Attempt.Unconfirmed.Reason.QUARANTINE,
                    assertInstanceOf(Attempt.Unconfirmed.class, attempt.join()).reason());
        }
    }

    @Test
    void reconnect_sameServer_handsOutAsSoonAsItIsKnown() {
        presents("one", 3_600, false);
        Holdfast holdfast = connect();
        server.stopAnswering("INFO");
        server.disconnect();
        server.restore();
        CompletableFuture<Attempt> attempt = ask(holdfast, Wait.none());
        time.advance(Duration.ofMillis(500));
        assertFalse(attempt.isDone());
        presents("one", 3_600, false);
        time.advance(Duration.ofMillis(20));
        assertInstanceOf(Attempt.Obtained.class, attempt.join());
    }

    @Test
    void reconnect_anotherServer_beginsTheQuarantine() {
        presents("one", 3_600, false);
        Holdfast holdfast = connect();
        presents("two", 3_600, false);
        server.disconnect();
        server.restore();
        assertInstanceOf(Attempt.Unconfirmed.class, ask(holdfast, Wait.none()).join());
        server.answer("renew", call -> server.renewed(call));
        CompletableFuture<Attempt> attempt = ask(holdfast, Wait.forever());
        time.advance(QUARANTINE);
        assertInstanceOf(Attempt.Obtained.class, attempt.join());
    }

    @Test
    void close_whileHeldBack_failsTheRequestAndReleases() {
        presents("one", 5, false);
        Holdfast holdfast = connect();
        CompletableFuture<Attempt> attempt = ask(holdfast, Wait.forever());
        answerReleases();
        holdfast.close();
        time.advance(QUARANTINE);
        CompletionException e = assertThrows(CompletionException.class, attempt::join);
        assertInstanceOf(HoldfastClosedException.class, e.getCause());
        assertTrue(server.count("release") > 0);
    }

    @Test
    void cancel_whileHeldBack_releasesAtOnce() {
        presents("one", 5, false);
        Holdfast holdfast = connect();
        CompletableFuture<Attempt> attempt = ask(holdfast, Wait.forever());
        attempt.cancel(true);
        assertNotNull(server.next("release"));
    }
}
