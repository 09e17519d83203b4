package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Order;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code holdfast why} and {@code holdfast queue}. */
final class WhyTest {
    private static RedisServer server;
    private static Holdfast client;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        client = Holdfast.connect(server.url(), EachQueued.OPTIONS.withApplication("billing"));
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static void awaitWaiters(String lock, int count) throws InterruptedException {
        Launched.await(count + " waiters", () -> client.inspect().lock(lock, 0).waiters() == count);
    }

    private static List<String> ways(JsonObject document) {
        return StreamSupport.stream(document.getAsJsonArray("freedBy").spliterator(), false)
                .map(way -> way.getAsJsonObject().get("by").getAsString())
                .toList();
    }

    @Test
    void why_theOnlyHolderOfASemaphore_tellsItsSlots() throws Exception {
        try (Lease held = client.semaphore("rooms", 3).withSlots().permits(2).acquire()) {
            assertEquals(List.of(0, 1), held.slots());
            Said why = Said.by(server, "why", "rooms", "--kind", "semaphore");
            assertTrue(why.out().contains(" ago), 2 permits, slots 0, 1.\n"), why.out());
        }
    }

    @Test
    void why_aFreeLock_is0() {
        Said why = Said.by(server, "why", "free");
        assertEquals(0, why.status());
        assertEquals("Nobody holds 'free'.\nNobody waits.\n", why.out());
        JsonObject document = Said.by(server, "why", "free", "--json").json();
        assertEquals("free", document.get("state").getAsString());
        assertTrue(document.get("holder").isJsonNull());
        assertTrue(document.get("endsAt").isJsonNull());
        assertTrue(document.get("holderListening").isJsonNull());
        assertEquals(List.of(), ways(document));
    }

    @Test
    void why_ofALockInADeadlock_saysWhoWaitsForWhom() throws Exception {
        HoldfastOptions looking = EachQueued.OPTIONS.withDeadlockDetection(Duration.ofSeconds(1));
        try (Holdfast shop = Holdfast.connect(server.url(), looking.withApplication("shop"));
                Holdfast stock = Holdfast.connect(server.url(), looking.withApplication("stock"));
                Lease left = shop.lock("left").withActor("order-1").acquire();
                Lease right = stock.lock("right").withActor("order-2").acquire()) {
            var first = shop.lock("right").withActor("order-1").acquireAsync(Wait.forever());
            assertFalse(Said.by(server, "why", "left").out().contains("deadlock"));
            var second = stock.lock("left").withActor("order-2").acquireAsync(Wait.forever());
            Launched.await(
                    "a deadlock", () -> Said.by(server, "why", "left").out().contains("\nThis is a deadlock: "));
            String out = Said.by(server, "why", "left").out();
            assertTrue(
                    out.matches(
                            "(?s).*\nThis is a deadlock: .*shop@\\S+, pid \\d+, order-1 waits for lock 'right', which .*"
                                    + " has.*\\.\nWhat frees it:\n.*"),
                    out);
            assertTrue(out.contains(", order-2 waits for lock 'left', which "), out);
            JsonObject document = Said.by(server, "why", "right", "--json").json();
            JsonObject cycle = document.getAsJsonArray("deadlocks").get(0).getAsJsonObject();
            assertTrue(cycle.get("words").getAsString().contains(" waits for lock 'left', "));
            assertEquals(2, cycle.getAsJsonArray("links").size());
            JsonObject link = cycle.getAsJsonArray("links").get(0).getAsJsonObject();
            assertTrue(link.get("held").getAsBoolean());
            assertEquals(
                    "hf:{" + link.get("lock").getAsString() + "}",
                    link.get("key").getAsString());
            assertTrue(left.isValid() && right.isValid());
            first.cancel(false);
            second.cancel(false);
        }
        assertEquals(
                0,
                Said.by(server, "why", "left", "--json")
                        .json()
                        .getAsJsonArray("deadlocks")
                        .size());
    }

