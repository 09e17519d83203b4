package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Lease;
import io.holdfast.ReleaseResult;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What an exclusive lock promises to several processes, also when processes or the server are killed. */
public class ProcessContract extends TakerSuite {
    /** Far beyond what a noisy machine adds to an event, and far below the 30 s that the dead would cost otherwise. */
    private static final long SOON_MICROS = TimeUnit.SECONDS.toMicros(15);

    /** With these options what a dead process leaves behind is gone after two seconds. */
    private static final String[] SHORT_LIVED = {
        "term=2000", "claim=2000", "refresh=200", "deadline=1000", "tokenLife=1000"
    };

    /**
     * For processes that must not be overtaken, nor lose their leases, when a noisy machine does not let them run for
     * seconds.
     */
    private static final String PATIENT = "claim=10000";

    /** For the classes of the drivers. */
    protected ProcessContract() {}

    // ---- at work

    @Test
    void call_inSeveralProcesses_losesNoUpdateAndTokensRise() {
        List<TakerProcess> takers = takers(3, PATIENT);
        takers.forEach(taker -> taker.send("count a 4 25"));
        takers.forEach(taker -> taker.awaitLine("counted a"));
        assertEquals(300, counter("a"));
        assertEquals(300, journal("a").size());
        assertTokensRise(journal("a"));
        awaitNothingLeftOf("a");
    }

    @Test
    void call_oneProcessKilledAtWork_losesNoUpdateAndTokensRise() {
        List<TakerProcess> takers = takers(3, "term=4000", PATIENT);
        TakerProcess doomed = takers.get(0);
        doomed.send("count a 4 1000000");
        await("it is at work", () -> journal("a").size() > 10);
        takers.get(1).send("count a 4 25");
        takers.get(2).send("count a 4 25");
        await(
                "all are at work",
                () -> journal("a").stream()
                                .map(entry -> clientOf(entry.owner()))
                                .distinct()
                                .count()
                        == 3);
        doomed.kill();
        takers.get(1).awaitLine("counted a");
        takers.get(2).awaitLine("counted a");
        int entries = journal("a").size();
        // It may have been killed between the two.
        assertTrue(counter("a") == entries || counter("a") == entries + 1, counter("a") + " of " + entries);
        assertTokensRise(journal("a"));
    }

    @Test
    void release_waitersInFourProcesses_areServedInTheOrderOfArrival() throws Exception {
        List<TakerProcess> takers = takers(4, PATIENT, "strict=1");
        Lease lease = client(server).lock("a").acquire();
        takers.forEach(taker -> taker.send("pass a 1 50"));
        awaitQueue("a", 200);
        List<String> arrival = queue("a");
        lease.release();
        takers.forEach(taker -> taker.awaitLine("passed a"));
        List<Entry> journal = journal("a");
        assertEquals(arrival, owners(journal));
        for (int i = 0; i < 200; i++) {
            assertEquals(i + 1, journal.get(i).place());
        }
        assertTokensRise(journal);
        awaitNothingLeftOf("a");
    }

    // ---- killed clients

    @Test
    void kill_holder_nextHoldsWhenTheTermIsOverAndNotBefore() {
        List<TakerProcess> takers = takers(2, "term=3000");
        takers.get(0).send("ask a 1 1");
        takers.get(0).awaitLine("got a 1");
        Held dead = held("a");
        takers.get(1).send("ask a 1 1");
        awaitQueue("a", 1);
        takers.get(0).kill();
        AtomicLong end = new AtomicLong();
        await("the next holds", () -> {
            // One command, so that owner and expiry are of the same hold.
            String[] seen = server.command(
                            "EVAL",
                            "local now = redis.call('TIME') return tostring(redis.call('GET', KEYS[1])) .. ' ' .. string.format('%.0f',"
                                    + " now[1] * 1000 + math.floor(now[2] / 1000) + redis.call('PTTL', KEYS[1]))",
                            "1",
                            "hf:{a}")
                    .asString()
                    .split(" ", -1);
            boolean still = seen[0].startsWith(dead.owner());
            if (still) {
                end.set(Long.parseLong(seen[seen.length - 1]) * 1000);
            }
            return !still && !seen[0].equals("false");
        });
        takers.get(1).awaitLine("got a 1");
        Held next = held("a");
        assertTrue(next.token() > dead.token());
        assertTrue(next.sinceMicros() >= end.get(), () -> next + " began before " + end);
        assertTrue(next.sinceMicros() < end.get() + SOON_MICROS, () -> next + " began long after " + end);
    }

