package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RespClient;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What the scripts of lines do where the model does not look: more owners than three, several writers, long times, keys that were dropped
 * or are another program's, and a server at its limits.
 */
final class LineScriptTest extends LineFixture {
    /** Where describe begins behind the word of a release. */
    private static final int WAKE = 1;

    private static final int MORE = 2;
    private static final int TOLD = 5;

    // ---- exclusion and order

    @Test
    void acquire_readersAndWriters_oneOrManyButNeverBoth() {
        take(A, R);
        take(B, R);
        assertEquals("TAKEN", tryAsk(C, W));
        release(A);
        assertEquals("TAKEN", tryAsk(C, W));
        release(B);
        take(C, W);
        assertEquals("TAKEN", tryAsk(D, R));
        assertEquals("TAKEN", tryAsk(D, W));
    }

    @Test
    void acquire_operatorsLimit_countsForAll() {
        server.command("SET", LINE.cap(), "1 operator", "PX", "60000");
        take(A, permits(1, 5));
        assertEquals("TAKEN", tryAsk(B, permits(1, 5)));
        server.command("DEL", LINE.cap());
        take(B, permits(1, 5));
    }

    @Test
    void release_ofTheWriter_grantsToAllReadersInFrontAndNotBeyondTheNextWriter() {
        take(A, W);
        queue(B, R);
        queue(C, R);
        queue(D, W);
        queue(E, R);
        release(A);
        assertTrue(holds(B) && holds(C));
        assertFalse(holds(D) || holds(E));
        release(B);
        release(C);
        assertTrue(holds(D) && !holds(E));
        release(D);
        assertTrue(holds(E));
    }

    @Test
    void acquire_higherPriority_isPlacedAndGrantedBeforeAWaitingWriter() {
        take(A, R);
        queue(B, W);
        assertEquals("GRANTED", ask(C, R, TERM, "1 0 1 F 0 T 1000").get(0));
    }

    @Test
    void refresh_requestBeginsWithThatOfAnotherGroup_firstInTheQueueIsServed() {
        String first = "C.0-2~s";
        holdLapsesBeforeThoseThatBeginTogether(first, D);
        refresh("D", D);
        assertTrue(holds(first) && waits(D));
        startAnew();
        holdLapsesBeforeThoseThatBeginTogether(first, A);
        refresh("A", A);
        assertTrue(holds(A) && waits(first));
    }

    /** After two rounds of two groups, a third one begins where the second one goes on; then the hold of the first one lapses. */
    private void holdLapsesBeforeThoseThatBeginTogether(String of2, String of3) {
        String of1 = "B.0-2~s";
        take(E, permits(1, 1));
        queueInGroup(B, "1");
        queueInGroup(C, "2");
        queueInGroup(of1, "1");
        queueInGroup(of2, "2");
        release(E);
        release(B);
        release(C);
        assertTrue(holds(of1) && confirm(of1));
        queueInGroup(of3, "3");
        assertEquals(
                server.command("ZSCORE", LINE.queue(), of2).asString(),
                server.command("ZSCORE", LINE.queue(), of3).asString());
        advance(TERM.minusSeconds(5));
        refresh(of2.substring(0, 1), of2);
        refresh(of3.substring(0, 1), of3);
        advance(Duration.ofSeconds(6));
    }

    private void queueInGroup(String owner, String group) {
        assertEquals(
                "QUEUED",
                ask(owner, permits(1, 1), TERM, "1 0 0 S1:" + group + " 0 T " + CLAIM.toMillis())
                        .get(0));
    }

    // ---- claims, renewal

    @Test
    void release_waitersOfTheSameAndOfAnotherClient_areBothThere() {
        take(A, W);
        queue(B, R);
        queue(A2, R);
        release(A);
        assertTrue(holds(A2) && holds(B));
        advance(CLAIM.plusSeconds(1));
        refresh("C");
        assertTrue(holds(A2) && !holds(B) && waits(B), "only what was a claim has lapsed");
    }

