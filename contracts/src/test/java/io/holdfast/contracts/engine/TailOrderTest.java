package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Script;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A request whose life is over goes to the tail of its own priority, which may stand before others. */
final class TailOrderTest {
    private static final Keys KEYS = Keys.of("hf", "lock");
    private static final String DEADLINE = "4000";
    private static final String TERM = "1000";

    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);

    @AfterEach
    void close() {
        server.close();
    }

    /** The life of c's request ends while b is silent: it goes to the tail of its priority, which is before d. */
    @Test
    void handoff_requestAtTheTailOfAHigherPriority_isServedBeforeALowerOne() {
        assertEquals("GRANTED", acquire("a", 1));
        assertEquals("QUEUED", words(ask("b", 1, "1 0 1 F 0 T " + TERM), 1));
        assertEquals("QUEUED", words(ask("c", 1, "1 0 1 F 500 T " + TERM), 1));
        assertEquals("QUEUED", words(ask("d", 1, "1 0 0 F 0 T " + TERM), 1));
        assertEquals("RELEASED", release("a", 1)); // b is handed the lock
        pass(1_500);
        assertEquals("QUEUED", acquire("a", 2)); // settles
        assertEquals(owner("c", 1), words(server.command("GET", KEYS.hold()), 1));
    }

    private void pass(long millis) {
        time.advance(Duration.ofMillis(millis));
    }

    private static String owner(String client, int number) {
        return client + ".0-" + number + "~s";
    }

    private String acquire(String client, int number) {
        return words(ask(client, number, "1 0 0 F 0 T " + TERM), 1);
    }

    private Reply ask(String client, int number, String wishes) {
        String owner = owner(client, number);
        return run(Script.ACQUIRE, KEYS.allToAcquire(owner), client, List.of(owner, TERM, TERM + " x/x", "0", wishes));
    }

    private String release(String client, int number) {
        String owner = owner(client, number);
        return words(run(Script.RELEASE, KEYS.all(), client, List.of(owner, "")), 1);
    }

    private Reply run(Script script, List<String> keys, String client, List<String> args) {
        List<String> words = new ArrayList<>(List.of("EVAL", script.text(), Integer.toString(keys.size())));
        words.addAll(keys);
        words.add(client + " " + DEADLINE + " hf:to:");
        words.add("3600000");
        words.addAll(args);
        words.add("1");
        return server.command(words.toArray(String[]::new));
    }

    private static String words(Reply reply, int count) {
        String text = reply.isList() ? reply.asList().get(0).asString() : reply.asString();
        return String.join(" ", List.of(text.split(" ", -1)).subList(0, count));
    }
}
