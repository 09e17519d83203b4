package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.RewritingDriver;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one node of a quorum does, call by call, and three rules of it that are switched off to see that they matter. */
@SuppressWarnings("NullAway.Init") // the server is started before each test
final class QuorumScriptTest {
    private static final Keys KEYS = Keys.of("hf", "a");
    private static final String MARKER = Keys.nodeMarker("hf");
    private static final String AGREEMENT = "3/60000/volatile/0a0b0c0d";
    private static final String OTHER_AGREEMENT = "5/60000/volatile/0e0f1011";

    private RedisServer server;

    @BeforeEach
    void start() {
        server = RedisServer.start();
        mark(0);
    }

    /** The present process has its memory since then. */
    private void mark(long sinceMicros) {
        server.command("SET", MARKER, sinceMicros + " " + server.runId(), "EX", "1000");
    }

    @AfterEach
    void close() {
        server.close();
    }

    private List<Reply> run(String text, List<String> keys, String... args) {
        List<String> words = new ArrayList<>(List.of("EVAL", text, Integer.toString(keys.size())));
        words.addAll(keys);
        words.addAll(List.of(args));
        String reply = server.command(words.toArray(String[]::new)).asString();
        return Stream.of(reply.split(" ", -1)).map(Reply::of).toList();
    }

    private List<Reply> acquire(String owner, long proposed, long term) {
        return acquire(Script.QUORUM_ACQUIRE.text(), owner, proposed, term, 60_000);
    }

    private List<Reply> acquire(String text, String owner, long proposed, long term, long quarantine) {
        return acquire(text, owner, proposed, term, quarantine, false);
    }

    private List<Reply> acquire(String text, String owner, long proposed, long term, long quarantine, boolean durable) {
        return acquire(text, owner, proposed, term, quarantine, durable, AGREEMENT);
    }

    private List<Reply> acquire(
            String text, String owner, long proposed, long term, long quarantine, boolean durable, String agreement) {
        return run(
                text,
                List.of(KEYS.hold(), KEYS.token(), KEYS.tombstone(owner), MARKER),
                owner,
                Long.toString(term),
                Long.toString(proposed),
                Long.toString(quarantine),
                "3600000",
                "2592000000",
                "app/host/1/main",
                durable ? "1" : "0",
                agreement);
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

    /** Behind it there is the last argument. */
    private static long timeOf(List<Reply> reply) {
        return reply.get(reply.size() - 2).asLong();
    }

    private static long token(List<Reply> reply) {
        assertEquals("GRANTED", word(reply));
        return reply.get(1).asLong();
    }

    @Test
    void acquire_proposalAheadByLittle_isTheTokenAndByMuchIsCut() {
        long now = timeOf(acquire("A.0-1~s", 0, 1_000));
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
        long since = since();
        List<Reply> again = acquire("A.0-1~s", 0, 1_000);
        assertEquals("FRESH", word(again));
        assertTrue(again.get(1).asLong() <= 60_000 && again.get(1).asLong() > 0);
        assertEquals(since, since());
        assertEquals(0, server.command("EXISTS", KEYS.hold(), KEYS.token()).asLong());
        mark(since + 3_600_000_000L);
        assertEquals("FRESH", word(acquire("A.0-1~s", 0, 1_000)));
        mark(since - 61_000_000);
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
            mark(0);
        }
    }

    private long since() {
        return Long.parseLong(server.command("GET", MARKER).asString().split(" ", -1)[0]);
    }

    @Test
    void samerun_restartedFromBeforeTheGrant_isNeeded() {
        server.command("SAVE");
        for (boolean withRule : List.of(true, false)) {
            String text = withRule
                    ? Script.QUORUM_ACQUIRE.text()
                    : RewritingDriver.replacingRule("samerun", "").apply(Script.QUORUM_ACQUIRE.text());
            mark(0);
            token(acquire("A.0-1~s", 0, 30_000));
            server.kill();
            server.restart();
            assertEquals(1, server.command("EXISTS", MARKER).asLong());
            assertEquals(withRule ? "FRESH" : "GRANTED", word(acquire(text, "B.0-1~s", 0, 30_000, 60_000)));
            release("B.0-1~s", 0);
        }
    }

