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
    private static final Keys LOCK = Keys.of("hf", "a");
    private static final Keys LINE = Keys.of("hf", Keys.Kind.READ_WRITE, "a");
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
            Script.QUORUM_RELEASE,
            Script.LINE_RELEASE,
            Script.LINE_REFRESH,
            Script.LINE_INFO);

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

    /** How far a lock has come, or a line whose requests all want to write; each begins with an empty server. */
    private enum Scene {
        FREE {
            @Override
            void play(boolean line) {}
        },
        MINE_ALONE {
            @Override
            void play(boolean line) {
                acquire(line, MINE);
            }
        },
        MINE_WITH_WAITERS {
            @Override
            void play(boolean line) {
                acquire(line, MINE);
                acquire(line, FIRST);
                acquire(line, LAST);
            }
        },
        I_WAIT {
            @Override
            void play(boolean line) {
                acquire(line, HOLDER);
                acquire(line, FIRST);
                acquire(line, MINE);
                acquire(line, LAST);
            }
        },
        HANDED_TO_ME_PAST_ONE_PARKED {
            @Override
            void play(boolean line) {
                I_WAIT.play(line);
                release(line, HOLDER);
                letEnd(line); // the first did not take it up
                release(line, HOLDER);
            }
        },
        MINE_WITH_PARKED {
            @Override
            void play(boolean line) {
                HANDED_TO_ME_PAST_ONE_PARKED.play(line);
                acquire(line, MINE);
            }
        },
        LAPSED {
            @Override
            void play(boolean line) {
                HANDED_TO_ME_PAST_ONE_PARKED.play(line);
                letEnd(line);
            }
        };

        abstract void play(boolean line);
    }

    private static void acquire(boolean line, String owner) {
        run(line ? Script.LINE_ACQUIRE : Script.ACQUIRE, owner);
    }

    private static void release(boolean line, String owner) {
        run(line ? Script.LINE_RELEASE : Script.RELEASE, owner);
    }

    private static void letEnd(boolean line) {
        if (line) {
            for (Reply member :
                    server.command("ZRANGE", LINE.members(), "0", "-1").asList()) {
                server.command("ZADD", LINE.members(), "1", member.asString());
            }
        } else {
            server.command("DEL", LOCK.hold());
        }
    }

    private static boolean isOfLine(Script script) {
        return script.name().startsWith("LINE_");
    }

    private static Keys lockOf(Script script) {
        return isOfLine(script) ? LINE : LOCK;
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
        Keys lock = lockOf(script);
        return switch (script) {
            case ACQUIRE, LINE_ACQUIRE -> lock.allToAcquire(owner);
            case RELEASE, LINE_RELEASE -> lock.allWithTombstone(owner);
            case INFO -> Keys.allToLook(List.of(lock));
            case CONFIRM,
                    REFRESH,
                    CLEAN,
                    PAUSE,
                    LINE_CONFIRM,
                    LINE_DOWNGRADE,
                    LINE_REFRESH,
                    LINE_INFO,
                    LINE_LIMIT,
                    LINE_CLEAN -> lock.all();
            case REVOKE, LINE_REVOKE -> lock.allToRevoke();
            case RENEW, PROLONG -> List.of(lock.hold());
            case LINE_RENEW, LINE_PROLONG -> List.of(lock.members(), lock.hold());
            case PLAIN_ACQUIRE, PLAIN_RELEASE, PLAIN_EXTEND, PLAIN_INFO -> List.of(PLAIN);
            case FENCE -> List.of(lock.value());
            case QUORUM_ACQUIRE -> List.of(lock.hold(), lock.token(), lock.tombstone(owner), MARKER);
            case QUORUM_RAISE -> List.of(lock.hold(), lock.token());
            case QUORUM_RELEASE -> List.of(lock.hold(), lock.tombstone(owner));
            case ADOPT -> lock.allToAdopt(owner, HEIR);
            case ADOPTED -> List.of(lock.hold(), lock.tombstone(owner));
            case NOTE -> List.of(lock.hold(), lock.note());
            case MEMORY -> List.of(MARKER);
            case REPORT -> List.of(Keys.clients("hf"), Keys.report("hf", "m"));
        };
    }

    private static List<String> argumentsOf(Script script, String owner) {
        String token = tokenOf(lockOf(script), owner);
        return switch (script) {
            case ACQUIRE -> withCommon(owner, owner, "30000", "30000 app/host/1/main", "0", "1 0 0 F 0 L 1000");
            case RELEASE -> withCommon(owner, owner, "120000 0 0 " + token);
            case CONFIRM -> withCommon(owner, owner, token, "30000");
            case LINE_ACQUIRE ->
                withCommon(owner, owner, "30000", "30000 app/host/1/main", "W:1:0", "1 0 0 F 0 L 1000");
            case LINE_RELEASE -> withCommon(owner, owner, "120000 0 0 " + token);
            case LINE_CONFIRM -> withCommon(owner, owner + " " + token + " 30000");
            case LINE_RENEW -> List.of(owner.substring(0, owner.indexOf('~')) + " " + token + " 30000");
            case LINE_DOWNGRADE -> withCommon(owner, owner, token, "30000");
            case LINE_REFRESH -> withCommon(owner, "0", "1", owner);
            case LINE_INFO -> withCommon(owner, "100");
            case LINE_REVOKE -> withCommon(owner, "", "1", "120000");
            case LINE_PROLONG -> List.of("", "90000");
            case LINE_LIMIT -> withCommon(owner, "0", "60000", "app/host/1/");
            case LINE_CLEAN -> withCommon(owner);
            case REFRESH -> withCommon(owner, "0", "1", owner);
            case INFO -> withCommon(owner, "100");
            case REVOKE -> withCommon(owner, "", "1", "120000");
            case PROLONG -> List.of("90000");
            case CLEAN -> withCommon(owner);
            case PAUSE -> withCommon(owner, "60000", "app/host/1/");
            case RENEW -> List.of(owner, token, "30000");
            case PLAIN_ACQUIRE -> List.of("v", "30000", "1", "0", "");
            case PLAIN_RELEASE -> List.of("v");
            case PLAIN_EXTEND -> List.of("v", "60000");
            case PLAIN_INFO -> List.of();
            case FENCE -> List.of("S", "1", "60000", "text");
            case QUORUM_ACQUIRE ->
                List.of(owner, "30000", "0", "0", "3600000", "3600000", "app/host/1/main", "0", "3/60000/volatile/0");
            case QUORUM_RAISE -> List.of(owner, token, "9000000000000000", "30000", "3600000");
            case QUORUM_RELEASE -> List.of(owner, "120000", "hf:free:a");
            case ADOPT -> withCommon(HEIR, owner, token, HEIR, "30000", "app/host/2/main", "120000");
            case ADOPTED -> List.of(owner, token);
            case NOTE -> List.of(owner, token, "app/host/1/main?note=half", "60000");
            case MEMORY -> List.of("0", "3600000", "0", "");
            case REPORT -> List.of("m", "60000", "1");
        };
    }

    /** Of whatever hold there is. */
    private static String tokenOf(Keys lock, String owner) {
        if (lock.kind().isLine()) {
            if (!server.command("TYPE", lock.members()).asString().equals("zset")) {
                return "1";
            }
            for (Reply member :
                    server.command("ZRANGE", lock.members(), "0", "-1").asList()) {
                String[] words = member.asString().split(" ", -1);
                if (owner.startsWith(words[0] + "~")) {
                    return words[1];
                }
            }
            return "1";
        }
        Reply hold = server.command("TYPE", lock.hold()).asString().equals("string")
                ? server.command("GET", lock.hold())
                : Reply.of("");
        String[] held = hold.isNull() ? new String[0] : hold.asString().split(" ", -1);
        return held.length > 1 && held[1].matches("\\d+") ? held[1] : "1";
    }

    private static List<String> withCommon(String owner, String... args) {
        List<String> all = new ArrayList<>(List.of(owner.substring(0, 1) + " 30000 hf:to:", "3600000"));
        all.addAll(Arrays.asList(args));
        return all;
    }

    private static String typeOf(Keys lock, String key) {
        if (key.equals(lock.queue())
                || key.equals(lock.parked())
                || key.equals(lock.members())
                || key.equals(Keys.clients("hf"))) {
            return "zset";
        }
        return key.equals(lock.details())
                        || key.equals(lock.evicted())
                        || key.equals(lock.value())
                        || (lock.kind().isLine() && key.equals(lock.hold()))
                ? "hash"
                : "string";
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
        Keys lock = lockOf(script);
        String what = script + " while " + scene + " with a " + type + " at " + key;
        server.command("FLUSHALL");
        scene.play(isOfLine(script));
        boolean mine = isMine(script, contents());
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
        if (script == Script.RELEASE || script == Script.REVOKE || script == Script.LINE_RELEASE) {
            boolean still = mine && isMine(script, after);
            assertFalse(still && !key.equals(lock.hold()), () -> what + ": it is held as before");
        }
    }

    private static boolean isMine(Script script, Map<String, String> contents) {
        return isOfLine(script)
                ? contents.getOrDefault(LINE.members(), "").contains("m.0-1 ")
                : contents.getOrDefault(LOCK.hold(), "").startsWith("string " + MINE);
    }

    @ParameterizedTest
    @EnumSource(Script.class)
    void script_foreignTypeAtAnyKey_leavesItAloneAndNothingWithoutExpiry(Script script) {
        for (String key : keysOf(script, MINE)) {
            for (String type : List.of("string", "list", "hash", "set", "zset")) {
                if (!type.equals(typeOf(lockOf(script), key))) {
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
        if (keysOf(script, MINE).contains(LOCK.hold())) {
            for (Scene scene : Scene.values()) {
                check(script, scene, LOCK.hold(), "string");
            }
        }
    }

    @Test
    void refresh_foreignTypeAtOneOfManyLocks_servesTheOthers() {
        server.command("FLUSHALL");
        Keys sound = Keys.of("hf", "b");
        putForeign(LOCK.queue(), "list");
        List<String> words = new ArrayList<>(List.of("EVALSHA", Script.REFRESH.sha1(), "10"));
        words.addAll(LOCK.all());
        words.addAll(sound.all());
        words.addAll(withCommon(MINE, "0", "1", MINE, "0", ""));
        List<Reply> replies = server.command(words.toArray(String[]::new)).asList();
        assertEquals("RESEND", replies.get(0).asString().split(" ", 2)[0]);
        assertEquals("OK", replies.get(1).asString().split(" ", 2)[0]);
    }

    @Test
    void release_foreignQueueComesAndGoes_waitersAreServedAfterwards() {
        server.command("FLUSHALL");
        Scene.MINE_WITH_WAITERS.play(false);
        server.command("RENAME", LOCK.queue(), "aside");
        putForeign(LOCK.queue(), "list");
        assertEquals("RELEASED", run(Script.RELEASE, MINE).asString().split(" ", 2)[0]);
        server.command("RENAME", "aside", LOCK.queue());
        run(Script.RELEASE, MINE); // whoever comes by settles
        assertTrue(server.command("GET", LOCK.hold()).asString().startsWith(FIRST + " "));
    }
}
