package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Commands sent at random, and what Lua makes of values, are answered in memory as by a real server. */
class MemoryCommandsDifferentialTest extends DifferentialFixture {
    private static final int COMMANDS = 12_000;

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
            "CONFIG GET maxmemory",
            "CONFIG SET maxmemory-policy noeviction",
            "CONFIG SET maxmemory",
            "CONFIG SET nosuch 1",
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
            "redis.call('HDEL', KEYS[1], 'f') return redis.call('SET', KEYS[1], 1)",
            "redis.pcall('SADD', KEYS[1], 'f') return redis.call('APPEND', KEYS[1], 1)",
            "redis.call('PUBLISH', KEYS[1], 'm') return redis.call('SET', KEYS[1], 1)",
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
            if (random.nextInt(40) == 0) { // what is allowed on a full server is the same, too
                both("CONFIG", "SET", "maxmemory", random.nextBoolean() ? "1" : "0");
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