    @Test
    void acquire_markerOfAnotherProcess_isFreshOnceAndThenCountsAnew() {
        String other = "0 " + "f".repeat(40);
        server.command("SET", MARKER, other, "EX", "1000");
        // Durable nodes: whoever wrote it.
        assertEquals("GRANTED", word(acquire(Script.QUORUM_ACQUIRE.text(), "A.0-1~s", 0, 1_000, 60_000, true)));
        release("A.0-1~s", 0);
        assertEquals(other + " " + AGREEMENT, server.command("GET", MARKER).asString());
        assertEquals("FRESH", word(acquire("A.0-2~s", 0, 1_000)));
        assertTrue(since() > 0);
        assertTrue(server.command("GET", MARKER).asString().endsWith(" " + server.runId() + " " + AGREEMENT));
        assertEquals("FRESH", word(acquire(Script.QUORUM_ACQUIRE.text(), "A.0-3~s", 0, 1_000, 60_000, true)));
        mark(since() - 61_000_000);
        assertEquals("GRANTED", word(acquire("A.0-4~s", 0, 1_000)));
    }

    @Test
    void memory_asked_saysTheSameAsTheAcquireOfANode() {
        assertEquals("KNOWS", word(memory("60000")));
        server.command("FLUSHALL");
        List<Reply> fresh = memory("60000");
        assertEquals("FRESH", word(fresh));
        assertEquals(60_000, fresh.get(1).asLong());
        long since = since();
        assertEquals("FRESH", word(memory("60000")));
        assertEquals(since, since());
        mark(since - 61_000_000);
        assertEquals("KNOWS", word(memory("60000")));
        assertEquals("FRESH", word(memory("62000")));
    }

    private List<Reply> memory(String quarantine) {
        return run(Script.MEMORY.text(), List.of(MARKER), quarantine, "2592000000", "0", "");
    }

    @Test
    void acquire_clientsThatAgreeOnSomethingElse_areRefusedAndWriteNothing() {
        token(acquire("A.0-1~s", 0, 30_000));
        release("A.0-1~s", 0);
        String marker = server.command("GET", MARKER).asString();
        List<Reply> refused = ofOthers(Script.QUORUM_ACQUIRE.text(), "B.0-1~s");
        assertEquals("OTHER", word(refused));
        assertEquals(AGREEMENT, refused.get(1).asString());
        assertEquals(marker, server.command("GET", MARKER).asString());
        assertEquals(0, server.command("EXISTS", KEYS.hold()).asLong());
        List<Reply> asked = run(Script.MEMORY.text(), List.of(MARKER), "60000", "2592000000", "0", OTHER_AGREEMENT);
        assertEquals(
                List.of("OTHER", AGREEMENT), List.of(word(asked), asked.get(1).asString()));
        // A client of the server alone, which asks whether it has its memory, takes no part in that.
        assertEquals("KNOWS", word(memory("60000")));
        assertEquals(marker, server.command("GET", MARKER).asString());
    }

    @Test
    void acquire_dataOfAnotherProcess_keepsWhatItsClientsAgreedOn() {
        server.command("SET", MARKER, "0 " + "f".repeat(40) + " " + AGREEMENT, "EX", "1000");
        assertEquals("OTHER", word(ofOthers(Script.QUORUM_ACQUIRE.text(), "B.0-1~s")));
        assertEquals("FRESH", word(acquire("A.0-1~s", 0, 1_000)));
        assertTrue(server.command("GET", MARKER).asString().endsWith(" " + AGREEMENT));
    }

    @Test
    void agreement_clientsOfTwoSetsOfNodes_isNeeded() {
        for (boolean withRule : List.of(true, false)) {
            String text = withRule
                    ? Script.QUORUM_ACQUIRE.text()
                    : RewritingDriver.replacingRule("agreement", "").apply(Script.QUORUM_ACQUIRE.text());
            token(acquire(text, "A.0-1~s", 0, 1_000, 60_000));
            release("A.0-1~s", 0);
            assertEquals(withRule ? "OTHER" : "GRANTED", word(ofOthers(text, "B.0-1~s")));
            release("B.0-1~s", 0);
        }
    }

    private List<Reply> ofOthers(String text, String owner) {
        return acquire(text, owner, 0, 30_000, 60_000, false, OTHER_AGREEMENT);
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