    @Test
    void kill_nextInLine_releaseItselfHandsToTheNextLivingOne() throws Exception {
        Lease lease = client(server).lock("a").acquire();
        TakerProcess doomed = taker("clients=4", "strict=1");
        doomed.send("ask a 1 20");
        awaitQueue("a", 20);
        TakerProcess living = taker("strict=1");
        living.send("ask a 1 1");
        awaitQueue("a", 21);
        List<String> queue = queue("a");
        doomed.kill();
        queue.subList(0, 20).forEach(this::awaitDeaf);
        assertEquals(ReleaseResult.RELEASED, lease.release());
        assertEquals(queue.get(20), held("a").owner());
        assertTrue(held("a").token() > lease.token());
        living.awaitLine("got a 1");
    }

    @Test
    void kill_rightAfterQueueing_leavesAnEmptyKeyspace() {
        List<TakerProcess> takers = takers(2, SHORT_LIVED);
        takers.get(0).send("ask a 1 1");
        takers.get(0).awaitLine("got a 1");
        takers.get(1).send("ask a 1 50");
        await("somebody waits", () -> !queue("a").isEmpty());
        takers.forEach(TakerProcess::kill);
        assertEveryKeyExpires(server);
        awaitEmptyKeyspace();
    }

    @Test
    void kill_allAtWork_leavesAnEmptyKeyspace() {
        List<TakerProcess> takers = takers(3, SHORT_LIVED);
        takers.forEach(taker -> taker.send("count a 4 1000000"));
        await("they are at work", () -> journal("a").size() > 50);
        takers.forEach(TakerProcess::kill);
        server.command("DEL", "journal:a", "counter:a");
        assertEveryKeyExpires(server);
        awaitEmptyKeyspace();
    }

    /** Nobody touches a key meanwhile: DBSIZE counts what is there, and expired keys until they are deleted. */
    private void awaitEmptyKeyspace() {
        await("the server has no key", () -> server.command("DBSIZE").asLong() == 0);
    }

    // ---- a killed server

    @Test
    void restart_serverForgotEverything_leasesAreLostAndAllWaitersAreServed() {
        List<TakerProcess> takers = takers(3, "strict=1");
        TakerProcess holder = takers.get(0);
        holder.send("ask a 1 1");
        holder.send("ask b 1 1");
        long token = Long.parseLong(holder.awaitLine("got a 1").get(4));
        holder.awaitLine("got b 1");
        takers.get(1).send("pass a 1 10");
        takers.get(2).send("pass a 1 10");
        awaitQueue("a", 20);
        server.kill();
        server.restart();
        assertEquals("NOT_ON_SERVER", holder.awaitLine("lost a 1").get(3));
        assertEquals("NOT_ON_SERVER", holder.awaitLine("lost b 1").get(3));
        takers.get(1).awaitLine("passed a");
        takers.get(2).awaitLine("passed a");
        List<Entry> journal = journal("a");
        assertEquals(20, journal.size());
        assertTokensRise(journal);
        assertTrue(journal.get(0).token() > token);
        holder.send("release a 1");
        assertEquals("ALREADY_GONE", holder.awaitLine("released a 1").get(3));
        holder.send("ask a 2 2");
        long last = Long.parseLong(holder.awaitLine("got a 2").get(4));
        assertTrue(last > journal.get(19).token());
        holder.send("release a 2");
        assertEquals("RELEASED", holder.awaitLine("released a 2").get(3));
        awaitNothingLeftOf("a");
    }

    @Test
    void restart_tenThousandWaitersOfOneClient_areQueuedAgainByFewRequests() {
        int waiters = 10_000;
        TakerProcess taker = taker("strict=1");
        taker.send("ask a 0 " + waiters);
        taker.awaitLine("got a 0");
        taker.awaitLine("asked a");
        awaitQueue("a", waiters);
        server.kill();
        server.restart();
        // One of them holds now; he who held has lost.
        awaitQueue("a", waiters - 1);
        // Once each, and once more at most for what a slow machine answers too late, or after the next refresh has
        // found
        // some missing.
        assertTrue(calls("eval") < 3L * waiters, () -> calls("eval") + " scripts");
        // The text of a script goes along once, not with each of these.
        assertTrue(calls("eval:") < 100, () -> calls("eval:") + " scripts as text");
    }
}
