package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.FencedValue;
import io.holdfast.FencedValue.Answer;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.ServerRefusedException;
import io.holdfast.StaleTokenException;
import io.holdfast.Wait;
import io.holdfast.spi.RedisAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A fenced value is changed by the newest token only, however late an older one comes. */
@SuppressWarnings("NullAway.Init") // the value is made before each test
public class FencedValueContract extends TakerSuite {
    private static final String KEY = "hf:{a}:v";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final long GREATEST = (1L << 53) - 1;

    private Holdfast holdfast;
    private FencedValue value;

    /** For the classes of the drivers. */
    protected FencedValueContract() {}

    @BeforeEach
    final void makeValue() {
        holdfast = client(server);
        value = holdfast.fencedValue("a", HOUR);
    }

    // ---- the late write

    @Test
    final void thaw_holderThatWasFrozenPastItsTerm_isRefusedAndTheLaterValueStands() throws Exception {
        TakerProcess paused = taker("term=1000");
        paused.send("ask a 1 1");
        long older = Long.parseLong(paused.awaitLine("got a 1").get(4));
        paused.send("guarded a 1 early");
        assertEquals(List.of("guarded", "a", "1", "true", Long.toString(older)), paused.awaitLine("guarded a 1"));
        paused.freeze();

        Lease lease = holdfast.lock("a").acquire(Wait.upTo(PATIENCE));
        assertTrue(lease.token() > older);
        assertTrue(value.set(lease.token(), "present").accepted());
        server.command("SET", "unguarded:a", "present");

        // It goes on where it stood: it has looked at its lease, and all that is left to do is to write.
        paused.send("guarded a 1 late");
        paused.send("unguarded a 1 late");
        paused.thaw();
        assertEquals(
                List.of("guarded", "a", "1", "false", Long.toString(lease.token())), paused.awaitLine("guarded a 1"));
        paused.awaitLine("unguarded a 1");
        assertEquals(Optional.of("present"), value.get());
        assertEquals(
                "late",
                server.command("GET", "unguarded:a").asString(),
                "without the guard the present holder's update is lost");
        assertTrue(lease.isValid());
    }

    @Test
    final void read_newHolderBeforeItsFirstWrite_shutsOutOlderTokens() {
        assertTrue(value.set(1, "1").accepted());
        assertEquals(Optional.of("1"), value.read(2).orElseThrow());
        assertFalse(value.set(1, "late").accepted());
        assertTrue(value.set(2, "1 and 2").accepted());
        assertEquals(Optional.of("1 and 2"), value.get());
    }

    @Test
    final void read_nothingThereYet_shutsOutOlderTokens() {
        assertEquals(new Answer("a", 2, true, 2, Optional.empty()), value.read(2));
        assertFalse(value.set(1, "late").accepted());
        assertEquals(Optional.empty(), value.get());
        assertEveryKeyExpires(server);
    }

    @Test
    final void get_withoutToken_shutsNobodyOut() {
        value.set(1, "1");
        assertEquals(Optional.of("1"), value.get());
        assertTrue(value.set(1, "again").accepted());
    }

    // ---- order of tokens

    @Test
    final void act_olderToken_isRefusedTellsTheNewestAndChangesNothing() {
        value.set(5, "of 5");
        long left = server.command("PTTL", KEY).asLong();
        FencedValue longer = holdfast.fencedValue("a", HOUR.multipliedBy(2));
        Answer refused = new Answer("a", 4, false, 5, Optional.empty());
        assertEquals(refused, longer.set(4, "late"));
        assertEquals(refused, longer.delete(4));
        assertEquals(refused, longer.read(4));
        assertEquals(Optional.of("of 5"), value.get());
        assertTrue(server.command("PTTL", KEY).asLong() <= left, "a refused act has moved the expiry");
        StaleTokenException stale = assertThrows(StaleTokenException.class, refused::orElseThrow);
        assertEquals("a", stale.name());
        assertEquals(4, stale.token());
        assertEquals(5, stale.newest());
    }

    @Test
    final void act_equalToken_passes() {
        assertTrue(value.set(5, "1").accepted());
        assertTrue(value.set(5, "2").accepted());
        assertEquals(Optional.of("2"), value.read(5).orElseThrow());
        assertTrue(value.delete(5).accepted());
        assertTrue(value.set(5, "3").accepted());
    }

    @Test
    final void delete_thenAnOlderToken_isRefusedStill() {
        value.set(5, "of 5");
        assertTrue(value.delete(6).accepted());
        assertEquals(Optional.empty(), value.get());
        assertEquals(6, value.set(5, "late").newest());
        assertEquals(Optional.empty(), value.get());
        assertTrue(value.set(7, "of 7").accepted());
    }