    @Test
    void renew_aMonth_keepsBothKeys() {
        long token = take(A, R);
        for (int i = 0; i < 40; i++) {
            advance(TERM.dividedBy(3));
            assertEquals("1", renew(A, token).get(0));
        }
        assertEquals("TAKEN", tryAsk(B, W));
        assertTrue(count("PTTL", LINE.hold()) > 0 && count("PTTL", LINE.members()) > 0);
    }

    @Test
    void renew_withTheMembersAlone_touchesNoOtherKey() {
        long token = take(A, R);
        assertEquals(
                "1",
                words(call(Script.LINE_RENEW, List.of(LINE.members(), LINE.members()), "A.0-1 " + token + " 30000"))
                        .get(0));
    }

    // ---- when somebody is to look

    @Test
    void wake_permitsWanted_isTheEndThatGivesBackEnough() {
        take(A, permits(1, 3), Duration.ofSeconds(5));
        take(B, permits(1, 3), Duration.ofSeconds(7));
        take(C, permits(1, 3), Duration.ofSeconds(9));
        assertNear(7_000, wakeOf(ask(D, permits(2, 3)), 3));
        assertNear(5_000, wakeOf(release(C), WAKE), "a release makes it earlier");
    }

    private static long wakeOf(List<String> words, int at) {
        return Long.parseLong(words.get(at));
    }

    private static void assertNear(long expected, long found, String... why) {
        assertTrue(Math.abs(expected - found) < 2_000, String.join(" ", why) + ": " + found);
    }

    // ---- ends

    @Test
    void release_lastHolder_leavesNothingButTheLastNumber() {
        take(A, R);
        take(B, R);
        release(A);
        assertEquals("RELEASED", release(B).get(0));
        assertEquals(List.of(LINE.token()), keys());
        assertEquals("GONE", release(B).get(0), "twice is harmless");
    }

    @Test
    void release_toRest_countsFromTheReleaseAndNothingLateProlongsIt() {
        long token = take(A, W, Duration.ofMinutes(1));
        advance(Duration.ofSeconds(20));
        release(A, "0 1000 5000 " + token);
        advance(Duration.ofSeconds(3));
        assertEquals("GONE", release(A, "0 1000 5000 " + token).get(0));
        assertEquals("0", renew(A, token).get(0));
        assertEquals("TAKEN", tryAsk(B, R));
        advance(Duration.ofSeconds(3));
        take(B, W);
    }

    @Test
    void everyKey_ofALineThatIsUsed_expires() {
        take(A, W);
        queue(B, R);
        queue(C, W);
        release(A);
        for (String key : keys()) {
            assertTrue(count("PTTL", key) > 0, key);
        }
    }

    private static List<String> keys() {
        return server.command("KEYS", "*").asList().stream()
                .map(Reply::asString)
                .sorted()
                .toList();
    }

    @Test
    void waitersThatDied_areRemoved() {
        take(A, R, Duration.ofHours(1));
        queue(B, W);
        advance(Duration.ofSeconds(31)); // longer than a client may be silent
        take(C, R);
        assertFalse(waits(B));
    }

    // ---- what was dropped by force

    @Test
    void hold_isDropped_nobodyEntersBeforeThoseWhoHoldAreOver() {
        long token = take(A, R);
        server.command("DEL", LINE.hold());
        assertEquals("TAKEN", tryAsk(B, R));
        assertEquals("1", renew(A, token).get(0));
        advance(TERM.plusSeconds(1));
        take(B, W);
    }

    @Test
    void hold_isDroppedAndItsHolderReleases_isFree() {
        long token = take(A, R);
        server.command("DEL", LINE.hold());
        release(A, "0 0 0 " + token);
        take(B, W);
    }

