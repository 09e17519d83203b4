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

/** Clients that are silent until their deadline, and then speak again; the ways were found by the model. */
final class SilentWaiterTest {
    private static final Keys KEYS = Keys.of("hf", "lock");
    private static final String DEADLINE = "4000";
    private static final String TERM = "1000";

    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);

    @AfterEach
    void close() {
        server.close();
    }

    @Test
    void refresh_namesAParkedWaiterThatIsForgotten_asksForItAgain() {
        forgetB();
        assertEquals("QUEUED", acquire("b", 2)); // another request of the same client
        pass(1_000); // the lock is free
        assertEquals("RESEND", refresh("b", 2, 1));
    }

    @Test
    void acquire_ofAParkedWaiterThatIsForgotten_queuesItOnce() {
        forgetB();
        assertEquals("QUEUED", acquire("b", 1));
        assertEquals(1, standing());
    }

    @Test
    void refresh_namesAWaiterOfWhichNothingIsKnown_doesNotFail() {
        parkB();
        server.command("HDEL", KEYS.details(), owner("b", 1)); // by hand
        pass(1_000);
        assertEquals("OK", refresh("b", 1, 1));
    }

    /** The first acquire is repeated after the key of the queue was deleted, while b has an unconfirmed claim. */
    @Test
    void acquire_repeatedAfterTheQueueWasDeleted_countsItself() {
        assertEquals("GRANTED", acquire("a", 1));
        assertEquals("QUEUED", acquire("b", 1));
        assertEquals("RELEASED", release("a", 1));
        assertEquals("QUEUED", acquire("a", 1));
        server.command("DEL", KEYS.queue());
        assertEquals("QUEUED 1 1", words(acquireReply("a", 1), 3));
    }

    /** b has not taken up its claim, and stands aside. What is known of it ends three seconds later. */
    private void parkB() {
        assertEquals("GRANTED", acquire("a", 1));
        assertEquals("QUEUED", acquire("b", 1));
        assertEquals("RELEASED", release("a", 1));
        pass(2_000);
        assertEquals("GRANTED", acquire("a", 1));
        assertEquals(1, server.command("ZCARD", KEYS.parked()).asLong());
    }

    /** b has stood aside, and was silent for so long that nothing is known of it any more; somebody holds the lock. */
    private void forgetB() {
        parkB();
        pass(3_000);
        assertEquals("GRANTED", acquire("a", 1));
        assertEquals(0, server.command("EXISTS", KEYS.details()).asLong());
    }

    private long standing() {
        return server.command("ZCARD", KEYS.queue()).asLong()
                + server.command("ZCARD", KEYS.parked()).asLong();
    }

    private void pass(long millis) {
        time.advance(Duration.ofMillis(millis));
    }

    private static String owner(String client, int number) {
        return client + ".0-" + number + "~s";
    }

    private String acquire(String client, int number) {
        return words(acquireReply(client, number), 1);
    }

    private Reply acquireReply(String client, int number) {
        String owner = owner(client, number);
        return run(
                Script.ACQUIRE,
                KEYS.allToAcquire(owner),
                client,
                List.of(owner, TERM, TERM + " x/x", "0", "1 0 0 F 0 T " + TERM));
    }

    private String release(String client, int number) {
        String owner = owner(client, number);
        return words(run(Script.RELEASE, KEYS.all(), client, List.of(owner, "")), 1);
    }

    private String refresh(String client, int count, int first) {
        List<String> args = List.of("0", Integer.toString(count), owner(client, first));
        return words(run(Script.REFRESH, KEYS.all(), client, args), 1);
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
