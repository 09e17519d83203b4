package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The server in memory and a real one, which are told the same, at random, and answer the same; then they hold the same
 * keys.
 *
 * <p>What the servers read from their own clocks, the rest of a term and when a key expires, may differ by as much as a
 * slow machine may be away. What is asked follows from a seed, always the same one unless
 * {@code -Dholdfast.test.seed=…} sets another, or {@code fresh} for one that nobody has tried; a failure tells it.
 */
@SuppressWarnings("NullAway.Init") // everything is made before each test
abstract class DifferentialFixture {
    private static final long AWAY_MILLIS = 20_000;
    private static final Set<Object> BEYOND_LONG = Set.of(Long.toString(Long.MAX_VALUE), Long.toString(Long.MIN_VALUE));
    private static final Set<String> UNORDERED =
            Set.of("KEYS", "HKEYS", "HVALS", "SMEMBERS", "HGETALL", "SCAN", "HSCAN", "SSCAN", "ZSCAN", "PUBSUB");

    private final VirtualTime time = new VirtualTime();
    final long seed = seed();
    final Random random = new Random(seed);
    private final List<String> asked = new ArrayList<>();
    RedisServer real;
    MemoryServer memory;
    long micros; // of the clock that both tell

    @BeforeEach
    void start() {
        real = RedisServer.start();
        memory = MemoryServer.start(time);
    }

    @AfterEach
    void stop() {
        memory.close();
        real.close();
    }

    static long seed() {
        String chosen = System.getProperty("holdfast.test.seed", "1");
        return chosen.equals("fresh") ? System.nanoTime() : Long.parseLong(chosen);
    }

    // ---- asking both

    void tick() {
        long before = micros;
        micros = micros(real);
        memory.stepClock(Duration.ofNanos((micros - micros(memory::command)) * 1_000));
        assertTrue(micros >= before);
    }

    private static long micros(RedisServer server) {
        return micros(server::command);
    }

    interface Asking {
        Reply command(String... words);
    }

    private static long micros(Asking server) {
        List<Reply> clock = server.command("TIME").asList();
        return clock.get(0).asLong() * 1_000_000 + clock.get(1).asLong();
    }

    public String both(String... words) {
        String shown =
                String.join(" ", Arrays.asList(words).subList(words[0].startsWith("EVAL") ? 2 : 0, words.length));
        asked.add(words[0].startsWith("EVAL") ? words[1].lines().findFirst().orElse("") + " | " + shown : shown);
        // A key that is dropped by force makes two waiters of one order, which each Lua sorts in its own way.
        boolean unordered = UNORDERED.contains(words[0]) || (words.length > 1 && words[1].startsWith("-- info.lua"));
        Object here = answer(memory::command, words);
        Object there = answer(real::command, words);
        if (!alike(there, here, unordered)) {
            throw new AssertionError("-Dholdfast.test.seed=" + seed + "\nreal:   " + there + "\nmemory: " + here
                    + "\nafter " + asked.size() + ": "
                    + String.join("\n  ", asked.subList(Math.max(0, asked.size() - 12), asked.size())));
        }
        return String.valueOf(there);
    }

    private static Object answer(Asking server, String... words) {
        try {
            Reply reply = server.command(words);
            return words[0].startsWith("EVAL") ? wordsOf(reply) : value(reply);
        } catch (DriverException e) {
            // Up to here the text is the server's; then follow places in the script, which interpreters tell
            // differently.
            return "error " + String.valueOf(e.getMessage()).replaceFirst(" script: .*", "");
        }
    }

    /** What a script replies, texts taken apart into their words. */
    private static Object wordsOf(Reply reply) {
        if (reply.isNull()) {
            return "(nothing)";
        }
        return reply.isList()
                ? reply.asList().stream().map(DifferentialFixture::wordsOf).toList()
                : List.of(reply.asString().split(" ", -1));
    }

    static Object value(Reply reply) {
        if (reply.isNull()) {
            return "(nothing)";
        }
        if (!reply.isList()) {
            return reply.asString();
        }
        List<Object> values = new ArrayList<>();
        reply.asList().forEach(element -> values.add(value(element)));
        return values;
    }

    private static boolean alike(Object a, Object b, boolean unordered) {
        if (a instanceof List<?> these && b instanceof List<?> those) {
            List<Object> left = new ArrayList<>(those);
            for (Object one : these) {
                // Sorting both sides would not do: rests that are alike, a millisecond apart, can sort in two ways.
                int other = 0;
                while (other < left.size() && !alike(one, left.get(other), unordered)) {
                    other = unordered ? other + 1 : left.size();
                }
                if (other >= left.size()) {
                    return false;
                }
                left.remove(other);
            }
            return left.isEmpty();
        }
        if (a.equals(b)) {
            return true;
        }
        // What C makes of a number beyond its range is up to the processor.
        if (BEYOND_LONG.contains(a) && BEYOND_LONG.contains(b)) {
            return true;
        }
        // The rest of a term, or its end, in milliseconds. Tokens and orders have other lengths, as have counts, and
        // all are exact.
        return a.toString().matches("\\d{5,9}|\\d{13}")
                && b.toString().matches("\\d{5,9}|\\d{13}")
                && Math.abs(Long.parseLong(a.toString()) - Long.parseLong(b.toString())) < AWAY_MILLIS;
    }

    void compareKeyspaces() {
        Map<String, List<Object>> there = keyspace(real::command);
        Map<String, List<Object>> here = keyspace(memory::command);
        there.forEach((key, value) -> {
            List<Object> other = here.getOrDefault(key, List.of("(none)", "", "0"));
            boolean same = value.subList(0, 2).equals(other.subList(0, 2))
                    && Math.abs(Long.parseLong(value.get(2).toString())
                                    - Long.parseLong(other.get(2).toString()))
                            < AWAY_MILLIS;
            assertTrue(
                    same,
                    () -> "-Dholdfast.test.seed=" + seed + "\n" + key + "\nreal:   " + value + "\nmemory: " + other
                            + "\nafter " + asked.size() + ": "
                            + String.join("\n  ", asked.subList(Math.max(0, asked.size() - 30), asked.size())));
        });
        assertEquals(there.keySet(), here.keySet(), "seed " + seed);
    }

    /** Type, value and expiry of each key. */
    static Map<String, List<Object>> keyspace(Asking server) {
        Map<String, List<Object>> keys = new TreeMap<>();
        for (Reply key : server.command("KEYS", "*").asList()) {
            String name = key.asString();
            String type = server.command("TYPE", name).asString();
            Reply value = switch (type) {
                case "hash" -> server.command("HGETALL", name);
                case "zset" -> server.command("ZRANGE", name, "0", "-1", "WITHSCORES");
                case "set" -> server.command("SMEMBERS", name);
                case "list" -> server.command("LRANGE", name, "0", "-1");
                default -> server.command("GET", name);
            };
            if (!name.equals("clock")) {
                keys.put(
                        name,
                        List.of(
                                type,
                                type.equals("hash") ? pairs(value) : type.equals("set") ? sorted(value) : value(value),
                                server.command("PEXPIRETIME", name).asString()));
            }
        }
        return keys;
    }

    private static Object sorted(Reply set) {
        return set.asList().stream().map(Reply::asString).sorted().toList();
    }

    private static Object pairs(Reply hash) {
        Map<String, String> pairs = new TreeMap<>();
        for (int i = 0; i < hash.asList().size(); i += 2) {
            pairs.put(hash.asList().get(i).asString(), hash.asList().get(i + 1).asString());
        }
        return pairs;
    }

    <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
