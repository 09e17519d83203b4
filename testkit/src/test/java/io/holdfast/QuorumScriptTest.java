package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Reply;
import io.holdfast.testkit.RedisServer;
import io.holdfast.testkit.RewritingDriver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one node of a quorum does, call by call, and two rules of it that are switched off to see that they matter. */
@SuppressWarnings("NullAway.Init") // the server is started before each test
final class QuorumScriptTest {
    private static final Keys KEYS = Keys.of("hf", "a");
    private static final String MARKER = Keys.nodeMarker("hf");

    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        server.command("SET", MARKER, "0", "EX", "1000");
    }

    @AfterEach
    void close() {
        server.close();
    }

    private List<Reply> run(String text, List<String> keys, String... args) {
        List<String> words = new ArrayList<>(List.of("EVAL", text, Integer.toString(keys.size())));
        words.addAll(keys);
        words.addAll(List.of(args));
        return server.command(words.toArray(String[]::new)).asList();
    }

    private List<Reply> acquire(String owner, long proposed, long term) {
        return acquire(Script.QUORUM_ACQUIRE.text(), owner, proposed, term, 60_000);
    }

    private List<Reply> acquire(String text, String owner, long proposed, long term, long quarantine) {
        return run(
                text,
                List.of(KEYS.hold(), KEYS.token(), KEYS.tombstone(owner), MARKER),
                owner,
                Long.toString(term),
                Long.toString(proposed),
                Long.toString(quarantine),
                "3600000",
                "2592000000",
                "app/host/1/main");
    }

    private String raise(String text, String owner, long nodeToken, long leaseToken) {
        return word(run(
                text,
                List.of(KEYS.hold(), KEYS.token()),
                owner,
                Long.toString(nodeToken),
                Long.toString(leaseToken),
                "30000",
                "3600000"));
    }

    private String release(String owner, long tombstone) {
        return word(run(
                Script.QUORUM_RELEASE.text(),
                List.of(KEYS.hold(), KEYS.tombstone(owner)),
                owner,
                Long.toString(tombstone),
                KEYS.freedChannel()));
    }

    private static String word(List<Reply> reply) {
        return reply.get(0).asString();
    }

    private static long token(List<Reply> reply) {
        assertEquals("GRANTED", word(reply));
        return reply.get(2).asLong();
    }

    @Test
    void acquire_proposalAheadByLittle_isTheTokenAndByMuchIsCut() {
        long now = acquire("A.0-1~s", 0, 1_000).get(1).asLong();
        assertEquals("RELEASED", release("A.0-1~s", 0));
        assertEquals(now + 500_000, token(acquire("A.0-2~s", now + 500_000, 1_000)));
        release("A.0-2~s", 0);
        long cut = token(acquire("A.0-3~s", now + 3_600_000_000L, 1_000));
        assertTrue(cut > now + 500_000 && cut < now + 60_000_000, () -> "not cut: " + (cut - now));
        release("A.0-3~s", 0);
        // Lower than the last one: the next after it.
        assertEquals(cut + 1, token(acquire("A.0-4~s", 5, 1_000)));
    }

    @Test
    void acquire_again_isTheSameGrantWithALaterExpiry() {
        long token = token(acquire("A.0-1~s", 0, 1_000));
        assertEquals(token, token(acquire("A.0-1~s", 0, 50_000)));
        assertTrue(server.command("PTTL", KEYS.hold()).asLong() > 40_000);
        List<Reply> taken = acquire("B.0-1~s", 0, 1_000);
        assertEquals("TAKEN", word(taken));
        assertEquals("A.0-1", taken.get(2).asString());
    }

    @Test
    void acquire_afterATombstone_isGone() {
        assertEquals("GONE", release("A.0-1~s", 60_000));
        assertEquals("GONE", word(acquire("A.0-1~s", 0, 1_000)));
    }

    @Test
    void acquire_noMarkerOrOneInTheFuture_isFreshUntilTheQuarantineIsOver() {
        server.command("DEL", MARKER);
        assertEquals("FRESH", word(acquire("A.0-1~s", 0, 1_000)));
        long since = server.command("GET", MARKER).asLong();
        List<Reply> again = acquire("A.0-1~s", 0, 1_000);
        assertEquals("FRESH", word(again));
        assertTrue(again.get(2).asLong() <= 60_000 && again.get(2).asLong() > 0);
        assertEquals(since, server.command("GET", MARKER).asLong());
        assertEquals(0, server.command("EXISTS", KEYS.hold(), KEYS.token()).asLong());
        server.command("SET", MARKER, Long.toString(since + 3_600_000_000L), "EX", "1000");
        assertEquals("FRESH", word(acquire("A.0-1~s", 0, 1_000)));
        server.command("SET", MARKER, Long.toString(since - 61_000_000), "EX", "1000");
        assertEquals("GRANTED", word(acquire("A.0-1~s", 0, 1_000)));
        // A node that is used keeps its marker.
        assertTrue(server.command("PTTL", MARKER).asLong() > 2_000_000_000L);
    }

    @Test
    void quarantine_memoryLostWhileAHolderIsAlive_isNeeded() {
        for (boolean withRule : List.of(true, false)) {
            String text = withRule
                    ? Script.QUORUM_ACQUIRE.text()
                    : RewritingDriver.replacingRule("quarantine", "").apply(Script.QUORUM_ACQUIRE.text());
            token(acquire("A.0-1~s", 0, 30_000));
            server.command("FLUSHALL");
            assertEquals(withRule ? "FRESH" : "GRANTED", word(acquire(text, "B.0-1~s", 0, 30_000, 60_000)));
            server.command("SET", MARKER, "0", "EX", "1000");
        }
    }

    @Test
    void raise_holderOfThisGrant_makesLaterTokensGreater() {
        long token = token(acquire("A.0-1~s", 0, 1_000));
        long lease = token + 5_000_000;
        assertEquals("HELD", raise(Script.QUORUM_RAISE.text(), "A.0-1~s", token, lease));
        assertTrue(server.command("PTTL", KEYS.hold()).asLong() > 25_000);
        // A lower one changes nothing.
        assertEquals("HELD", raise(Script.QUORUM_RAISE.text(), "A.0-1~s", token, token - 1));
        release("A.0-1~s", 0);
        assertEquals(lease + 1, token(acquire("B.0-1~s", 0, 1_000)));
    }

    @Test
    void raiseowner_writeBackOfAnOwnerThatLapsed_isNeeded() {
        for (boolean withRule : List.of(true, false)) {
            String text = withRule
                    ? Script.QUORUM_RAISE.text()
                    : RewritingDriver.replacingRule("raiseowner", "").apply(Script.QUORUM_RAISE.text());
            long lapsed = token(acquire("A.0-1~s", 0, 30_000));
            server.command("DEL", KEYS.hold());
            long present = token(acquire("B.0-1~s", 0, 30_000));
            // Accepted, it would count A as the holder of a node that B holds, and prolong B's hold.
            assertEquals(withRule ? "GONE" : "HELD", raise(text, "A.0-1~s", lapsed, present + 1_000_000));
            assertEquals("GONE", release("A.0-1~s", 0));
            assertEquals("RELEASED", release("B.0-1~s", 0));
        }
    }
}
