package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Another program has put a value of another type in the place of one key of a lock, whatever the lock's state. Every script
 * leaves it alone, and leaves nothing behind that does not expire; one that refuses has written nothing; and nothing keeps
 * an owner from releasing what it holds.
 */
final class ForeignKeysTest {
    private static final Keys KEYS = Keys.of("hf", "a");
    private static final String HOLDER = "h.0-1~s";
    private static final String MINE = "m.0-1~s";
    private static final String HEIR = "n.0-1~s";
    private static final String FIRST = "x.0-1~s";
    private static final String LAST = "y.0-1~s";
    private static final String MARKER = Keys.nodeMarker("hf");
    private static final String PLAIN = "plain";

    /** Those that answer whatever they find, because somebody's hold, or somebody else's lock, depends on them. */
    private static final Set<Script> NEVER_REFUSE = EnumSet.of(
            Script.RELEASE,
            Script.CONFIRM,
            Script.RENEW,
            Script.REFRESH,
            Script.INFO,
            Script.REVOKE,
            Script.PROLONG,
            Script.QUORUM_RELEASE);

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        for (Script script : Script.values()) {
            assertEquals(
                    script.sha1(),
                    server.command("SCRIPT", "LOAD", script.text()).asString());
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** How far a lock has come; each begins with an empty server. */
    private enum Scene {
        FREE {
            @Override
            void play() {}
        },
        MINE_ALONE {
            @Override
            void play() {
                acquire(MINE);
            }
        },
        MINE_WITH_WAITERS {
            @Override
            void play() {
                acquire(MINE);
                acquire(FIRST);
                acquire(LAST);
            }
        },
        I_WAIT {
            @Override
            void play() {
                acquire(HOLDER);
                acquire(FIRST);
                acquire(MINE);
                acquire(LAST);
            }
        },
        HANDED_TO_ME_PAST_ONE_PARKED {
            @Override
            void play() {
                I_WAIT.play();
                run(Script.RELEASE, HOLDER);
                server.command("DEL", KEYS.hold()); // the first did not take it up
                run(Script.RELEASE, HOLDER);
            }
        },
        MINE_WITH_PARKED {
            @Override
            void play() {
                HANDED_TO_ME_PAST_ONE_PARKED.play();
                acquire(MINE);
            }
        },
        LAPSED {
            @Override
            void play() {
                HANDED_TO_ME_PAST_ONE_PARKED.play();
                server.command("DEL", KEYS.hold());
            }
        };

        abstract void play();
    }

    private static void acquire(String owner) {
        run(Script.ACQUIRE, owner);
    }

    private static Reply run(Script script, String owner) {
        List<String> words = new ArrayList<>(List.of("EVALSHA", script.sha1()));
        List<String> keys = keysOf(script, owner);
        words.add(Integer.toString(keys.size()));
        words.addAll(keys);
        words.addAll(argumentsOf(script, owner));
        words.add("7"); // the call's number
        return server.command(words.toArray(String[]::new));
    }

    private static List<String> keysOf(Script script, String owner) {
        return switch (script) {
            case ACQUIRE -> KEYS.allToAcquire(owner);
            case RELEASE -> KEYS.allWithTombstone(owner);
            case CONFIRM, REFRESH, INFO, CLEAN -> KEYS.all();
            case REVOKE -> KEYS.allToRevoke();
            case RENEW, PROLONG -> List.of(KEYS.hold());
            case PLAIN_ACQUIRE, PLAIN_RELEASE, PLAIN_EXTEND, PLAIN_INFO -> List.of(PLAIN);
            case FENCE -> List.of(KEYS.value());
            case QUORUM_ACQUIRE -> List.of(KEYS.hold(), KEYS.token(), KEYS.tombstone(owner), MARKER);
            case QUORUM_RAISE -> List.of(KEYS.hold(), KEYS.token());
            case QUORUM_RELEASE -> List.of(KEYS.hold(), KEYS.tombstone(owner));
            case ADOPT -> KEYS.allToAdopt(owner, HEIR);
            case ADOPTED -> List.of(KEYS.hold(), KEYS.tombstone(owner));
            case MEMORY -> List.of(MARKER);
        };
    }

    private static List<String> argumentsOf(Script script, String owner) {
        Reply hold = server.command("TYPE", KEYS.hold()).asString().equals("string")
                ? server.command("GET", KEYS.hold())
                : Reply.of("");
        String[] held = hold.isNull() ? new String[0] : hold.asString().split(" ", -1);
        String token = held.length > 1 && held[1].matches("\\d+") ? held[1] : "1";
        return switch (script) {
            case ACQUIRE -> withCommon(owner, owner, "30000", "30000 app/host/1/main", "0", "1 0 0 F 0 L 1000");
            case RELEASE -> withCommon(owner, owner, "120000 0 " + token);
            case CONFIRM -> withCommon(owner, owner, token, "30000");
            case REFRESH -> withCommon(owner, "0", "1", owner);
            case INFO -> withCommon(owner, "100");
            case REVOKE -> withCommon(owner, "", "1", "120000");
            case PROLONG -> List.of("90000");
            case CLEAN -> withCommon(owner);
            case RENEW -> List.of(owner, token, "30000");
            case PLAIN_ACQUIRE -> List.of("v", "30000", "1", "0", "");
            case PLAIN_RELEASE -> List.of("v");
            case PLAIN_EXTEND -> List.of("v", "60000");
            case PLAIN_INFO -> List.of();
            case FENCE -> List.of("S", "1", "60000", "text");
            case QUORUM_ACQUIRE -> List.of(owner, "30000", "0", "0", "3600000", "3600000", "app/host/1/main", "0");
            case QUORUM_RAISE -> List.of(owner, token, "9000000000000000", "30000", "3600000");
            case QUORUM_RELEASE -> List.of(owner, "120000", "hf:free:a");
            case ADOPT -> withCommon(HEIR, owner, token, HEIR, "30000", "app/host/2/main", "120000");
            case ADOPTED -> List.of(owner, token);
            case MEMORY -> List.of("0", "3600000", "0");
        };
    }

    private static List<String> withCommon(String owner, String... args) {
        List<String> all = new ArrayList<>(List.of(owner.substring(0, 1) + " 30000 hf:to:", "3600000"));
        all.addAll(Arrays.asList(args));
        return all;
    }

    private static String typeOf(String key) {
        if (key.equals(KEYS.queue()) || key.equals(KEYS.parked())) {
            return "zset";
        }
        return key.equals(KEYS.details()) || key.equals(KEYS.evicted()) || key.equals(KEYS.value()) ? "hash" : "string";
    }

    private static void putForeign(String key, String type) {
        server.command("DEL", key);
        switch (type) {
            case "string" -> server.command("SET", key, "a value of another program");
            case "list" -> server.command("RPUSH", key, "a", "b");
            case "hash" -> server.command("HSET", key, "field", "value");
            case "set" -> server.command("SADD", key, "member");
            default -> server.command("ZADD", key, "1", "member");
        }
        if (type.equals("string") || type.equals("set")) {
            server.command("PEXPIRE", key, "60000");
        }
    }

    /** What stands on the server, by key. */
    private static Map<String, String> contents() {
        Map<String, String> all = new TreeMap<>();
        for (Reply found : server.command("KEYS", "*").asList()) {
            String key = found.asString();
            String type = server.command("TYPE", key).asString();
            Reply value = switch (type) {
                case "string" -> server.command("GET", key);
                case "list" -> server.command("LRANGE", key, "0", "-1");
                case "hash" -> server.command("HGETALL", key);
                case "set" -> server.command("SMEMBERS", key);
                default -> server.command("ZRANGE", key, "0", "-1", "WITHSCORES");
            };
            all.put(key, type + " " + value);
        }
        return all;
    }

    private static long leftOf(String key) {
        return server.command("PTTL", key).asLong();
    }

    private void check(Script script, Scene scene, String key, String type) {
        String what = script + " while " + scene + " with a " + type + " at " + key;
        server.command("FLUSHALL");
        scene.play();
        boolean mine = contents().getOrDefault(KEYS.hold(), "").startsWith("string " + MINE);
        putForeign(key, type);
        Map<String, String> before = contents();
        long left = leftOf(key);
        boolean refused = false;
        try {
            run(script, MINE);
        } catch (DriverException e) {
            refused = true;
            assertFalse(NEVER_REFUSE.contains(script), () -> what + ": " + e.getMessage());
        }
        Map<String, String> after = contents();
        assertEquals(before.get(key), after.get(key), () -> what + ": what is foreign has changed");
        long leftThen = leftOf(key);
        assertTrue(
                left == -1 ? leftThen == -1 : leftThen > 0 && leftThen <= left,
                () -> what + ": the expiry of what is foreign has changed from " + left + " to " + leftThen);
        for (String other : after.keySet()) {
            assertTrue(other.equals(key) || leftOf(other) > 0, () -> what + ": does not expire: " + other);
        }
        if (refused) {
            Map<String, String> written = new LinkedHashMap<>(after);
            written.remove(MARKER); // of the node, not of the lock: it says since when it has its memory
            before.remove(MARKER);
            assertEquals(before, written, () -> what + ": it has refused, and has written");
        }
        if (script == Script.RELEASE || script == Script.REVOKE) {
            boolean still = mine && after.getOrDefault(KEYS.hold(), "").startsWith("string " + MINE);
            assertFalse(still && !key.equals(KEYS.hold()), () -> what + ": it is held as before");
        }
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void script_foreignTypeAtAnyKey_leavesItAloneAndNothingWithoutExpiry(Script script) {
        for (String key : keysOf(script, MINE)) {
            for (String type : List.of("string", "list", "hash", "set", "zset")) {
                if (!type.equals(typeOf(key))) {
                    for (Scene scene : Scene.values()) {
                        check(script, scene, key, type);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void script_foreignTextInPlaceOfTheHold_leavesItAlone(Script script) {
        if (keysOf(script, MINE).contains(KEYS.hold())) {
            for (Scene scene : Scene.values()) {
                check(script, scene, KEYS.hold(), "string");
            }
        }
    }

    @Test
    void refresh_foreignTypeAtOneOfManyLocks_servesTheOthers() {
        server.command("FLUSHALL");
        Keys sound = Keys.of("hf", "b");
        putForeign(KEYS.queue(), "list");
        List<String> words = new ArrayList<>(List.of("EVALSHA", Script.REFRESH.sha1(), "10"));
        words.addAll(KEYS.all());
        words.addAll(sound.all());
        words.addAll(withCommon(MINE, "0", "1", MINE, "0", ""));
        List<Reply> replies = server.command(words.toArray(String[]::new)).asList();
        assertEquals("RESEND", replies.get(0).asString().split(" ", 2)[0]);
        assertEquals("OK", replies.get(1).asString().split(" ", 2)[0]);
    }

    @Test
    void release_foreignQueueComesAndGoes_waitersAreServedAfterwards() {
        server.command("FLUSHALL");
        Scene.MINE_WITH_WAITERS.play();
        server.command("RENAME", KEYS.queue(), "aside");
        putForeign(KEYS.queue(), "list");
        assertEquals("RELEASED", run(Script.RELEASE, MINE).asString().split(" ", 2)[0]);
        server.command("RENAME", "aside", KEYS.queue());
        run(Script.RELEASE, MINE); // whoever comes by settles
        assertTrue(server.command("GET", KEYS.hold()).asString().startsWith(FIRST + " "));
    }
}
