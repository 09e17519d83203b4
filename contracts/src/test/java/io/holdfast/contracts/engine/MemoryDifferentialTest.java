package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.RewritingDriver;
import io.holdfast.contracts.servers.RespClient;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.RedisDriver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The scripts of core, called at random, answer and write in the server in memory what they do on a real one. They read
 * one clock on both, a hash that the test writes, so that every word they store is the same.
 */
@Tag("long")
@SuppressWarnings("NullAway.Init") // everything is made before each test
class MemoryDifferentialTest extends DifferentialFixture implements DrawnCalls.Servers {
    private static final int SCRIPT_CALLS = 6_000;

    private final Map<String, Integer> answers = new TreeMap<>();
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
        DrawnCalls calls = new DrawnCalls(random, this);
        for (int i = 0; i < SCRIPT_CALLS; i++) {
            tick();
            if (random.nextInt(40) == 0) {
                ahead += random.nextInt(90) * 1_000_000L;
            }
            long clock = micros + ahead;
            both("HSET", "clock", "s", Long.toString(clock / 1_000_000), "u", Long.toString(clock % 1_000_000));
            calls.exclusive();
            if (i % 25 == 0) {
                compareKeyspaces();
            }
        }
        compareKeyspaces();
        assertTrue(
                answers.keySet()
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
                () -> "seed " + seed + ": " + answers);
        System.getLogger("io.holdfast").log(System.Logger.Level.INFO, () -> "answers: " + answers);
    }

    @Override
    public String run(Script script, List<String> keys, List<String> args) {
        String text = RewritingDriver.withLivesFromItsClock(
                script.text().replace("redis.call('TIME')", "redis.call('HMGET', 'clock', 's', 'u')"));
        List<String> words = new ArrayList<>(List.of("EVAL", text, Integer.toString(keys.size())));
        words.addAll(keys);
        words.addAll(args);
        words.add("7"); // the call's number
        String answer = both(words.toArray(String[]::new));
        answers.merge(answer.replaceAll("^\\[(\\d{9,}, )?\\[?([A-Z]*).*", "$2"), 1, Integer::sum);
        return answer;
    }

    @Override
    public void listen(String client) {
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