    @Test
    void why_aLockOfALivingHolder_is1AndTellsThatItIsAliveAndWhatFreesIt() throws Exception {
        Lease lease = client.lock("held").acquire();
        var first = client.lock("held").acquireAsync(Wait.forever());
        awaitWaiters("held", 1);
        Said why = Said.by(server, "why", "held");
        assertEquals(1, why.status());
        String pid = Long.toString(ProcessHandle.current().pid());
        assertTrue(
                why.out()
                        .matches("'held' is held by billing@\\S+, pid " + pid
                                + ", since \\d\\d:\\d\\d:\\d\\d \\(\\w+ ago\\)\\.\n"
                                + "Its client " + client.id()
                                + " is connected and listens: it is alive, or was a moment"
                                + " ago\\.\n"
                                + "1 request waits:\n"
                                + "  1  billing@\\S+, pid " + pid + "  since \\S+ \\(\\w+ ago\\)  here\n"
                                + "What frees it:\n"
                                + "  - its holder releases it\n"
                                + "  - the end of its lease, at \\S+ \\(in \\d+s\\), if its holder dies or is cut off\n"
                                + "  - holdfast release, if its holder is known to be dead\n"
                                + "Then it goes to billing@\\S+, pid " + pid + "\\.\n"),
                why.out());
        JsonObject document = Said.by(server, "why", "held", "--json").json();
        assertEquals("held", document.get("state").getAsString());
        assertTrue(document.get("holderListening").getAsBoolean());
        assertEquals(List.of("release", "expiry", "operator"), ways(document));
        JsonElement end =
                document.getAsJsonArray("freedBy").get(1).getAsJsonObject().get("at");
        assertTrue(Instant.parse(end.getAsString()).isAfter(Instant.now().minusSeconds(1)));
        assertEquals(1, document.getAsJsonObject("next").get("position").getAsInt());
        assertEquals(
                lease.token(), document.getAsJsonObject("holder").get("token").getAsLong());
        first.cancel(false);
        lease.release();
    }

    @Test
    void why_aLockOfADeadHolder_tellsTheEndOfItsTerm() throws Exception {
        Launched holder = Launched.holdfast(
                "run", "dead", "--url", server.url(), "--lease", "1h", "--", "sh", "-c", "echo runs; exec sleep 1000");
        holder.awaitOut("runs");
        holder.close();
        Launched.await("its end", () -> !holder.isAlive());
        String id = client.inspect().lock("dead").holder().orElseThrow().client();
        Launched.await(
                "the server to notice", () -> client.inspect().isListening(id).equals(Optional.of(false)));
        Said why = Said.by(server, "why", "dead");
        assertEquals(1, why.status());
        assertTrue(why.out().contains("Its client " + id + " does not listen: it is dead, or cut off"), why.out());
        assertTrue(
                why.out()
                        .matches(
                                "(?s).*  - the end of its lease, at \\S+ \\(in 59m \\d+s\\), if its holder is dead\n.*"),
                why.out());
        assertFalse(Said.by(server, "why", "dead", "--json")
                .json()
                .get("holderListening")
                .getAsBoolean());
    }

    @Test
    void why_aRestingLock_tellsUntilWhen() throws Exception {
        client.lock("resting", LockOptions.defaults().withMinHold(Duration.ofHours(2)))
                .acquire()
                .release();
        Said why = Said.by(server, "why", "resting");
        assertEquals(1, why.status());
        assertTrue(why.out().matches("""
                                'resting' is free in 1h 59m, when its minimum hold time or lock-delay is over; last held by billing@.*
                                Nobody waits.
                                What frees it:
                                  - the end of its minimum hold time or lock-delay, at \\S+ \\(in 1h 59m\\)
                                  - holdfast release
                                """), why.out());
        JsonObject document = Said.by(server, "why", "resting", "--json").json();
        assertEquals("resting", document.get("state").getAsString());
        assertEquals(List.of("rest", "operator"), ways(document));
        assertTrue(document.getAsJsonObject("holder").get("client").isJsonNull());
    }

    @Test
    void why_callsThatWaitInsideOfTheHoldersProcess_areCounted() throws Exception {
        DistributedLock lock = client.lock("inside", LockOptions.defaults());
        Lease held = lock.acquire();
        List<CompletableFuture<Lease>> inside = List.of(
                lock.acquireAsync(Wait.forever()),
                lock.acquireAsync(Wait.forever()),
                lock.acquireAsync(Wait.forever()));
        for (String command : List.of("why", "queue", "info")) {
            Said said = Said.by(server, command, "inside");
            assertTrue(said.out().contains("\n3 calls wait in all: "), said.out());
            assertFalse(said.out().toLowerCase(Locale.ROOT).contains("nobody waits"), said.out());
        }
        assertEquals(
                3,
                Said.by(server, "info", "inside", "--json")
                        .json()
                        .get("callers")
                        .getAsInt());
        inside.forEach(each -> each.cancel(false));
        held.release();
    }

