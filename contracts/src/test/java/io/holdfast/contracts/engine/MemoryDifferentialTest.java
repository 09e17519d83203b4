package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.RewritingDriver;
import io.holdfast.contracts.servers.RespClient;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.RedisDriver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The scripts of core, called at random, answer and write in the server in memory what they do on a real one. They read
 * one clock on both, a hash that the test writes, so that every word they store is the same.
 */
@SuppressWarnings("NullAway.Init") // everything is made before each test
class MemoryDifferentialTest extends DifferentialFixture {
    private static final int SCRIPT_CALLS = 6_000;
    private static final List<String> CLIENTS = List.of("c1", "c2", "c3", "c4");
    private static final List<Keys> LOCKS = List.of(Keys.of("hf", "a"), Keys.of("hf", "b"));

    private final Map<String, RespClient> listening = new TreeMap<>();
    private RedisDriver driver;
    private long ahead; // of the scripts' clock, in microseconds: so waiters and requests outlive their limits

    @BeforeEach
    void connect() {
        driver = memory.driver();
    }

    @AfterEach
    void disconnect() {
        listening.values().forEach(RespClient::close);
        driver.close();
    }

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
                        pick(List.of("60000", "900000")) + " app/host/1/main?a=" + random.nextInt(3)
                                + pick(List.of("", "", " K")),
                        pick(List.of("0", "0", "3", "99")),
                        String.join(
                                " ",
                                pick(List.of("0", "1", "1")),
                                pick(List.of("0", "1", "2")),
                                pick(List.of("0", "1", "-1")),
                                pick(List.of("F", "N", "R")),
                                pick(List.of("0", "100", "600000")),
                                pick(List.of("T", "L")),
                                "60000")));
            case 6, 7, 8 ->
                count.accept(call(
                        Script.RELEASE,
                        lock.allWithTombstone(owner),
                        client,
                        owner,
                        random.nextInt(3) == 0
                                ? ""
                                : pick(List.of("0", "0", "0", "0", "0", "120000")) + " "
                                        + pick(List.of("0", "0", "0", "90000")) + " "
                                        + pick(List.of("0", "0", "0", "30000")) + " "
                                        + pick(List.of("0", "0", token(lock)))));
            case 9 -> {
                String holder = holder(lock);
                count.accept(call(Script.RELEASE, lock.allWithTombstone(holder), clientOf(holder), holder, ""));
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
                List<String> args = new ArrayList<>(List.of(pick(List.of("", suspicion(lock, client)))));
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

    /** Who holds it; somebody else if nobody does, also if it rests. */
    private String holder(Keys lock) {
        String owner = both("GET", lock.hold()).split(" ", -1)[0];
        return owner.equals("(nothing)") || owner.equals("-") ? "nobody.0-0~s" : owner;
    }

    private String token(Keys lock) {
        return both("GET", lock.token()).replace("(nothing)", "1");
    }

    private String suspicion(Keys lock, String client) {
        return both("HGET", lock.details(), "@s:" + client).replace("(nothing)", "");
    }

    private String call(Script script, List<String> keys, String client, String... args) {
        List<String> all = new ArrayList<>(List.of(client + " 120000 hf:to:", "3600000"));
        all.addAll(Arrays.asList(args));
        return run(script, keys, all);
    }

    private String run(Script script, List<String> keys, List<String> args) {
        String text = RewritingDriver.withLivesFromItsClock(
                script.text().replace("redis.call('TIME')", "redis.call('HMGET', 'clock', 's', 'u')"));
        List<String> words = new ArrayList<>(List.of("EVAL", text, Integer.toString(keys.size())));
        words.addAll(keys);
        words.addAll(args);
        words.add("7"); // the call's number
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
}