    @Test
    void members_areDropped_aRefreshRemovesWhatIsLeft() {
        take(A, R);
        take(B, R);
        server.command("DEL", LINE.members());
        queue(C, W);
        refresh("C", C);
        assertTrue(holds(C));
    }

    @Test
    void acquire_hashOfAnotherProgram_isRefused() {
        server.command("HSET", LINE.hold(), "field", "value");
        assertThrows(DriverException.class, () -> tryAsk(A, R));
        assertEquals(List.of(LINE.hold()), keys());
    }

    // ---- by name

    @Test
    void info_holdersAndWaiters_areListed() {
        long token = take(A, permits(2, 3));
        queue(B, permits(3, 3));
        List<String> words = info();
        assertEquals(List.of("1", "1", "2", "1", "1", "-1", "0", ""), words.subList(0, 8));
        assertEquals(List.of("A.0-1", Long.toString(token)), words.subList(9, 11));
        assertEquals(List.of("30000", "x/x", "P", "2", "held"), words.subList(12, 17));
        assertEquals("B.0-1", words.get(17));
        assertEquals(
                List.of("0", "F", "here", permits(3, 3)),
                words.subList(20, 24).stream()
                        .map(word -> word.equals("away") ? "here" : word)
                        .toList());
    }

    @Test
    void limit_lessThanRequestsSay_countsForAllAndServesWhenItIsLifted() {
        take(A, permits(1, 5));
        take(B, permits(1, 5));
        assertEquals("0", limit(1).get(0), "there was none before");
        assertEquals("TAKEN", tryAsk(C, permits(1, 5)));
        queue(C, permits(1, 5));
        queue(D, permits(4, 5));
        release(A);
        assertFalse(holds(C), "one is out, and one may be");
        assertTrue(holds(B), "nothing is taken from those that have some");
        assertEquals("1", limit(2).get(0));
        assertTrue(holds(C) && !holds(D), "a limit that leaves room serves");
        assertEquals("1", limit(-1).get(0));
        assertFalse(holds(D));
        release(B);
        assertTrue(holds(D));
        assertEquals("0", limit(-1).get(0));
    }

    @Test
    void limit_endsByItself_nothingIsLeftAndWhoLooksIsServed() {
        assertEquals("0", limit(0, Duration.ofSeconds(20)).get(0));
        List<String> words = ask(A, permits(1, 5));
        assertEquals("QUEUED", words.get(0));
        assertNear(20_000, wakeOf(words, 3), "the limit ends then");
        assertEquals("0", info().get(5));
        server.command("PEXPIRE", LINE.cap(), "1"); // its time is over
        awaitNone(LINE.cap());
        refresh("A", A);
        assertTrue(holds(A));
    }

    @Test
    void wake_underALimit_isItsEndOrWhenEnoughIsBackUnderIt() {
        take(A, permits(2, 5), Duration.ofSeconds(5));
        take(B, permits(2, 5), Duration.ofSeconds(9));
        limit(0, Duration.ofSeconds(20));
        queue(C, permits(1, 5));
        assertNear(20_000, wakeOf(refresh("C", C), 2), "it would fit at once without the limit");
        assertNear(5_000, wakeOf(limit(3, Duration.ofSeconds(20)), 1), "one may be out beside B");
        assertNear(9_000, wakeOf(limit(2, Duration.ofSeconds(20)), 1), "one may be out beside nobody");
        assertNear(3_000, wakeOf(limit(2, Duration.ofSeconds(3)), 1), "the limit ends first");
        release(C);
        queue(D, permits(5, 5));
        assertNear(9_000, wakeOf(limit(2, Duration.ofSeconds(3)), 1), "then all have to come back");
        assertNear(9_000, wakeOf(limit(7, Duration.ofSeconds(20)), 1), "one above its own limit changes nothing");
    }

    @Test
    void limit_writtenByHandWithoutAnEnd_makesNobodyLook() {
        server.command("SET", LINE.cap(), "0 x/x");
        assertEquals("0", ask(A, permits(1, 5)).get(3));
    }

