package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Wait;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What a process costs the others, and what it loses, that stands still with its connections open: in a long collection,
 * on a laptop that was closed, in a debugger.
 *
 * <p>What is measured is how many grants the frozen ones got, and the server's own times. A claim window is a second;
 * a frozen waiter would stay in the way for 30 s if its deadline were all that counts.
 */
public class FrozenProcessContract extends TakerSuite {
    private static final long CLAIM_MICROS = TimeUnit.SECONDS.toMicros(1);

    /** Far beyond what a noisy machine adds to one claim window, and far below fifty of them or a waiter's deadline. */
    private static final long SOON_MICROS = TimeUnit.SECONDS.toMicros(15);

    /** For the classes of the drivers. */
    protected FrozenProcessContract() {}

    // ---- frozen in the queue

    @Test
    void release_nextInLineIsFrozen_costsOneClaimWindow() throws Exception {
        assertFrozenCostOneWindow(1);
    }

    @Test
    void release_fiftyOfOneClientAreFrozen_costOneClaimWindowTogether() throws Exception {
        assertFrozenCostOneWindow(50);
    }

    private void assertFrozenCostOneWindow(int waiters) throws Exception {
        Lease lease = client(server).lock("a").acquire();
        TakerProcess frozen = taker("strict=1");
        frozen.send("ask a 1 " + waiters);
        awaitQueue("a", waiters);
        CompletableFuture<Lease> next = client(server).lock("a").acquireAsync();
        awaitQueue("a", waiters + 1);
        List<String> queue = queue("a");
        frozen.freeze();
        try (Overheard mail = new Overheard(server)) {
            lease.release();
            Lease living = next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            List<Overheard.Grant> grants = mail.grants();
            grants.removeIf(grant -> grant.owner().equals(living.owner()));
            assertEquals(1, grants.size(), grants::toString);
            assertEquals(queue.get(0), grants.get(0).owner());
            Held held = held("a");
            assertEquals(living.owner(), held.owner());
            assertTrue(held.token() > grants.get(0).token());
            long micros = held.sinceMicros() - grants.get(0).grantedMicros();
            assertTrue(micros >= CLAIM_MICROS, () -> "the claim was cut short after " + micros + " µs");
            assertTrue(micros < SOON_MICROS, () -> "the frozen cost " + micros + " µs");
        }
    }

    @Test
    void release_threeClientsAreFrozen_costOneClaimWindowEach() throws Exception {
        Lease lease = client(server).lock("a").acquire();
        TakerProcess frozen = taker("clients=3", "claim=300", "strict=1");
        frozen.send("ask a 1 30");
        awaitQueue("a", 30);
        CompletableFuture<Lease> next = client(server).lock("a").acquireAsync();
        awaitQueue("a", 31);
        frozen.freeze();
        try (Overheard mail = new Overheard(server)) {
            lease.release();
            Lease living = next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            List<Overheard.Grant> grants = mail.grants();
            grants.removeIf(grant -> grant.owner().equals(living.owner()));
            assertEquals(3, grants.size(), grants::toString);
            assertEquals(
                    3,
                    grants.stream()
                            .map(grant -> clientOf(grant.owner()))
                            .distinct()
                            .count());
        }
    }

    @Test
    void release_nextInLineIsFrozenAndReleaserDies_isRepairedByTheWaitersRefresh() throws Exception {
        List<TakerProcess> takers = takers(2);
        TakerProcess releaser = takers.get(0);
        TakerProcess frozen = takers.get(1);
        releaser.send("ask a 1 1");
        releaser.awaitLine("got a 1");
        frozen.send("ask a 1 1");
        awaitQueue("a", 1);
        CompletableFuture<Lease> next = client(server).lock("a").acquireAsync();
        awaitQueue("a", 2);
        frozen.freeze();
        try (Overheard mail = new Overheard(server)) {
            releaser.send("release a 1");
            releaser.awaitLine("released a 1");
            releaser.kill();
            next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            long granted = mail.grants().get(0).grantedMicros();
            long micros = held("a").sinceMicros() - granted;
            assertTrue(micros < SOON_MICROS, () -> "it took " + micros + " µs");
        }
    }

