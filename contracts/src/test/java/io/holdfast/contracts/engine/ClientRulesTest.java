package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.engine.HandDriver.Fate;
import io.holdfast.contracts.engine.HandDriver.Held;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * The rules that stand in the client: each is needed. The product has no switch for them. A client without the rule is
 * played by what it would have seen or done: each test says how.
 */
final class ClientRulesTest extends RuleFixture {

    // ---- the deadline of a handed-off lease; where nothing safe can be said, it is confirmed before anybody sees it

    /** Without the rule: the claim would be counted from the receipt, as if it had been granted just then. */
    @Test
    void confirmFirst_messageComesAfterItsClaim_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party b = new Party();
            behind(b, CLAIM);
            String message = b.driver.receive();
            awaitExpiry();
            new Party().take();
            b.driver.deliver(withRule ? message : stamped(message, serverMicros()));
            return overlap();
        });
    }

    /**
     * The server's clock jumps ahead by ten seconds just before the grant. Without the rule: the grant would be taken to
     * have been made at the receipt at the latest.
     */
    @Test
    void confirmFirst_serverClockJumpedAhead_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party b = new Party();
            behind(b, CLAIM);
            String message = b.driver.receive();
            String jumped = stamped(message, grantedMicros(message) + 10_000_000);
            awaitExpiry();
            new Party().take();
            b.driver.deliver(withRule ? jumped : stamped(message, Math.min(grantedMicros(jumped), serverMicros())));
            return overlap();
        });
    }

    /**
     * After a reconnect another server answers, whose clock is ahead. Without the rule: the pair of the old server would
     * still be used; so the client is not told of the reconnect.
     */
    @Test
    void confirmFirst_noPairSinceTheReconnect_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party b = new Party();
            behind(b, CLAIM);
            String message = b.driver.receive();
            awaitExpiry();
            new Party().take();
            // The first answers of the new server, which would bring a new pair, are still under way.
            b.driver.always(Script.REFRESH, Fate.REQUEST_HELD);
            b.driver.always(Script.ACQUIRE, Fate.REQUEST_HELD);
            if (withRule) {
                b.driver.reconnected();
            }
            b.driver.deliver(stamped(message, serverMicros() - 50_000));
            return overlap();
        });
    }

    /** B waits; the holder releases; the message that B is next is on its way. */
    private CompletableFuture<Attempt<Lease>> behind(Party b, Duration claim) {
        Lease lease = new Party().take();
        CompletableFuture<Attempt<Lease>> waiting = b.queue(claim);
        lease.release();
        return waiting;
    }

    private static long grantedMicros(String message) {
        return Long.parseLong(message.split(" ", -1)[3]);
    }

    private static String stamped(String message, long micros) {
        String[] words = message.split(" ", -1);
        words[3] = Long.toString(micros);
        return String.join(" ", words);
    }

    private long serverMicros() {
        var clock = server.command("TIME").asList();
        return clock.get(0).asLong() * 1_000_000 + clock.get(1).asLong();
    }

    // ---- a reply bears the number of its call

    /**
     * B asks for a lock that is held, and for another, which is free; by a mistake in counting the grant of the second goes
     * to the request for the first. Without the rule: the reply bears no number but the one that is looked for.
     */
    @Test
    void callNumber_grantOfAnotherLockArrives_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            new Party().take();
            Party b = new Party();
            b.driver.next(Script.ACQUIRE, Fate.REQUEST_HELD);
            b.ask(LockOptions.defaults(), Wait.none());
            Held taken = b.driver.held(Script.ACQUIRE);
            b.driver.next(Script.ACQUIRE, Fate.REQUEST_HELD);
            var other = b.holdfast.lock("b").attemptAsync(Wait.none());
            Held free = b.driver.held(Script.ACQUIRE);
            String granted = free.run().asString();
            assertTrue(granted.endsWith(" " + free.number()), granted);
            if (!withRule) {
                granted = granted.substring(0, granted.lastIndexOf(' ') + 1) + taken.number();
            }
            taken.answer(Reply.of(granted));
            free.fail();
            assertInstanceOf(Attempt.Unknown.class, other.join());
            assertEquals(withRule ? 1 : 0, b.driver.reconnects());
            return overlap();
        });
    }

    // ---- a grant that nobody waits for is released at once

    /**
     * A copy of an acquire arrives when the tombstone of its owner is gone already, and is queued. Without the rule: the
     * client does not see the message of its grant.
     */
    @Test
    void giveBack_grantForAnOwnerThatEnded_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Lease lease = new Party().take();
            Party b = new Party();
            b.driver.next(Script.ACQUIRE, Fate.REQUEST_HELD);
            CompletableFuture<Attempt<Lease>> asked =
                    b.ask(LockOptions.defaults().withHandoffTimeout(LONG_CLAIM), Wait.forever());
            Held copy = b.driver.held(Script.ACQUIRE);
            copy.fail();
            asked.cancel(false);
            for (var key : server.command("KEYS", "*:x:*").asList()) {
                server.command("DEL", key.asString()); // two minutes later
            }
            copy.run();
            lease.release();
            String message = b.driver.receive();
            if (withRule) {
                b.driver.deliver(message);
            }
            return orphan();
        });
    }

    // ---- what may be left is taken back

    /** Without the rule: the client thinks that its release was answered, but none was sent. */
    @Test
    void takeBack_answerOfAnAcquireIsLost_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party b = new Party();
            b.driver.next(Script.ACQUIRE, Fate.ANSWER_LOST);
            if (!withRule) {
                b.driver.always(Script.RELEASE, Fate.PRETENDED);
            }
            assertInstanceOf(
                    Attempt.Unknown.class,
                    b.ask(LockOptions.defaults(), Wait.none()).join());
            return orphan();
        });
    }

    /** The same of a request that is cancelled while its grant is on the way. */
    @Test
    void takeBack_cancelledWhileTheGrantIsUnderWay_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party b = new Party();
            CompletableFuture<Attempt<Lease>> waiting = behind(b, LONG_CLAIM);
            if (!withRule) {
                b.driver.always(Script.RELEASE, Fate.PRETENDED);
            }
            waiting.cancel(false);
            b.driver.deliver(b.driver.receive());
            return orphan();
        });
    }

    /** The same of a release that is lost on its way to the server. */
    @Test
    void takeBack_releaseIsLostOnTheWay_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party b = new Party();
            Lease lease = b.take();
            b.driver.next(Script.RELEASE, Fate.REQUEST_HELD);
            CompletableFuture<ReleaseResult> result = lease.releaseAsync();
            if (!withRule) {
                b.driver.always(Script.RELEASE, Fate.PRETENDED);
            }
            b.driver.held(Script.RELEASE).fail();
            assertEquals(ReleaseResult.UNCONFIRMED, result.join());
            return orphan();
        });
    }

    // ---- the deadline is counted from before the request left

    /**
     * The answer comes when the hold has almost ended on the server. Without the rule the term would count from the
     * answer, which is the same as a clock that stood still while the request was under way.
     */
    @Test
    void countedFromTheSend_answerTakesLong_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            AtomicLong stoodStill = new AtomicLong();
            Party b = new Party(UnaryOperator.identity(), () -> System.nanoTime() - stoodStill.get());
            LockOptions options = LockOptions.defaults()
                    .withLeaseDuration(Duration.ofSeconds(3))
                    .withRenewal(false);
            b.driver.next(Script.ACQUIRE, Fate.ANSWER_HELD);
            long sent = System.nanoTime();
            CompletableFuture<Attempt<Lease>> asked = b.ask(options, Wait.none());
            awaitLessThan(Duration.ofMillis(700));
            if (!withRule) {
                stoodStill.set(System.nanoTime() - sent);
            }
            b.driver.held(Script.ACQUIRE).answer();
            return contend(asked.join().orElseThrow(), new Party());
        });
    }

    // ---- a release ends the lease here before the request leaves

    /** Without the rule: the request leaves by another hand first, and then the lease is ended. */
    @Test
    void endedBeforeTheRequestLeaves_releaseHandsOffAtOnce_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party a = new Party();
            Party c = new Party();
            Lease lease = a.take();
            String[] found = {SOUND};
            Runnable nextComesIn = () -> {
                assertTrue(c.tryTake());
                found[0] = overlap();
            };
            if (withRule) {
                // At this point the server has run the release, and the releasing client has not heard of it.
                a.driver.afterRun(Script.RELEASE, nextComesIn);
            } else {
                String owner = server.command("GET", KEYS.hold()).asString().split(" ", -1)[0];
                server.command(
                        "EVAL",
                        Script.RELEASE.text(),
                        "6",
                        KEYS.hold(),
                        KEYS.queue(),
                        KEYS.parked(),
                        KEYS.details(),
                        KEYS.token(),
                        KEYS.tombstone(owner),
                        "A 30000 hf:to:",
                        "3600000",
                        owner,
                        "");
                nextComesIn.run();
            }
            lease.release();
            return found[0];
        });
    }
}
