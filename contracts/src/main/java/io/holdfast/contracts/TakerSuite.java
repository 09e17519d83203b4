package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** What the suites share that run {@link Taker takers}: a server, processes, and what the server knows of a lock. */
@SuppressWarnings("NullAway.Init") // the server is started before each test
abstract class TakerSuite extends LockSuite {
    /**
     * A hold as it stands on the server.
     *
     * @param owner the public part of the owner id
     * @param sinceMicros when it was granted, on the server's clock
     */
    record Held(String owner, long token, long sinceMicros) {
        /** Whether it belongs to a client that has this owner too. */
        boolean isOfClientOf(String otherOwner) {
            return clientOf(owner).equals(clientOf(otherOwner));
        }
    }

    /**
     * What a taker wrote into the journal while it held the lock.
     *
     * @param place the place in the queue when it joined it, 0 if it did not
     */
    record Entry(String owner, long token, int place) {}

    RedisServer server;

    @BeforeEach
    final void startFreshServer() {
        server = startServer();
    }

    /** A process that has connected, killed after the test. */
    final TakerProcess taker(String... options) {
        return takers(1, options).get(0);
    }

    /** Processes that have connected, killed after the test. They start at the same time. */
    final List<TakerProcess> takers(int count, String... options) {
        List<TakerProcess> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(closeLater(TakerProcess.start(provider(), server.address(), options)));
        }
        all.forEach(taker -> taker.awaitLine("ready"));
        return all;
    }

    // ---- what the server knows

    /** Who holds the lock; an owner {@code -} if nobody does. */
    final Held held(String lock) {
        Reply reply = server.command("GET", "hf:{" + lock + "}");
        if (reply.isNull()) {
            return new Held("-", 0, 0);
        }
        String[] words = reply.asString().split(" ", -1);
        return new Held(publicPart(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    /** The owners that wait and can be granted the lock, in the server's order. */
    final List<String> queue(String lock) {
        List<String> owners = new ArrayList<>();
        for (Reply owner :
                server.command("ZRANGE", "hf:{" + lock + "}:q", "0", "-1").asList()) {
            owners.add(publicPart(owner.asString()));
        }
        return owners;
    }

    final void awaitQueue(String lock, int length) {
        await(
                "there are " + length + " waiters",
                () -> server.command("ZCARD", "hf:{" + lock + "}:q").asLong() == length);
    }

    /** Waits until the server has noticed that a client is gone. Until then it takes the client for a listener. */
    final void awaitDeaf(String owner) {
        String channel = "hf:to:" + clientOf(owner);
        await("the server notices that " + channel + " has no listener", () -> listeners(server, channel) == 0);
    }

    final List<Entry> journal(String lock) {
        List<Entry> entries = new ArrayList<>();
        for (Reply line : server.command("LRANGE", "journal:" + lock, "0", "-1").asList()) {
            String[] words = line.asString().split(" ", -1);
            entries.add(new Entry(words[0], Long.parseLong(words[1]), Integer.parseInt(words[2])));
        }
        return entries;
    }

    static List<String> owners(List<Entry> journal) {
        return journal.stream().map(Entry::owner).toList();
    }

    final long counter(String lock) {
        Reply value = server.command("GET", "counter:" + lock);
        return value.isNull() ? 0 : value.asLong();
    }

    /**
     * Waits until nothing but fencing tokens and tombstones is on the server. A request that was repeated, as after a
     * reconnect or a thaw, may have ended before all of its copies were answered, and then leaves a tombstone.
     */
    final void awaitNothingLeftOf(String lock) {
        server.command("DEL", "journal:" + lock, "counter:" + lock);
        await("nothing is left", () -> keysButTokens(server).stream().allMatch(key -> key.contains("}:x:")));
        assertEveryKeyExpires(server);
    }

    /**
     * How often the server ran commands whose name begins so, alone or in scripts, since it started or since
     * {@code CONFIG RESETSTAT}.
     */
    final long calls(String name) {
        return server.command("INFO", "commandstats")
                .asString()
                .lines()
                .filter(line -> line.startsWith("cmdstat_" + name))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(','))))
                .sum();
    }

    static void assertTokensRise(List<Entry> journal) {
        for (int i = 1; i < journal.size(); i++) {
            Entry before = journal.get(i - 1);
            Entry after = journal.get(i);
            assertTrue(after.token() > before.token(), () -> after + " came after " + before);
        }
    }

    /** The client that an owner belongs to. */
    static String clientOf(String owner) {
        return owner.substring(0, Math.max(0, owner.indexOf('.')));
    }

    private static String publicPart(String owner) {
        int tilde = owner.indexOf('~');
        return tilde < 0 ? owner : owner.substring(0, tilde);
    }
}