    @Test
    void thaw_waitersThatWerePassedOver_areServedInTheirOldPlaces() throws Exception {
        Lease lease = client(server).lock("a").acquire();
        // The claim is as long as the machine may keep the process from running after its thaw.
        TakerProcess frozen = taker("claim=4000", "strict=1");
        frozen.send("pass a 1 50");
        awaitQueue("a", 50);
        Holdfast living = client(server);
        CompletableFuture<Lease> overtakes = living.lock("a", STRICT).acquireAsync();
        awaitQueue("a", 51);
        CompletableFuture<Lease> last = living.lock("a", STRICT).acquireAsync();
        awaitQueue("a", 52);
        List<String> queue = queue("a");
        frozen.freeze();
        lease.release();
        Lease overtaken = overtakes.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        frozen.thaw();
        await("all wait again", () -> queue("a").containsAll(queue.subList(0, 50)));
        assertEquals(queue.subList(0, 50), queue("a").subList(0, 50));
        overtaken.release();
        frozen.awaitLine("passed a");
        Lease atLast = last.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        List<Entry> journal = journal("a");
        assertEquals(queue.subList(0, 50), owners(journal));
        assertTokensRise(journal);
        assertTrue(atLast.token() > journal.get(49).token());
        atLast.release();
        awaitNothingLeftOf("a");
    }

    // ---- frozen while holding

    @Test
    void thaw_holderThatWasHandedTheLockStoodStillForTwoThirdsOfItsTerm_holdsIt() throws Exception {
        Lease lease = client(server).lock("a").acquire();
        TakerProcess frozen = taker("term=6000");
        frozen.send("ask a 1 1");
        awaitQueue("a", 1);
        lease.release();
        frozen.awaitLine("got a 1");
        // The server has it a moment before the holder has read that.
        await("it knows that it has its whole term", () -> {
            frozen.send("left a 1");
            return Long.parseLong(frozen.awaitLine("left a 1").get(3)) > 1_000;
        });
        frozen.freeze();
        await("two thirds are over", () -> left() < 2_000);
        frozen.send("increment a 1");
        frozen.send("release a 1");
        frozen.thaw();
        frozen.awaitLine("incremented a 1");
        assertEquals("RELEASED", frozen.awaitLine("released a 1").get(3));
    }

    /** The remaining term of the hold, in milliseconds. */
    private long left() {
        return server.command("PTTL", "hf:{a}").asLong();
    }

    @Test
    void thaw_holderAfterItsTerm_knowsThatItLostAndDisturbsNobody() throws Exception {
        TakerProcess frozen = taker("term=1000");
        frozen.send("ask a 1 1");
        long token = Long.parseLong(frozen.awaitLine("got a 1").get(4));
        frozen.freeze();
        Lease next = client(server).lock("a").acquire(Wait.upTo(PATIENCE));
        assertTrue(next.token() > token);
        // They lie in its input when it wakes, so that nothing else comes first.
        frozen.send("increment a 1");
        frozen.send("release a 1");
        frozen.thaw();
        frozen.awaitLine("refused a 1");
        assertEquals("ALREADY_GONE", frozen.awaitLine("released a 1").get(3));
        String reason = frozen.awaitLine("lost a 1").get(3);
        assertTrue(Set.of("EXPIRED", "NOT_ON_SERVER").contains(reason), reason);
        // Closing waits until the server has answered everything that the process takes back.
        frozen.quit();
        assertEquals(0, counter("a"));
        assertTrue(next.isValid());
        assertEquals(next.owner(), held("a").owner());
        assertEquals(next.token(), held("a").token());
    }
}