    /** A lock that was handed to a waiter which does not confirm, as the server would have it. */
    private static void handed(String lock) {
        String owner = "gone0.1-1~secret";
        long now = System.currentTimeMillis() * 1_000;
        server.command(
                "SET", "hf:{" + lock + "}", owner + " " + now + " " + now + " 30000 app/host/1/main", "PX", "600000");
        server.command("HSET", "hf:{" + lock + "}:d", "@claim", owner + " 1", "@seq", "1");
        server.command("PEXPIRE", "hf:{" + lock + "}:d", "600000");
    }

    @Test
    void why_aLockThatWasHanded_tellsTheClaimWindow() {
        handed("handed");
        Said why = Said.by(server, "why", "handed", "--json");
        assertEquals(1, why.status());
        assertEquals("handed", why.json().get("state").getAsString());
        assertEquals(List.of("release", "handoff-timeout", "operator"), ways(why.json()));
        assertTrue(
                Said.by(server, "why", "handed").out().contains("the end of the handoff timeout, at "),
                Said.by(server, "why", "handed").out());
    }

    @Test
    void queue_absentAndEmpty_areToldApart() throws Exception {
        assertEquals(
                "There is no queue for 'nobody': nobody wants it.\n",
                Said.by(server, "queue", "nobody").out());
        Lease lease = client.lock("alone").acquire();
        Said absent = Said.by(server, "queue", "alone");
        assertTrue(absent.out().startsWith("There is no queue for 'alone': held by billing@"), absent.out());
        assertFalse(
                Said.by(server, "queue", "alone", "--json").json().get("exists").getAsBoolean());
        lease.release();
        handed("empty");
        assertEquals(
                "The queue for 'empty' is empty: the last waiter is just acquiring the lock.\n",
                Said.by(server, "queue", "empty").out());
        JsonObject empty = Said.by(server, "queue", "empty", "--json").json();
        assertTrue(empty.get("exists").getAsBoolean());
        assertEquals(0, empty.get("waiters").getAsInt());
        assertEquals(0, empty.getAsJsonArray("queue").size());
    }

    @Test
    void queue_ofThree_isInTheServersOrder_withPriorityOrderAndState() throws Exception {
        LockOptions options = LockOptions.defaults();
        Lease lease = client.lock("three").acquire();
        var fifo = client.lock("three", options.withMetadata(Map.of("ticket", "OPS \"7\"")))
                .acquireAsync(Wait.forever());
        awaitWaiters("three", 1);
        var lifo = client.lock("three", options.withOrder(Order.LIFO)).acquireAsync(Wait.forever());
        awaitWaiters("three", 2);
        var urgent = client.lock("three", options.withPriority(7)).acquireAsync(Wait.forever());
        awaitWaiters("three", 3);
        Said queue = Said.by(server, "queue", "three");
        assertEquals(0, queue.status());
        String who = " +billing@\\S+ +\\d+ +\\S+ \\(\\w+ ago\\) +";
        assertTrue(
                queue.out()
                        .matches(" +WAITING +PID +SINCE +PRIORITY +ORDER +STATE\n"
                                + "1" + who + "7 +fifo +here\n"
                                + "2" + who + "0 +lifo +here\n"
                                + "3" + who + "0 +fifo +here\n"),
                queue.out());
        JsonObject last = Said.by(server, "queue", "three", "--json")
                .json()
                .getAsJsonArray("queue")
                .get(2)
                .getAsJsonObject();
        assertEquals("OPS \"7\"", last.getAsJsonObject("metadata").get("ticket").getAsString());
        assertEquals(client.id(), last.get("client").getAsString());
        assertTrue(last.get("waitedMillis").getAsLong() >= 0);
        List.of(urgent, lifo, fifo).forEach(each -> each.cancel(false));
        lease.release();
    }
}