    private static void awaitNone(String key) {
        long end = System.nanoTime() + 10_000_000_000L;
        while (server.command("EXISTS", key).asLong() > 0) {
            assertTrue(System.nanoTime() < end, key + " is still there");
        }
    }

    // ---- limits of the server

    @Test
    void acquire_atMaxmemory_isRefusedAndLeavesNothingHalfDone() {
        withoutMemory(() -> {
            assertThrows(DriverException.class, () -> tryAsk(A, R));
            assertEquals(List.of(), keys());
        });
    }

    @Test
    void holdersAtMaxmemory_goOnAndEnd() {
        long writer = take(A, W);
        queue(B, R);
        queue(C, R);
        queue(D, W);
        withoutMemory(() -> {
            assertEquals("1", renew(A, writer).get(0));
            assertEquals("RELEASED", release(A).get(0));
            assertTrue(holds(B) && holds(C));
            assertTrue(confirm(B));
            refresh("D", D);
            assertEquals("1", renew(B, tokenOf(B)).get(0));
            advance(CLAIM.plusSeconds(1));
            refresh("D", D);
            assertFalse(holds(C));
            release(B);
            assertTrue(holds(D));
            assertEquals("DOWNGRADED", downgrade(D, tokenOf(D)).get(0));
        });
    }

    private void withoutMemory(Runnable work) {
        server.command("CONFIG", "SET", "maxmemory", "1");
        try {
            work.run();
        } finally {
            server.command("CONFIG", "SET", "maxmemory", "0");
        }
    }

    @Test
    void release_tenThousandReadersBehindAWriter_areGrantedFiveHundredByFiveHundred() {
        int readers = 10_000;
        take(A, W);
        // Queued as the script queues them, in one go.
        ask("B.0-1~s", R, TERM, "1 0 0 F 0 T 30000"); // none of the claims lapses meanwhile
        String about = server.command("HGET", LINE.details(), "B.0-1~s").asString();
        List<String> orders = new ArrayList<>(List.of("ZADD", LINE.queue()));
        List<String> details = new ArrayList<>(List.of("HSET", LINE.details(), "@n:B", Integer.toString(readers)));
        for (int i = 2; i <= readers; i++) {
            orders.add(Integer.toString(i));
            orders.add("B.0-" + i + "~s");
            details.add("B.0-" + i + "~s");
            details.add(about);
        }
        server.command(orders.toArray(String[]::new));
        server.command(details.toArray(String[]::new));
        try (RespClient listener = server.connect()) {
            listener.send("SUBSCRIBE", "hf:to:B");
            listener.read();
            List<String> words = release(A);
            int scripts = 1;
            while (words.get(MORE).equals("1")) {
                words = refresh("A");
                words = words.subList(1, words.size());
                scripts++;
            }
            assertEquals(0, count("ZCARD", LINE.queue()));
            assertEquals(readers, count("ZCARD", LINE.members()));
            assertEquals("0", words.get(TOLD));
            assertTrue(scripts <= 21, "scripts: " + scripts);
            int told = 0;
            while (told < readers) {
                String[] message = listener.read().asList().get(2).asString().split(" ", -1);
                int count = Integer.parseInt(message[2]);
                assertTrue(count <= 200, "grants in one message: " + count);
                assertEquals(3 + 3 * count + 1, message.length);
                told += count;
            }
            assertEquals(readers, told);
        }
    }

    @Test
    void keys_ofTheKinds_areApart() {
        assertEquals("hf:{%rw:a}", LINE.hold());
        assertEquals(LINE, Keys.ofHold("hf", LINE.hold()));
        take(A, W);
        server.command("SET", Keys.of("hf", "a").hold(), "x");
        release(A);
        assertEquals(1, count("EXISTS", Keys.of("hf", "a").hold()));
    }
}
