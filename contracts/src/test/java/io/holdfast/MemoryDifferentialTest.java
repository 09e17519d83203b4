package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.RespClient;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The server in memory and a real one are told the same, at random, and answer the same; then they hold the same keys.
 *
 * <p>Scripts read one clock on both, a hash that the test writes, so that every word they store is the same. What the
 * servers read from their own clocks, the rest of a term and when a key expires, may differ by as much as a slow machine
 * may be away. What is asked follows from a seed, always the same one unless {@code -Dholdfast.test.seed=…} sets another, or {@code fresh}
 * for one that nobody has tried; a failure tells it.
 */
@SuppressWarnings("NullAway.Init") // everything is made before each test
class MemoryDifferentialTest {
    private static final int SCRIPT_CALLS = 6_000;
    private static final int COMMANDS = 12_000;
    private static final long AWAY_MILLIS = 20_000;
    private static final List<String> CLIENTS = List.of("c1", "c2", "c3", "c4");
    private static final List<Keys> LOCKS = List.of(Keys.of("hf", "a"), Keys.of("hf", "b"));
    private static final Set<Object> BEYOND_LONG = Set.of(Long.toString(Long.MAX_VALUE), Long.toString(Long.MIN_VALUE));
    private static final Set<String> UNORDERED =
            Set.of("KEYS", "HKEYS", "HVALS", "SMEMBERS", "HGETALL", "SCAN", "HSCAN", "SSCAN", "ZSCAN", "PUBSUB");

    private final VirtualTime time = new VirtualTime();
    private final long seed = seed();
    private final Random random = new Random(seed);
    private final List<String> asked = new ArrayList<>();
    private final Map<String, RespClient> listening = new TreeMap<>();
    private RedisServer real;
    private MemoryServer memory;
    private RedisDriver driver;
    private long micros;
    private long ahead; // of the scripts' clock, in microseconds: so waiters and requests outlive their limits

    @BeforeEach
    void start() {
        real = RedisServer.start();
        memory = MemoryServer.start(time);
        driver = memory.driver();
    }

    @AfterEach
    void stop() {
        listening.values().forEach(RespClient::close);
        driver.close();
        memory.close();
        real.close();
    }

    private static long seed() {
        String chosen = System.getProperty("holdfast.test.seed", "1");
        return chosen.equals("fresh") ? System.nanoTime() : Long.parseLong(chosen);
    }

    // ---- asking both

    private void tick() {
        long before = micros;
        micros = micros(real);
        memory.stepClock(Duration.ofNanos((micros - micros(memory::command)) * 1_000));
        assertTrue(micros >= before);
    }

    private static long micros(RedisServer server) {
        return micros(server::command);
    }

    private interface Asking {
        Reply command(String... words);
    }

    private static long micros(Asking server) {
        List<Reply> clock = server.command("TIME").asList();
        return clock.get(0).asLong() * 1_000_000 + clock.get(1).asLong();
    }