    @Test
    final void delete_ofNothing_remembersTheToken() {
        assertTrue(value.delete(6).accepted());
        assertFalse(value.set(5, "late").accepted());
        assertEveryKeyExpires(server);
    }

    @Test
    final void act_tokensOfSixteenDigits_areComparedToTheLast() {
        assertTrue(value.set(GREATEST - 1, "1").accepted());
        assertEquals(GREATEST, value.set(GREATEST, "2").newest());
        assertEquals(new Answer("a", GREATEST - 1, false, GREATEST, Optional.empty()), value.delete(GREATEST - 1));
        assertEquals(
                Long.toString(GREATEST), server.command("HGET", KEY, "token").asString());
        for (long none : new long[] {0, -1, GREATEST + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            String message = String.valueOf(assertThrows(IllegalArgumentException.class, () -> value.read(none))
                    .getMessage());
            assertEquals("token is " + none + ", must be from 1 to 2^53 - 1", message);
        }
    }

    @Test
    final void set_manyTokensInAnyOrderFromTwoClients_leavesTheGreatest() throws Exception {
        FencedValue other = client(server).fencedValue("a", HOUR);
        List<Long> tokens =
                new ArrayList<>(LongStream.rangeClosed(1, 400).boxed().toList());
        Collections.shuffle(tokens, new Random(1));
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            FencedValue mine = i % 2 == 0 ? value : other;
            List<Long> part = tokens.subList(i * 100, i * 100 + 100);
            writers.add(CompletableFuture.runAsync(() -> {
                for (long token : part) {
                    Answer answer = mine.set(token, "of " + token);
                    assertEquals(answer.accepted(), answer.newest() == token, answer::toString);
                    assertTrue(answer.newest() >= token, answer::toString);
                }
            }));
        }
        for (CompletableFuture<Void> writer : writers) {
            writer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertEquals(Optional.of("of 400"), value.get());
    }

    // ---- life

    @Test
    final void life_shorterThanWhatIsLeft_neverMovesTheExpiryEarlier() {
        value.set(1, "1");
        FencedValue shorter = holdfast.fencedValue("a", Duration.ofSeconds(1));
        shorter.set(2, "2");
        shorter.delete(3);
        assertTrue(left() > HOUR.toMillis() / 2, () -> "left " + left());
    }

    @Test
    final void life_longerThanWhatIsLeft_movesTheExpiryLater() {
        holdfast.fencedValue("a", Duration.ofMinutes(1)).set(1, "1");
        assertTrue(left() <= 60_000 && left() > 0, () -> "left " + left());
        value.read(1);
        assertTrue(left() > 60_000 && left() <= HOUR.toMillis(), () -> "left " + left());
    }

    @Test
    final void life_over_forgetsValueAndTokenTogether() {
        FencedValue brief = holdfast.fencedValue("a", Duration.ofMillis(50));
        brief.set(5, "of 5");
        await("it is forgotten", () -> server.command("EXISTS", KEY).asLong() == 0);
        assertEquals(Optional.empty(), value.get());
        assertTrue(value.set(1, "1").accepted(), "this is what a life must be long enough for");
    }

    @Test
    final void life_forEver_isKeptByActsWithALife() {
        FencedValue lasting = holdfast.fencedValueForEver("a");
        value.set(1, "1");
        lasting.set(2, "2");
        assertEquals(-1, left());
        value.set(3, "3");
        lasting.delete(4);
        assertEquals(-1, left());
        FencedValue another = holdfast.fencedValueForEver("b");
        another.read(1);
        assertEquals(-1, server.command("PTTL", another.key()).asLong());
    }

    @Test
    final void life_outOfRange_isRefusedInWords() {
        for (Duration none : List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(366))) {
            String message =
                    String.valueOf(assertThrows(IllegalArgumentException.class, () -> holdfast.fencedValue("a", none))
                            .getMessage());
            assertEquals("life is " + none + ", must be from 1 ms to 365 days", message);
        }
    }

    private long left() {
        return server.command("PTTL", KEY).asLong();
    }

    // ---- what can be stored, and where

    @Test
    final void value_ofAnyText_comesBackAsItIs() {
        long token = 0;
        for (String text : List.of("", " ", "0", "-0", "1e3", "line\r\nbreak\0", "ä 漢 😀", "x".repeat(1 << 20))) {
            assertTrue(value.set(++token, text).accepted());
            assertEquals(Optional.of(text), value.get());
            assertEquals(Optional.of(text), value.read(token).orElseThrow());
        }
        String tooLong = "x".repeat((1 << 20) + 1);
        assertThrows(IllegalArgumentException.class, () -> value.set(100, tooLong));
        assertThrows(IllegalArgumentException.class, () -> value.set(100, "half \ud83d"));
    }

