package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.spi.Command;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link RedisDriver} for sharded channels: subscribing, unsubscribing, and subscriptions that end without a
 * request.
 */
public class ShardChannelContract extends ShardChannelFixture {
    /** For the classes of the drivers. */
    protected ShardChannelContract() {}

    // ---- subscribing

    @Test
    void subscribeShard_whenCompleted_isAcknowledgedByTheServer() {
        Shard shard = subscribeShard(driver, "{a}");
        assertEquals(1, publish("{a}", "one"));
        assertEquals("one", next(shard.messages()));
    }

    @Test
    void subscribeShard_manyMessages_arriveInOrder() {
        Shard shard = subscribeShard(driver, "{a}");
        List<CompletionStage<Reply>> published = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            published.add(driver.send(Command.of("SPUBLISH", "{a}", Integer.toString(i))));
        }
        published.forEach(reply -> assertEquals(1, get(reply).asLong()));
        for (int i = 0; i < 5_000; i++) {
            assertEquals(Integer.toString(i), next(shard.messages()));
        }
    }

    @Test
    void subscribeShard_channelsOfSeveralSlots_eachGetsItsOwnMessages() {
        assertFalse(slot("{a}").equals(slot("{b}")));
        Shard a = subscribeShard(driver, "{a}");
        Shard b = subscribeShard(driver, "{b}");
        publish("{a}", "for a");
        publish("{b}", "schlüssel – 🔒");
        assertEquals("for a", next(a.messages()));
        assertEquals("schlüssel – 🔒", next(b.messages()));
        assertTrue(a.messages().isEmpty());
    }

    @Test
    void subscribeShard_normalChannelOfTheSameName_isAnotherChannel() {
        BlockingQueue<String> normal = subscribe(driver, "{a}");
        Shard shard = subscribeShard(driver, "{a}");
        server.command("PUBLISH", "{a}", "normal");
        publish("{a}", "sharded");
        assertEquals("normal", next(normal));
        assertEquals("sharded", next(shard.messages()));
        get(driver.unsubscribeShard("{a}"));
        assertEquals(0, publish("{a}", "late"));
        assertEquals(1, server.command("PUBLISH", "{a}", "still").asLong());
        assertEquals("still", next(normal));
        subscribeShard(driver, "{a}");
        get(driver.unsubscribe("{a}"));
        assertEquals(0, server.command("PUBLISH", "{a}", "late").asLong());
        assertEquals(1, publish("{a}", "still"));
        assertTrue(normal.isEmpty());
        assertTrue(shard.messages().isEmpty());
    }

    @Test
    void subscribeShard_again_replacesTheReceiver() {
        Shard first = subscribeShard(driver, "{a}");
        Shard second = subscribeShard(driver, "{a}");
        assertEquals(1, publish("{a}", "x"));
        assertEquals("x", next(second.messages()));
        takeAway("{a}");
        assertEquals("ended", next(second.ends()));
        assertTrue(first.messages().isEmpty());
        assertTrue(first.ends().isEmpty());
    }

    @Test
    void subscribeShard_slotNotServed_isRejectedAndNothingIsSubscribed() {
        Shard b = subscribeShard(driver, "{b}");
        takeAway("{a}");
        Shard a = shard("{a}");
        assertRejected("CLUSTERDOWN", subscribe(driver, a));
        giveBack();
        assertEquals(0, publish("{a}", "x"));
        publish("{b}", "y");
        assertEquals("y", next(b.messages()));
        assertTrue(a.ends().isEmpty());
        assertNull(events.messagesSoon());
    }

    @Test
    void subscribeShard_notPermitted_isRejected() {
        RedisDriver bob = connectAs("bob", "&open", server.address());
        assertRejected("NOPERM", subscribe(bob, shard("shut")));
        Shard open = subscribeShard(bob, "open");
        publish("open", "x");
        assertEquals("x", next(open.messages()));
        assertEquals(0, publish("shut", "x"));
    }

    @Test
    void subscribeShard_connectionLostBeforeTheAcknowledgement_failsUnknownAndIsNotRestored() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            RecordedEvents seen = listen(behind);
            Shard b = subscribeShard(behind, "{b}");
            CompletableFuture<Caught> trap = proxy.onRequest(is("SSUBSCRIBE {a}"), Fault.KILL_AFTER);
            Shard a = shard("{a}");
            CompletionStage<Void> subscribed = subscribe(behind, a);
            get(trap);
            assertUnknown(subscribed);
            seen.awaitMessages("down");
            seen.awaitMessages("up");
            assertEquals(0, publish("{a}", "x"));
            assertEquals(1, publish("{b}", "x"));
            assertEquals("x", next(b.messages()));
            assertTrue(a.ends().isEmpty());
        }
    }

    @Test
    void subscribeShard_whileOthersAreSent_errorsAndAcknowledgementsFindTheirRequests() {
        subscribe(driver, "normal");
        Shard busy = subscribeShard(driver, "{busy}");
        takeAway("{a}");
        List<CompletionStage<Reply>> published = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            for (int j = 0; j < 5; j++) {
                published.add(driver.send(Command.of("SPUBLISH", "{busy}", "x")));
            }
            CompletionStage<Void> rejected = subscribe(driver, shard("{a}" + i));
            CompletionStage<Void> accepted = subscribe(driver, shard("{b}" + i));
            CompletionStage<Void> left = driver.unsubscribeShard("{b}" + i);
            CompletionStage<Void> normal = driver.subscribe("n" + i, message -> {});
            assertRejected("CLUSTERDOWN", rejected);
            get(accepted);
            get(left);
            get(normal);
        }
        published.forEach(reply -> assertEquals(1, get(reply).asLong()));
        assertEquals(List.of("{busy}"), shardChannels());
        for (int i = 0; i < 1_000; i++) {
            assertEquals("x", next(busy.messages()));
        }
    }

    @Test
    void subscribeShard_messagesComeBeforeTheRejection_isRejected() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            Shard b = subscribeShard(behind, "{b}");
            takeAway("{a}");
            CompletableFuture<Caught> trap = proxy.onRequest(is("SSUBSCRIBE {a}"), Fault.STALL_REQUEST);
            CompletionStage<Void> rejected = subscribe(behind, shard("{a}"));
            get(trap);
            for (int i = 0; i < 3; i++) {
                publish("{b}", "x");
                assertEquals("x", next(b.messages()));
            }
            assertFalse(rejected.toCompletableFuture().isDone());
            proxy.resume();
            assertRejected("CLUSTERDOWN", rejected);
            subscribeShard(behind, "{b}2");
        }
    }

    // ---- unsubscribing

    @Test
    void unsubscribeShard_whenCompleted_nothingArrivesAndNoEndIsTold() {
        subscribe(driver, "normal");
        Shard a = subscribeShard(driver, "{a}");
        Shard b = subscribeShard(driver, "{b}");
        get(driver.unsubscribeShard("{a}"));
        assertEquals(0, publish("{a}", "late"));
        assertEquals(1, publish("{b}", "still"));
        assertEquals("still", next(b.messages()));
        assertTrue(a.messages().isEmpty());
        Shard again = subscribeShard(driver, "{a}");
        publish("{a}", "again");
        assertEquals("again", next(again.messages()));
        assertTrue(a.ends().isEmpty());
        assertNull(events.messagesSoon());
    }

    @Test
    void unsubscribeShard_noSubscription_isANoOp() {
        get(driver.unsubscribeShard("{a}"));
        subscribeShard(driver, "{b}");
        get(driver.unsubscribeShard("{a}"));
        assertEquals(1, publish("{b}", "x"));
    }

    @Test
    void unsubscribeShard_inTurnsWithSubscribeWithoutWaiting_theLastOneCounts() {
        List<CompletionStage<Void>> stages = new ArrayList<>();
        Shard stays = shard("{a}");
        Shard goes = shard("{b}");
        for (int i = 0; i < 50; i++) {
            stages.add(subscribe(driver, stays));
            stages.add(subscribe(driver, goes));
            stages.add(driver.unsubscribeShard("{a}"));
            stages.add(driver.unsubscribeShard("{b}"));
        }
        stages.add(subscribe(driver, stays));
        stages.forEach(DriverFixture::get);
        assertEquals(0, publish("{b}", "x"));
        assertEquals(1, publish("{a}", "x"));
        assertEquals("x", next(stays.messages()));
        assertTrue(stays.ends().isEmpty());
        assertTrue(goes.ends().isEmpty());
    }

    @Test
    void unsubscribeShard_whileDown_completesAndIsNotRestored() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            RecordedEvents seen = listen(behind);
            Shard a = subscribeShard(behind, "{a}");
            subscribeShard(behind, "{a}stays");
            proxy.refuse();
            proxy.killConnections(TcpProxy.Kind.MESSAGES);
            seen.awaitMessages("down");
            get(behind.unsubscribeShard("{a}"));
            assertUnknown(subscribe(behind, shard("{b}")));
            proxy.accept();
            seen.awaitMessages("up");
            assertEquals(0, publish("{a}", "x"));
            assertEquals(1, publish("{a}stays", "x"));
            assertTrue(a.ends().isEmpty());
        }
    }

    @Test
    void unsubscribeShard_whileSubscribingAgain_isGoneWhenUp() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            RecordedEvents seen = listen(behind);
            Shard a = subscribeShard(behind, "{a}");
            subscribeShard(behind, "{b}");
            CompletableFuture<Caught> trap = proxy.onRequest(is("SSUBSCRIBE"), Fault.STALL_REPLY);
            proxy.killConnections(TcpProxy.Kind.MESSAGES);
            seen.awaitMessages("down");
            get(trap);
            CompletionStage<Void> left = behind.unsubscribeShard("{a}");
            assertNull(seen.messagesSoon());
            proxy.resume();
            get(left);
            seen.awaitMessages("up");
            // Who gives up while nothing can be sent does not wait for what is sent later.
            awaitTrue(() -> shardChannels().equals(List.of("{b}")));
            assertTrue(a.ends().isEmpty());
        }
    }

    @Test
    void unsubscribeShard_slotLeavesBeforeItIsRead_completesAndNoEndIsTold() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            RecordedEvents seen = listen(behind);
            subscribe(behind, "normal");
            Shard a = subscribeShard(behind, "{a}");
            CompletableFuture<Caught> trap = proxy.onRequest(is("SUNSUBSCRIBE {a}"), Fault.STALL_REQUEST);
            CompletionStage<Void> left = behind.unsubscribeShard("{a}");
            Shard b = shard("{b}");
            Shard again = shard("{a}");
            CompletionStage<Void> next = subscribe(behind, b);
            CompletionStage<Void> rejected = subscribe(behind, again);
            CompletionStage<Void> last = behind.subscribe("last", message -> {});
            get(trap);
            // The server ends the subscription with the words that would be the answer, and then rejects the request.
            takeAway("{a}");
            proxy.resume();
            get(left);
            get(next);
            assertRejected("CLUSTERDOWN", rejected);
            get(last);
            assertEquals(1, publish("{b}", "x"));
            assertEquals("x", next(b.messages()));
            assertTrue(a.ends().isEmpty());
            assertTrue(again.ends().isEmpty());
            assertNull(seen.messagesSoon());
        }
    }

    // ---- ends that nobody asked for

    @Test
    void onEnded_slotLeaves_isToldOnceAndTheOthersStay() {
        Shard a = subscribeShard(driver, "{a}");
        Shard b = subscribeShard(driver, "{b}");
        takeAway("{a}");
        assertEquals("ended", next(a.ends()));
        publish("{b}", "x");
        assertEquals("x", next(b.messages()));
        get(driver.unsubscribeShard("{a}"));
        giveBack();
        assertEquals(0, publish("{a}", "x"));
        Shard again = subscribeShard(driver, "{a}");
        publish("{a}", "again");
        assertEquals("again", next(again.messages()));
        assertTrue(a.ends().isEmpty());
        assertTrue(again.ends().isEmpty());
        assertNull(events.messagesSoon());
    }

    @Test
    void onEnded_callbackSubscribesElsewhere_works() {
        Shard b = shard("{b}");
        CompletableFuture<Void> subscribed = new CompletableFuture<>();
        get(driver.subscribeShard(
                "{a}", message -> {}, () -> subscribe(driver, b).thenAccept(subscribed::complete)));
        takeAway("{a}");
        get(subscribed);
        publish("{b}", "x");
        assertEquals("x", next(b.messages()));
    }

    @Test
    void onEnded_whileAnotherRequestWaits_isNotTakenForItsAnswer() {
        try (TcpProxy proxy = TcpProxy.to(server.port())) {
            RedisDriver behind = connect(proxy);
            subscribeShard(behind, "{b}");
            for (String request : List.of("SSUBSCRIBE {a}new", "SUNSUBSCRIBE {b}")) {
                Shard ending = subscribeShard(behind, "{c}");
                CompletableFuture<Caught> trap = proxy.onRequest(is(request), Fault.STALL_REQUEST);
                CompletionStage<Void> waiting = request.startsWith("SSUB")
                        ? subscribe(behind, shard("{a}new"))
                        : behind.unsubscribeShard("{b}");
                CompletionStage<Void> behindIt = subscribe(behind, shard("{e}"));
                get(trap);
                takeAway("{c}");
                takeAway("{e}");
                assertEquals("ended", next(ending.ends()));
                assertFalse(waiting.toCompletableFuture().isDone(), request);
                proxy.resume();
                get(waiting);
                assertRejected("CLUSTERDOWN", behindIt);
                giveBack();
            }
            assertEquals(List.of("{a}new"), shardChannels());
        }
    }

    @Test
    void onEnded_driverClosed_isNotTold() {
        Shard a = subscribeShard(driver, "{a}");
        driver.close();
        takeAway("{a}");
        assertUnknown(subscribe(driver, shard("{b}")));
        get(driver.unsubscribeShard("{a}"));
        assertTrue(a.ends().isEmpty());
    }

    @Test
    void onEnded_slotMovesToAnotherServer_isToldAndMovedIsTheAnswerFromThenOn() {
        try (RedisCluster cluster = RedisCluster.start(3, 0)) {
            int slot = cluster.slotOf("{a}");
            RedisServer source = cluster.masterOf(slot);
            RedisServer target = cluster.otherThan(source);
            RedisDriver first = keep(provider().connect(source.address(), OPTIONS));
            RedisDriver second = keep(provider().connect(target.address(), OPTIONS));
            Shard a = subscribeShard(first, "{a}");
            assertRejected("MOVED", subscribe(second, shard("{a}")));
            cluster.beginMove(slot, source, target);
            cluster.endMove(slot, source, target);
            assertEquals("ended", next(a.ends()));
            assertRejected("MOVED", subscribe(first, shard("{a}")));
            Shard there = subscribeShard(second, "{a}");
            assertEquals(1, target.command("SPUBLISH", "{a}", "x").asLong());
            assertEquals("x", next(there.messages()));
        }
    }
}
