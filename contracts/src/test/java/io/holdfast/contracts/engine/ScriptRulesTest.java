package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.FencedValue;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseTicket;
import io.holdfast.LockOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.engine.HandDriver.Fate;
import io.holdfast.contracts.engine.HandDriver.Held;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The rules that stand in the scripts, between {@code -- rule} and {@code -- end}: each is needed. */
final class ScriptRulesTest extends RuleFixture {

    // ---- a grant is identified by owner and token: confirm and renew compare both

    @Test
    void tokencompare_confirmOfAnEarlierGrantOfTheSameOwner_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            long late = regrantedOwner();
            Reply reply = script(
                    rule(withRule, "tokencompare", "").apply(Script.CONFIRM.text()),
                    KEYS.all(),
                    withCommon("B", "B.0-1~s", Long.toString(late), "30000"));
            return olderThanItMayBe(word(reply).equals("HELD"), late);
        });
    }

    @Test
    void tokencompare_renewalOfAnEarlierGrantOfTheSameOwner_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            long late = regrantedOwner();
            Reply reply = script(
                    rule(withRule, "tokencompare", "local mine = isHoldOf(texts[i], ARGV[3 * i - 2])")
                            .apply(Script.RENEW.text()),
                    List.of(KEYS.hold()),
                    List.of("B.0-1~s", Long.toString(late), "30000"));
            return olderThanItMayBe(word(reply).equals("1"), late);
        });
    }

    /**
     * B is granted the lock by handoff, and does not hear of it in time; C holds the lock meanwhile; then B is granted it
     * anew, under the same owner id.
     *
     * @return the token of B's first grant, whose message comes only now
     */
    private long regrantedOwner() {
        List<String> a = withCommon("A", "A.0-1~s", "30000", "30000 x/x", "0", "1 0 0 F 0 T 200");
        List<String> b = withCommon("B", "B.0-1~s", "30000", "30000 x/x", "0", "1 0 0 F 0 T 200");
        List<String> c = withCommon("C", "C.0-1~s", "30000", "30000 x/x", "0", "0 0 0 F 0 T 200");
        assertEquals("GRANTED", word(acquire("A.0-1~s", a)));
        assertEquals("QUEUED", word(acquire("B.0-1~s", b)));
        assertEquals("RELEASED", word(release("A", "A.0-1~s")));
        long first = server.command("GET", KEYS.token()).asLong();
        awaitExpiry();
        assertEquals("GRANTED", word(acquire("C.0-1~s", c)));
        assertEquals("RELEASED", word(release("C", "C.0-1~s")));
        assertEquals("GRANTED", word(acquire("B.0-1~s", b)));
        return first;
    }

    private String olderThanItMayBe(boolean held, long token) {
        long last = server.command("GET", KEYS.token()).asLong();
        return held && token < last
                ? "a lease with token " + token + " is kept alive after the grant of " + last
                : SOUND;
    }

    // ---- a claim lasts for its window from the time on that its client is told

    /** Servers since 7.2 count a life from when they began with the script, and may stand still before it reads the clock. */
    @Test
    void handoff_serverStoodStillBeforeItReadTheClock_lastsForItsWindowFromTheTimeThatIsTold() {
        Duration still = Duration.ofSeconds(10);
        List<String> a = withCommon("A", "A.0-1~s", "30000", "30000 x/x", "0", "1 0 0 F 0 T 200");
        List<String> b = withCommon("B", "B.0-1~s", "30000", "30000 x/x", "0", "1 0 0 F 0 T 200");
        assertEquals("GRANTED", word(acquire("A.0-1~s", a)));
        assertEquals("QUEUED", word(acquire("B.0-1~s", b)));
        String later = "(function() local t = redis.call('TIME') return { string.format('%.0f', t[1] + "
                + still.toSeconds() + "), t[2] } end)()";
        Reply reply = script(
                Script.RELEASE.text().replace("redis.call('TIME')", later), KEYS.all(), withCommon("A", "A.0-1~s", ""));
        assertEquals("RELEASED", word(reply));
        long told = Long.parseLong(server.command("GET", KEYS.hold()).asString().split(" ", -1)[2]);
        long left = server.command("PTTL", KEYS.hold()).asLong();
        List<Reply> now = server.command("TIME").asList();
        long ends = now.get(0).asLong() * 1_000 + now.get(1).asLong() / 1_000 + left;
        assertTrue(ends >= told / 1_000 + 200, "it ends " + (told / 1_000 + 200 - ends) + " ms before its window");
    }

    // ---- what was done once answers all

    @Test
    void done_requestAfterTheRecord_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            assertEquals("GRANTED", word(acquire("A.0-1~s", asking("A"))));
            assertEquals("RELEASED", word(recorded("A", Script.RELEASE.text())));
            Reply reply = script(
                    rule(withRule, "done", "").apply(Script.ACQUIRE.text()), KEYS.allToAcquire("B.0-1~s"), asking("B"));
            return word(reply).equals("DONE") ? SOUND : "a request for what was done is " + word(reply);
        });
    }

    @Test
    void answers_requestWaitsWhenItIsRecorded_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            assertEquals("GRANTED", word(acquire("A.0-1~s", asking("A"))));
            assertEquals("QUEUED", word(acquire("B.0-1~s", asking("B"))));
            String release = rule(withRule, "answers", "").apply(Script.RELEASE.text());
            assertEquals("RELEASED", word(recorded("A", release)));
            long waiting = server.command("ZCARD", KEYS.queue()).asLong();
            return waiting == 0 ? SOUND : "a request waits for the end of a record";
        });
    }

    // ---- a pause is noted while the lock is held, and then keeps others out

    @Test
    void pause_lockThatIsToPauseIsReleased_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            assertEquals("GRANTED", word(acquire("A.0-1~s", asking("A"))));
            assertEquals("QUEUED", word(acquire("B.0-1~s", asking("B"))));
            assertEquals("NOTED", word(pause()));
            script(
                    rule(withRule, "pause", "").apply(Script.RELEASE.text()),
                    KEYS.all(),
                    withCommon("A", "A.0-1~s", ""));
            return holderIs("B") ? "somebody is granted a lock that is paused" : SOUND;
        });
    }

    @Test
    void pausekeeps_lastWaiterLeavesBeforeTheRelease_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            String withdrawal = rule(withRule, "pausekeeps", "").apply(Script.RELEASE.text());
            assertEquals("GRANTED", word(acquire("A.0-1~s", asking("A"))));
            assertEquals("QUEUED", word(acquire("B.0-1~s", asking("B"))));
            assertEquals("NOTED", word(pause()));
            script(withdrawal, KEYS.all(), withCommon("B", "B.0-1~s", ""));
            script(withdrawal, KEYS.all(), withCommon("A", "A.0-1~s", ""));
            acquire("C.0-1~s", asking("C"));
            return holderIs("C") ? "somebody is granted a lock that is paused" : SOUND;
        });
    }

    private Reply pause() {
        return script(Script.PAUSE.text(), KEYS.all(), withCommon("O", "60000", "x/x"));
    }

    private boolean holderIs(String client) {
        Reply held = server.command("GET", KEYS.hold());
        return !held.isNull() && held.asString().startsWith(client + ".");
    }

    private static List<String> asking(String client) {
        return withCommon(client, client + ".0-1~s", "30000", "30000 x/x", "0", "1 0 0 F 0 T 200");
    }

    private Reply recorded(String client, String release) {
        return script(release, KEYS.all(), withCommon(client, client + ".0-1~s", "0 0 60000 0 x/x?result=done"));
    }

    // ---- a repeated acquire re-arms, and only then may its own t0 count

    @Test
    void rearm_repeatedAcquireNearTheEndOfTheFirst_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party b = new Party(rule(withRule, "rearm", ""), Ticker.system());
            LockOptions options = LockOptions.defaults()
                    .withLeaseDuration(Duration.ofSeconds(3))
                    .withRenewal(false);
            b.driver.next(Script.ACQUIRE, Fate.ANSWER_LOST);
            CompletableFuture<Attempt<Lease>> asked = b.ask(options, Wait.forever());
            awaitLessThan(Duration.ofMillis(700));
            b.timers.advance(Duration.ofMillis(50)); // asks again
            Lease lease = asked.join().orElseThrow();
            assertSwitched(withRule, b);
            return contend(lease, new Party());
        });
    }

    // ---- an owner that ends leaves a tombstone unless every copy of its acquire was answered

    @Test
    void tombstone_copyOfAnAcquireArrivesAfterTheWithdrawal_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party b = new Party(rule(withRule, "tombstone", ""), Ticker.system());
            b.driver.next(Script.ACQUIRE, Fate.REQUEST_HELD);
            CompletableFuture<Attempt<Lease>> asked = b.ask(LockOptions.defaults(), Wait.forever());
            Held copy = b.driver.held(Script.ACQUIRE);
            copy.fail();
            asked.cancel(false);
            copy.run(); // it was only slow
            assertSwitched(withRule, b);
            return orphan();
        });
    }

    @Test
    void tombstone_copyOfAnAcquireArrivesAfterTheRelease_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party b = new Party(rule(withRule, "tombstone", ""), Ticker.system());
            b.driver.next(Script.ACQUIRE, Fate.REQUEST_HELD);
            CompletableFuture<Attempt<Lease>> asked = b.ask(LockOptions.defaults(), Wait.forever());
            Held copy = b.driver.held(Script.ACQUIRE);
            copy.fail();
            b.timers.advance(Duration.ofMillis(50)); // asks again, and is answered
            assertEquals(ReleaseResult.RELEASED, asked.join().orElseThrow().release());
            copy.run();
            assertSwitched(withRule, b);
            return orphan();
        });
    }

    // ---- release checks the owner

    @Test
    void ownercheck_releaseOfALeaseThatHasLapsed_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party a = new Party(rule(withRule, "ownercheck", ""), Ticker.system());
            LockOptions brief = LockOptions.defaults()
                    .withLeaseDuration(Duration.ofMillis(200))
                    .withRenewal(false);
            Lease lapsed = a.take(brief);
            awaitExpiry();
            Lease present = new Party().take();
            lapsed.release();
            assertSwitched(withRule, a);
            assertTrue(present.isValid());
            return contendOnce(new Party());
        });
    }

    private String contendOnce(Party other) {
        other.tryTake();
        return overlap();
    }

    // ---- an adoption compares the owner, ends the old one, and is not done for one that has ended

    @Test
    void ticketowner_twoAdoptWithOneTicket_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            LeaseTicket ticket = new Party().take().ticket();
            Lease first = new Party().holdfast.adopt(ticket);
            Party late = new Party(rule(withRule, "ticketowner", ""), Ticker.system());
            boolean both;
            try {
                both = late.holdfast.adopt(ticket).isValid() && first.isValid();
            } catch (LeaseLostException e) {
                both = false;
            }
            assertSwitched(withRule, late);
            return both ? "two that adopted have a lease" : SOUND;
        });
    }

    @Test
    void oldtombstone_copyOfTheGiversAcquireArrivesAfterTheRelease_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party a = new Party();
            a.driver.next(Script.ACQUIRE, Fate.REQUEST_HELD);
            CompletableFuture<Attempt<Lease>> asked = a.ask(LockOptions.defaults(), Wait.forever());
            Held copy = a.driver.held(Script.ACQUIRE);
            copy.fail();
            a.timers.advance(Duration.ofMillis(50)); // asks again, and is answered
            Party b = new Party(rule(withRule, "oldtombstone", ""), Ticker.system());
            Lease adopted = b.holdfast.adopt(asked.join().orElseThrow().ticket());
            assertEquals(ReleaseResult.RELEASED, adopted.release());
            copy.run(); // it was only slow
            assertSwitched(withRule, b);
            return orphan();
        });
    }

    @Test
    void newtombstone_copyOfAnAdoptionArrivesAfterItWasGivenUp_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            LeaseTicket ticket = new Party().take().ticket();
            String owner = "B.0-1~s";
            assertEquals(
                    "GONE",
                    word(script(
                            Script.RELEASE.text(),
                            KEYS.allWithTombstone(owner),
                            withCommon("B", owner, "120000 0 0 0"))));
            script(
                    rule(withRule, "newtombstone", "").apply(Script.ADOPT.text()),
                    KEYS.allToAdopt(ticket.owner(), owner),
                    withCommon(
                            "B",
                            ticket.owner(),
                            Long.toString(ticket.grantToken()),
                            owner,
                            "30000",
                            "x/y/z/t",
                            "120000",
                            Long.toString(ticket.token())));
            return server.command("GET", KEYS.hold()).asString().startsWith(owner)
                    ? "the lock is held by an owner that has ended"
                    : SOUND;
        });
    }

    // ---- what is known of waiters outlives the queue: a waiter that stands nowhere queues anew

    @Test
    void standing_queueWasDroppedByHand_isNeeded() throws Exception {
        assertNeeded(withRule -> queueDroppedByHand(withRule, "standing"));
    }

    @Test
    void placeback_queueWasDroppedByHand_isNeeded() throws Exception {
        assertNeeded(withRule -> queueDroppedByHand(withRule, "placeback"));
    }

    private String queueDroppedByHand(boolean withRule, String rule) throws Exception {
        Lease held = new Party().take();
        Party other = new Party(rule(withRule, rule, ""), Ticker.system());
        CompletableFuture<Attempt<Lease>> waiting = other.queue(LONG_CLAIM);
        server.command("DEL", KEYS.queue());
        other.timers.advance(HoldfastOptions.defaults().refreshInterval());
        held.release();
        assertSwitched(withRule, other);
        if (server.command("EXISTS", KEYS.hold()).asLong() == 0) {
            return "the lock is free, and somebody waits for it";
        }
        other.driver.deliver(other.driver.receive());
        assertObtained(waiting.join());
        return overlap();
    }

    // ---- a recall is written into the hold: the message may be lost

    @Test
    void recall_refreshOfTheClientThatWasHandedTheLock_isNone() {
        List<String> a = withCommon("A", "A.0-1~s", "30000", "30000 x/x", "0", "1 0 0 F 0 T 10000");
        List<String> b = withCommon("B", "B.0-1~s", "30000", "30000 x/x K", "9", "1 0 0 F 0 T 10000");
        assertEquals("GRANTED", word(acquire("A.0-1~s", a)));
        assertEquals("QUEUED", word(acquire("B.0-1~s", b)));
        assertEquals("RELEASED", word(release("A", "A.0-1~s")));
        // It has left before the message of the handoff came.
        script(Script.REFRESH.text(), KEYS.all(), withCommon("B", "0", "1", "B.0-1~s"));
        assertTrue(server.command("GET", KEYS.hold()).asString().endsWith(" x/x K"), "nobody else waits");
        List<String> next = withCommon("A", "A.0-2~s", "30000", "30000 x/x", "0", "1 0 0 F 0 T 200");
        assertEquals("QUEUED", word(acquire("A.0-2~s", next)));
        assertTrue(server.command("GET", KEYS.hold()).asString().endsWith(" x/x R"), "now somebody does");
    }

    @Test
    void recallmark_messageIsLost_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party keeper = new Party();
            LockOptions kept = LockOptions.defaults().withKeepFor(Duration.ofHours(1));
            keeper.ask(kept, Wait.forever()).join().orElseThrow().release();
            Party other = new Party(rule(withRule, "recallmark", ""), Ticker.system());
            CompletableFuture<Attempt<Lease>> waiting = other.queue(LONG_CLAIM);
            assertTrue(keeper.driver.receive().startsWith("R "), "it was to be recalled"); // and is not told so
            keeper.timers.advance(kept.leaseDuration().dividedBy(2)); // it renews what it keeps
            assertSwitched(withRule, other);
            if (server.command("GET", KEYS.hold()).asString().startsWith(keeper.holdfast.id() + ".")) {
                return "kept for nobody, though others wait";
            }
            other.driver.deliver(other.driver.receive());
            assertObtained(waiting.join());
            return overlap();
        });
    }

    // ---- whoever held what an operator ends is told

    @Test
    void revokemessage_ofAHoldThatIsKept_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party keeper = new Party();
            LockOptions kept = LockOptions.defaults().withKeepFor(Duration.ofHours(1));
            keeper.ask(kept, Wait.forever()).join().orElseThrow().release();
            Party other = new Party(rule(withRule, "revokemessage", ""), Ticker.system());
            other.holdfast.admin().release(KEYS.name(), Admin.Waiters.HAND_OFF);
            assertSwitched(withRule, other);
            if (withRule) {
                keeper.driver.deliver(keeper.driver.receive());
            }
            other.take();
            keeper.ask(kept, Wait.none());
            return overlap();
        });
    }

    // ---- a value's newest token is compared before anything is written

    @Test
    void tokenorder_writeOfAHolderThatWasPaused_isNeeded() throws Exception {
        assertNeeded(withRule -> {
            Party a = new Party(rule(withRule, "tokenorder", ""), Ticker.system());
            FencedValue late = a.holdfast.fencedValue("a", Duration.ofMinutes(1));
            FencedValue present = new Party().holdfast.fencedValue("a", Duration.ofMinutes(1));
            late.set(1, "of the first");
            present.set(2, "of the second");
            late.set(1, "of the first, late");
            assertSwitched(withRule, a);
            String found = present.get().orElse("nothing");
            return found.equals("of the second") ? SOUND : "an update was lost, there is " + found;
        });
    }

    // ---- that the scenarios stand for what a client does

    @Test
    void confirm_ofAnEarlierGrant_isNotWhatAClientSendsAfterALateMessage() throws Exception {
        // The engine asks again where the model confirms, and so gets the present token.
        Party a = new Party();
        Party b = new Party();
        Lease lease = a.take();
        CompletableFuture<Attempt<Lease>> waiting = b.queue(CLAIM);
        lease.release();
        String message = b.driver.receive();
        awaitExpiry();
        Lease meanwhile = new Party().take();
        b.driver.deliver(message);
        assertTrue(!waiting.isDone());
        meanwhile.release();
        b.driver.deliver(message);
        assertObtained(waiting.join());
        assertTrue(waiting.join().orElseThrow().token() > meanwhile.token());
    }

    private static void assertSwitched(boolean withRule, Party party) {
        assertEquals(!withRule, party.driver.changed() > 0, "scripts changed: " + party.driver.changed());
    }

    private Reply acquire(String owner, List<String> args) {
        return script(Script.ACQUIRE.text(), KEYS.allToAcquire(owner), args);
    }

    private Reply release(String client, String owner) {
        return script(Script.RELEASE.text(), KEYS.allWithTombstone(owner), withCommon(client, owner, ""));
    }

    private Reply script(String text, List<String> keys, List<String> args) {
        List<String> words = new ArrayList<>(List.of("EVAL", text, Integer.toString(keys.size())));
        words.addAll(keys);
        words.addAll(args);
        return server.command(words.toArray(String[]::new));
    }

    private static List<String> withCommon(String client, String... args) {
        List<String> all = new ArrayList<>(List.of(client + " 30000 hf:to:", "3600000"));
        all.addAll(List.of(args));
        return all;
    }

    private static String word(Reply reply) {
        return reply.asString().split(" ", 2)[0];
    }
}