    private String both(String... words) {
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
            return value(server.command(words));
        } catch (DriverException e) {
            // Up to here the text is the server's; then follow places in the script, which interpreters tell
            // differently.
            return "error " + String.valueOf(e.getMessage()).replaceFirst(" script: .*", "");
        }
    }

    private static Object value(Reply reply) {
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

    private void compareKeyspaces() {
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
    private static Map<String, List<Object>> keyspace(Asking server) {
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

    // ---- the scripts of core

    @Test
    void scripts_calledAtRandom_answerAndWriteWhatTheyDoOnARealServer() {
        Map<String, Integer> words = new TreeMap<>();
        Consumer<String> count =
                answer -> words.merge(answer.replaceAll("^\\[(\\d{9,}, )?\\[?([A-Z]*).*", "$2"), 1, Integer::sum);
        for (int i = 0; i < SCRIPT_CALLS; i++) {
            tick();
            if (random.nextInt(40) == 0) {
                ahead += random.nextInt(90) * 1_000_000L;
            }
            long clock = micros + ahead;
            both("HSET", "clock", "s", Long.toString(clock / 1_000_000), "u", Long.toString(clock % 1_000_000));
            step(count);
            if (i % 25 == 0) {
                compareKeyspaces();
            }
        }
        compareKeyspaces();
        assertTrue(
                words.keySet()
                        .containsAll(List.of(
                                "GRANTED",
                                "QUEUED",
                                "TAKEN",
                                "FULL",
                                "GONE",
                                "EVICTED",
                                "RELEASED",
                                "WITHDRAWN",
                                "HELD",
                                "NOTHING",
                                "OTHER",
                                "OK",
                                "RESEND")),
                () -> "seed " + seed + ": " + words);
        System.getLogger("io.holdfast").log(System.Logger.Level.INFO, () -> "answers: " + words);
    }

    private void step(Consumer<String> count) {
        Keys lock = pick(LOCKS);
        String client = pick(CLIENTS);
        String owner = client + ".0-" + random.nextInt(8) + "~s";
        switch (random.nextInt(24)) {
            case 0, 1, 2, 3, 4, 5 ->
                count.accept(call(
                        Script.ACQUIRE,
                        lock.allToAcquire(owner),
                        client,
                        owner,
                        pick(List.of("60000", "900000")),
                        pick(List.of("0", "1", "1")),
                        "60000",
                        pick(List.of("0", "100", "600000")),
                        pick(List.of("T", "L")),
                        "app/host/1",
                        "main?a=" + random.nextInt(3),
                        pick(List.of("F", "N", "R")),
                        pick(List.of("0", "1", "-1")),
                        pick(List.of("0", "1", "2")),
                        pick(List.of("1", "1", "4", "100")),
                        pick(List.of("", "", "K"))));
            case 6, 7, 8 ->
                count.accept(call(
                        Script.RELEASE,
                        lock.allWithTombstone(owner),
                        client,
                        owner,
                        pick(List.of("0", "0", "0", "0", "0", "120000")),
                        pick(List.of("0", "0", "0", "90000")),
                        pick(List.of("0", "0", token(lock)))));
            case 9 -> {
                String holder = holder(lock);
                count.accept(
                        call(Script.RELEASE, lock.allWithTombstone(holder), clientOf(holder), holder, "0", "0", "0"));
            }
            case 10, 11 -> {
                String holder = random.nextBoolean() ? holder(lock) : owner;
                count.accept(call(Script.CONFIRM, lock.all(), clientOf(holder), holder, token(lock), "60000"));
            }
            case 12 -> {
                List<String> keys = new ArrayList<>();
                List<String> args = new ArrayList<>();
                for (Keys one : LOCKS) {
                    keys.add(one.hold());
                    args.addAll(List.of(random.nextInt(4) > 0 ? holder(one) : owner, token(one), "600000"));
                }
                count.accept(run(Script.RENEW, keys, args));
            }
            case 13, 14, 15, 16 -> {
                List<String> keys = new ArrayList<>();
                List<String> args = new ArrayList<>(List.of("app/host/1", pick(List.of("", suspicion(lock, client)))));
                for (Keys one : LOCKS) {
                    keys.addAll(one.all());
                    args.add(Integer.toString(random.nextInt(3)));
                    args.add(random.nextBoolean() ? owner : "");
                }
                count.accept(call(Script.REFRESH, keys, client, args.toArray(String[]::new)));
            }
            case 17 -> {
                List<String> keys = new ArrayList<>();
                LOCKS.forEach(one -> keys.addAll(one.all()));
                call(Script.INFO, keys, client, pick(List.of("0", "2", "100")));
            }
            case 18 ->
                count.accept(call(
                        Script.REVOKE,
                        lock.allToRevoke(),
                        client,
                        pick(List.of("", "1", token(lock))),
                        pick(List.of("0", "0", "1")),
                        "120000"));
            case 19 -> {
                count.accept(run(Script.PROLONG, List.of(lock.hold()), List.of("300000")));
                call(Script.CLEAN, lock.all(), client);
            }
            case 20 -> both("DEL", lock.hold()); // it expires
            case 21 -> listen(client);
            case 22 ->
                both(
                        "DEL",
                        pick(List.of(
                                lock.details(),
                                lock.queue(),
                                lock.parked(),
                                lock.evicted(),
                                lock.tombstone(owner),
                                lock.hold())));
            default -> {
                String value = "v" + random.nextInt(3);
                count.accept(run(
                        Script.PLAIN_ACQUIRE,
                        List.of("plain"),
                        List.of(value, "60000", pick(List.of("0", "1")), pick(List.of("0", "1")), "v1")));
                count.accept(run(
                        pick(List.of(Script.PLAIN_RELEASE, Script.PLAIN_EXTEND)),
                        List.of("plain"),
                        List.of("v" + random.nextInt(3), pick(List.of("0", "90000")))));
                run(Script.PLAIN_INFO, List.of("plain"), List.of());
            }
        }
    }

    private static String clientOf(String owner) {
        return owner.substring(0, Math.max(0, owner.indexOf('.')));
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private String holder(Keys lock) {
        return both("GET", lock.hold()).split(" ", -1)[0].replace("(nothing)", "nobody.0-0~s");
    }

    private String token(Keys lock) {
        return both("GET", lock.token()).replace("(nothing)", "1");
    }

    private String suspicion(Keys lock, String client) {
        return both("HGET", lock.details(), "@s:" + client).replace("(nothing)", "");
    }

    private String call(Script script, List<String> keys, String client, String... args) {
        List<String> all = new ArrayList<>(List.of(client, "hf:to:", "120000", "3600000"));
        all.addAll(Arrays.asList(args));
        return run(script, keys, all);
    }

    private String run(Script script, List<String> keys, List<String> args) {
        String text = script.text().replace("redis.call('TIME')", "redis.call('HMGET', 'clock', 's', 'u')");
        List<String> words = new ArrayList<>(List.of("EVAL", text, Integer.toString(keys.size())));
        words.addAll(keys);
        words.addAll(args);
        return both(words.toArray(String[]::new));
    }

    /** A client that listened stops, or the other way round. */
    private void listen(String client) {
        String channel = "hf:to:" + client;
        RespClient open = listening.remove(client);
        if (open != null) {
            open.send("UNSUBSCRIBE", channel);
            open.close();
            driver.unsubscribe(channel);
            while (!real.command("PUBSUB", "NUMSUB", channel)
                    .asList()
                    .get(1)
                    .asString()
                    .equals("0")) {
                Thread.onSpinWait();
            }
        } else {
            RespClient opened = real.connect();
            opened.command("SUBSCRIBE", channel);
            listening.put(client, opened);
            driver.subscribe(channel, message -> {});
        }
    }

    // ---- commands, and what Lua makes of values

    // A term that is compared with the present one is none of those that are set: the servers' clocks differ a little.
    private static final List<String> TEMPLATES = List.of(
            "SET k v",
            "SET k n",
            "SET k v NX",
            "SET k v XX",
            "SET k v PX t",
            "SET k v EX t",
            "SET k v KEEPTTL",
            "SET k v GET",
            "SET k v NX GET",
            "SET k v PXAT 1",
            "SET k v PX 0",
            "SET k v NX XX",
            "SET k v PX x",
            "GET k",
            "GETDEL k",
            "GETSET k v",
            "SETNX k v",
            "SETEX k t v",
            "PSETEX k t v",
            "INCR k",
            "DECR k",
            "INCRBY k n",
            "INCRBY k 9223372036854775807",
            "DECRBY k n",
            "APPEND k v",
            "STRLEN k",
            "MGET k k",
            "MSET k v k v",
            "MSET k v k",
            "DEL k",
            "UNLINK k k",
            "EXISTS k k",
            "TYPE k",
            "PEXPIRE k t",
            "PEXPIRE k t NX",
            "PEXPIRE k t XX",
            "PEXPIRE k 150000 GT",
            "PEXPIRE k 250000 LT",
            "PEXPIRE k t NX GT",
            "PEXPIRE k t GT LT",
            "PEXPIRE k t foo",
            "PEXPIRE k 0",
            "EXPIRE k t",
            "PEXPIRE k -1",
            "PEXPIREAT k 1",
            "PEXPIRE k x",
            "PTTL k",
            "TTL k",
            "PEXPIRETIME k",
            "PERSIST k",
            "RENAME k k",
            "HSET k f v",
            "HSET k f n f v",
            "HSET k f",
            "HSETNX k f v",
            "HMSET k f v",
            "HGET k f",
            "HMGET k f f f",
            "HDEL k f",
            "HDEL k f f",
            "HEXISTS k f",
            "HLEN k",
            "HSTRLEN k f",
            "HKEYS k",
            "HVALS k",
            "HGETALL k",
            "HINCRBY k f n",
            "HINCRBY k f x",
            "HSCAN k 0 COUNT 100",
            "ZADD k n f",
            "ZADD k n f n f",
            "ZADD k 1.5 f",
            "ZADD k NX n f",
            "ZADD k XX n f",
            "ZADD k GT n f",
            "ZADD k LT n f",
            "ZADD k GT CH n f n f",
            "ZADD k INCR n f",
            "ZADD k NX XX n f",
            "ZADD k GT NX n f",
            "ZADD k x f",
            "ZADD k n f n",
            "ZADD k CH n f",
            "ZADD k inf f",
            "ZADD k XX INCR n f",
            "ZADD k 4398046511104 f",
            "ZADD k 9007199254740991 f",
            "ZINCRBY k n f",
            "ZREM k f",
            "ZREM k f f",
            "ZSCORE k f",
            "ZMSCORE k f f",
            "ZCARD k",
            "ZRANK k f",
            "ZREVRANK k f",
            "ZCOUNT k -inf +inf",
            "ZCOUNT k (n n",
            "ZCOUNT k n (n",
            "ZCOUNT k x 1",
            "ZRANGE k 0 -1",
            "ZRANGE k 0 -1 WITHSCORES",
            "ZRANGE k n n",
            "ZRANGE k -3 -2 REV",
            "ZRANGE k -inf +inf BYSCORE LIMIT 1 2",
            "ZRANGE k n n BYSCORE WITHSCORES",
            "ZRANGE k +inf -inf BYSCORE REV",
            "ZRANGE k 0 1 LIMIT 0 1",
            "ZRANGEBYSCORE k (n +inf LIMIT 0 2",
            "ZREVRANGEBYSCORE k +inf n WITHSCORES",
            "ZREVRANGE k 0 1 WITHSCORES",
            "ZPOPMIN k",
            "ZPOPMIN k 2",
            "ZPOPMAX k",
            "ZREMRANGEBYSCORE k n n",
            "ZREMRANGEBYRANK k 1 2",
            "ZSCAN k 0 COUNT 100",
            "SADD k f f",
            "SREM k f",
            "SISMEMBER k f",
            "SMISMEMBER k f f",
            "SCARD k",
            "SMEMBERS k",
            "SSCAN k 0 MATCH f* COUNT 100",
            "RPUSH k v v",
            "LPUSH k v",
            "LPOP k",
            "RPOP k",
            "LLEN k",
            "LRANGE k 0 -1",
            "LRANGE k -2 n",
            "LREM k 0 v",
            "LREM k -1 v",
            "KEYS k*",
            "KEYS [k-l]?",
            "KEYS \\k[^1]",
            "SCAN 0 COUNT 1000",
            "SCAN 0 MATCH *2 COUNT 1000",
            "SCAN 0 TYPE hash COUNT 1000",
            "SCAN x",
            "SCAN 0 COUNT 0",
            "PING",
            "PING v",
            "ECHO v",
            "PUBLISH k v",
            "PUBSUB NUMSUB k",
            "PUBSUB CHANNELS *",
            "ROLE",
            "WAIT 0 0",
            "NOSUCH k v",
            "GET",
            "GET k k",
            "SET k",
            "CONFIG GET maxmemory-policy",
            "SCRIPT EXISTS x",
            "EVALSHA ffffffffffffffffffffffffffffffffffffffff 0",
            "EVAL return 2 k",
            "EVAL return -1",
            "SELECT 0");

    private static final List<String> SNIPPETS = List.of(
            "return {1, 2, nil, 3}",
            "return 3.99",
            "return -3.99",
            "return true",
            "return false",
            "return nil",
            "return {true, false, 'x', {1, {2}}}",
            "return {err = 'MINE own text'}",
            "return {ok = 'FINE'}",
            "return redis.status_reply('S')",
            "return redis.error_reply('MY ERR')",
            "return redis.error_reply('single')",
            "return redis.error_reply('-CODE text')",
            "return redis.call('GET', KEYS[1])",
            "return redis.call('SET', KEYS[1], 7)",
            "return redis.pcall('HGET', KEYS[1], 'f1')",
            "redis.call('SET', KEYS[1], 1) return redis.call('HGET', KEYS[1], 'f')",
            "local r = redis.pcall('INCR', KEYS[1]) if type(r) == 'table' then return r.err end return r",
            "redis.call('DEL', KEYS[1]) redis.call('SET', KEYS[1], 'kept') error('late')",
            "error({err = 'OWN error'})",
            "error('FOREIGN text')",
            "return redis.call('NOSUCH')",
            "return redis.call('GET')",
            "return redis.call()",
            "return redis.call('GET', {})",
            "return redis.call('GET', true)",
            "undeclared = 1",
            "return undeclared",
            "return redis.call('SET', KEYS[1], 1790000000123456)",
            "return redis.call('SET', KEYS[1], 0.1)",
            "return redis.call('SET', KEYS[1], 1e20)",
            "return redis.call('SET', KEYS[1], -1/3)",
            "return string.format('%.0f %d %5d|%-5d|%05d %x %X %o', 9007199254740991, 42, 42, 42, 42, 255, 255, 8)",
            "return string.format('%.2f %.14g %g %g %e %5.1f|', 2.675, 1/3, 1e20, 0.0001, 12345.678, 2.25)",
            "return string.format('%s %s %10s|%-10s|%.2s %q %c %%', 'a', 12, 'b', 'c', 'defg', 'x\"y', 65)",
            "return tostring(1790000000123456) .. '|' .. tostring(0.1) .. '|' .. tostring(100) .. '|' .. tostring(nil)",
            "return tostring(2^53) .. tostring(-0.5) .. tostring(1e15) .. tostring(123456789012345)",
            "return table.concat({1790000000123456, 0.5, 'x', 3}, ',')",
            "return table.concat({1, 2, 3}, '-', 2, 3)",
            "return {tonumber('12'), tonumber('0x10'), tonumber(' 7 '), tonumber('1e3'), tonumber('ff', 16), tonumber('z') or -1}",
            "return {tonumber('') or -1, tonumber('-') or -1, tonumber('9007199254740991'), tonumber('1.9'), tonumber('7x') or -1}",
            "return {string.match('a.b-1~s', '^[^.]+'), string.match('x 12 y', '(%d+) (%S*)')}",
            "return {string.gsub('hello world', 'o', '0', 1)}",
            "return {string.find('a,b', ',', 1, true)}",
            "return {string.sub('hello', 2, -2), string.rep('ab', 3), string.upper('x'), string.len('abc'), string.byte('A')}",
            "local t = {3, 1, 2} table.sort(t, function(a, b) return a < b end) return t",
            "local t = {} for k in string.gmatch('a b c', '%S+') do t[#t + 1] = k end return t",
            "return {math.floor(-1.5), math.max(1, 9), math.min(3, 2), math.ceil(1.2), 7 % 3, -7 % 3, 2 ^ 10}",
            "return {unpack({1, 2, 3}, 2)}",
            "return select('#', 1, 2, 3)",
            "return {pcall(error, 'x')}",
            "return {pcall(redis.call, 'HGET', KEYS[1], 'f')}",
            "return redis.sha1hex('')",
            "return redis.sha1hex(ARGV[1])",
            "return {KEYS[1], ARGV[1], #KEYS, #ARGV}",
            "return type(redis.call('TIME')[1])",
            "local ok = pcall(function() return 1 + nil end) return ok and 1 or 0",
            "return {pcall(function() error('x') end)}",
            "return redis.call('EVAL', 'return 1', 0)",
            "return #redis.call('KEYS', '*')",
            "return redis.call('ZADD', KEYS[1], 4398046511104.5, 'm')",
            "return redis.call('ZSCORE', KEYS[1], 'f1')",
            "return tostring(redis.call('GET', KEYS[1]))",
            "return ARGV[1] .. 12 .. 'x'",
            "return 10 == '10'",
            "return '10' + 5");

    @Test
    void commands_sentAtRandom_answerAndWriteWhatTheyDoOnARealServer() {
        Set<String> used = new HashSet<>();
        for (int i = 0; i < COMMANDS; i++) {
            tick();
            String template = random.nextInt(4) == 0 ? pick(SNIPPETS) : pick(TEMPLATES);
            used.add(template);
            if (SNIPPETS.contains(template)) {
                both("EVAL", template, "1", key(), pick(List.of("", "ü", "10")));
            } else {
                both(filled(template));
            }
            if (i % 25 == 0) {
                compareKeyspaces();
            }
            if (random.nextInt(60) == 0) {
                both("FLUSHALL");
            }
        }
        compareKeyspaces();
        assertEquals(TEMPLATES.size() + SNIPPETS.size(), used.size());
    }

    private String key() {
        return "k" + random.nextInt(4);
    }

    private String[] filled(String template) {
        String[] words = template.split(" ", -1);
        if (words[0].equals("EVAL")) {
            return new String[] {"EVAL", "return 1", words[2], key()};
        }
        for (int i = 1; i < words.length; i++) {
            words[i] = switch (words[i]) {
                case "k" -> key();
                case "f" -> "f" + random.nextInt(4);
                case "v" -> pick(List.of("v", "17", "-3", "ü", ""));
                case "n" -> Integer.toString(random.nextInt(9) - 3);
                case "(n" -> "(" + (random.nextInt(9) - 3);
                case "t" -> pick(List.of("100000", "200000", "300000"));
                default -> words[i];
            };
        }
        return words;
    }
}
