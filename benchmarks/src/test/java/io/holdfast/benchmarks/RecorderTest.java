package io.holdfast.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.RespClient;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is recorded, and sent again. */
final class RecorderTest {
    /** Gives out the time, and takes it back if it is the one that was given out. */
    private static final String GIVE =
            "local t = redis.call('TIME') local now = t[1] .. string.sub('00000' .. t[2], -6)"
                    + " redis.call('SET', KEYS[1], now) return now";

    private static final String TAKE =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

    @Test
    void words_ofALine_areAsTheyWereSent() {
        assertEquals(
                List.of("SET", "a \"key\"", "\\ \n\r\tü"),
                Recorder.words("1.5 [0 127.0.0.1:1] \"SET\" \"a \\\"key\\\"\" \"\\\\ \\n\\r\\t\\xc3\\xbc\""));
    }

    @Test
    void replay_whatTellsATimeThatItWasTold_tellsTheNewOne() {
        try (RedisServer server = RedisServer.start();
                Recorder recorder = new Recorder(server);
                RespClient client = server.connect()) {
            String give = client.command("SCRIPT", "LOAD", GIVE).asString();
            String take = client.command("SCRIPT", "LOAD", TAKE).asString();
            recorder.take();
            String told = client.command("EVALSHA", give, "1", "k").asString();
            client.command("EVALSHA", take, "1", "k", told);
            List<Recorder.Call> calls = recorder.take();
            assertEquals(
                    List.of(List.of("TIME", "SET"), List.of("GET", "DEL")),
                    calls.stream().map(Recorder.Call::commandsWithin).toList());
            Replay replay = new Replay(server, List.of(calls), 0);
            assertEquals(0.0, replay.rehearse(client, recorder));
            replay.run(client);
            assertEquals(2, ServerCounts.spentIn(server, "evalsha").calls());
        }
    }
}