    @Test
    final void name_sameAsALock_disturbsNeither() throws Exception {
        try (Lease lease = holdfast.lock("a").acquire()) {
            assertTrue(value.set(1, "1").accepted(), "the value knows nothing of the lock's tokens");
            assertEquals(KEY, value.key());
            assertEquals(1, holdfast.inspect().locks().count());
            assertEquals(0, holdfast.inspect().queues().count());
            assertTrue(lease.isHeldOnServer());
        }
        assertEquals(Optional.of("1"), value.get());
        assertEquals("hf:{%7Bx%7D}:v", holdfast.fencedValue("{x}", HOUR).key());
    }

    @Test
    final void key_ofAnotherProgram_isRefusedAndLeftAlone() {
        server.command("SET", "hf:{a}:v", "a text");
        server.command("HSET", "hf:{b}:v", "value", "without a token");
        server.command("HSET", "hf:{c}:v", "token", "no number");
        server.command("HSET", "hf:{d}:v", "field", "of something else");
        for (String name : List.of("a", "b", "c", "d")) {
            FencedValue foreign = holdfast.fencedValue(name, HOUR);
            for (Runnable act :
                    List.<Runnable>of(() -> foreign.set(1, "1"), () -> foreign.delete(1), () -> foreign.read(1))) {
                String message = String.valueOf(
                        assertThrows(ServerRefusedException.class, act::run).getMessage());
                assertTrue(message.contains("used by another program"), message);
            }
            assertEquals(-1, server.command("PTTL", foreign.key()).asLong());
        }
        assertEquals("a text", server.command("GET", "hf:{a}:v").asString());
        assertEquals(1, server.command("HLEN", "hf:{d}:v").asLong());
    }

    // ---- what a server may refuse

    @Test
    final void set_memoryFull_isRefusedAndDeleteWorks() {
        value.set(5, "of 5");
        server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        server.command("CONFIG", "SET", "maxmemory", "1");
        ServerRefusedException failure = assertThrows(ServerRefusedException.class, () -> value.set(6, "of 6"));
        assertTrue(String.valueOf(failure.getMessage()).contains("OOM"), failure.toString());
        assertEquals(Optional.of("of 5"), value.get());
        assertEquals("5", server.command("HGET", KEY, "token").asString());
        assertTrue(value.delete(6).accepted());
        assertEquals(6, value.delete(5).newest());
        server.command("CONFIG", "SET", "maxmemory", "0");
        assertFalse(value.set(5, "late").accepted());
        assertEveryKeyExpires(server);
    }

    @Test
    final void act_allThatIsNeededAndNoMore_works() {
        // As docs/operations.md tells it; persist is for those that never expire.
        List<String> rules =
                new ArrayList<>(List.of("ACL", "SETUSER", "limited", "reset", "resetchannels", "on", ">secret"));
        rules.addAll(List.of("~hf:*", "&hf:to:*"));
        for (String command : ("hello auth ping client|setname select info subscribe unsubscribe evalsha eval time get"
                        + " mget set del exists pttl pexpireat hget hmget hset hdel hexists hincrby zadd zrem zcard zrank"
                        + " zrange zscore zcount publish pubsub|numsub scan")
                .split(" ", -1)) {
            rules.add("+" + command);
        }
        server.command(rules.toArray(String[]::new));
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, "limited", "secret", 0);
        Holdfast limited = client(address, HoldfastOptions.defaults());
        FencedValue mine = limited.fencedValue("a", HOUR);
        assertTrue(mine.set(1, "1").accepted());
        assertEquals(Optional.of("1"), mine.read(2).orElseThrow());
        assertEquals(Optional.of("1"), mine.get());
        assertTrue(mine.delete(2).accepted());
        assertTrue(limited.fencedValueForEver("b").set(1, "1").accepted());
        assertThrows(
                ServerRefusedException.class,
                () -> limited.fencedValueForEver("a").set(3, "3"));
        server.command("ACL", "SETUSER", "limited", "+persist");
        assertTrue(limited.fencedValueForEver("a").set(3, "3").accepted());
    }

    @Test
    final void act_scriptForgottenByTheServer_isSentAgainUnnoticed() {
        value.set(1, "1");
        server.command("SCRIPT", "FLUSH");
        assertTrue(value.set(2, "2").accepted());
        assertEquals(Optional.of("2"), value.get());
    }
}
