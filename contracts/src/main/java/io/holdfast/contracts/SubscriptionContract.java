package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.spi.Command;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of {@link RedisDriver} for channels and their messages, as tests against real servers. */
@Timeout(60)
public class SubscriptionContract extends DriverFixture {
    /** For the classes of the drivers. */
    protected SubscriptionContract() {}

    // ---- messages

    @Test
    void subscribe_whenCompleted_isAcknowledgedByTheServer() {
        BlockingQueue<String> messages = subscribe(driver, "news");
        // Were the stage completed too early, nobody would receive this.
        assertEquals(1, server.command("PUBLISH", "news", "one").asLong());
        assertEquals("one", next(messages));
    }

    @Test
    void subscribe_manyMessages_arriveInOrder() {
        BlockingQueue<String> messages = subscribe(driver, "news");
        List<CompletionStage<Reply>> published = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            published.add(driver.send(Command.of("PUBLISH", "news", Integer.toString(i))));
        }
        published.forEach(reply -> assertEquals(1, get(reply).asLong()));
        for (int i = 0; i < 10_000; i++) {
            assertEquals(Integer.toString(i), next(messages));
        }
    }

    @Test
    void subscribe_payloadBeyondAsciiAndEmpty_survive() {
        BlockingQueue<String> messages = subscribe(driver, "néws-🔒");
        server.command("PUBLISH", "néws-🔒", "schlüssel – 錠前 – 🔒");
        server.command("PUBLISH", "néws-🔒", "");
        assertEquals("schlüssel – 錠前 – 🔒", next(messages));
        assertEquals("", next(messages));
    }

    @Test
    void subscribe_severalChannels_eachGetsItsOwnMessages() {
        BlockingQueue<String> a = subscribe(driver, "a");
        BlockingQueue<String> b = subscribe(driver, "b");
        server.command("PUBLISH", "a", "for a");
        server.command("PUBLISH", "b", "for b");
        assertEquals("for a", next(a));
        assertEquals("for b", next(b));
        assertTrue(a.isEmpty());
    }

    @Test
    void subscribe_nameThatLooksLikeAPattern_isTakenLiterally() {
        BlockingQueue<String> messages = subscribe(driver, "ne*[w]?");
        assertEquals(0, server.command("PUBLISH", "news", "not for us").asLong());
        assertEquals(1, server.command("PUBLISH", "ne*[w]?", "for us").asLong());
        assertEquals("for us", next(messages));
    }

    @Test
    void subscribe_notPermitted_isRejectedAndNothingIsSubscribed() {
        server.command("ACL", "SETUSER", "bob", "on", ">pw", "~*", "resetchannels", "&open", "+@all");
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, "bob", "pw", 0);
        try (RedisDriver bob = provider().connect(address, OPTIONS)) {
            assertRejected("NOPERM", bob.subscribe("shut", message -> fail("nothing may arrive")));
            assertEquals(0, server.command("PUBLISH", "shut", "x").asLong());
            BlockingQueue<String> messages = subscribe(bob, "open");
            server.command("PUBLISH", "open", "x");
            assertEquals("x", next(messages));
        }
    }

    @Test
    void subscribe_messageConnectionCannotBeOpened_failsUnknownAndNothingIsSubscribed() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS)) {
            proxy.refuse();
            assertUnknown(behind.subscribe("news", message -> fail("nothing may arrive")));
            proxy.accept();
            BlockingQueue<String> other = subscribe(behind, "other");
            assertEquals(0, server.command("PUBLISH", "news", "x").asLong());
            server.command("PUBLISH", "other", "y");
            assertEquals("y", next(other));
        }
    }

    @Test
    void subscribe_connectionLostBeforeTheAcknowledgement_failsUnknownAndNothingIsSubscribed() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS)) {
            CompletableFuture<Caught> trap =
                    proxy.onRequest(text -> text.equalsIgnoreCase("SUBSCRIBE news"), Fault.KILL_AFTER);
            CompletionStage<Void> subscribed = behind.subscribe("news", message -> fail("nothing may arrive"));
            get(trap);
            assertUnknown(subscribed);
            BlockingQueue<String> other = eventuallySubscribe(behind, "other");
            assertEquals(0, server.command("PUBLISH", "news", "x").asLong());
            server.command("PUBLISH", "other", "y");
            assertEquals("y", next(other));
        }
    }

    @Test
    void subscribe_callbackSendsCommand_works() {
        BlockingQueue<String> replies = new LinkedBlockingQueue<>();
        get(driver.subscribe(
                "news",
                message -> driver.send(Command.of("ECHO", "seen " + message))
                        .thenAccept(reply -> replies.add(reply.asString()))));
        server.command("PUBLISH", "news", "one");
        assertEquals("seen one", next(replies));
    }

    @Test
    void unsubscribe_whenCompleted_nothingArrivesAnyMore() {
        BlockingQueue<String> messages = subscribe(driver, "news");
        BlockingQueue<String> others = subscribe(driver, "other");
        get(driver.unsubscribe("news"));
        assertEquals(0, server.command("PUBLISH", "news", "late").asLong());
        assertEquals(1, server.command("PUBLISH", "other", "still").asLong());
        assertEquals("still", next(others));
        assertTrue(messages.isEmpty());
        BlockingQueue<String> again = subscribe(driver, "news");
        server.command("PUBLISH", "news", "again");
        assertEquals("again", next(again));
    }

    @Test
    void unsubscribe_noSubscription_isANoOp() {
        get(driver.unsubscribe("never"));
        subscribe(driver, "news");
        get(driver.unsubscribe("never"));
        assertEquals(1, server.command("PUBLISH", "news", "x").asLong());
    }

    @Test
    void unsubscribe_whileDown_completesAndIsNotRestored() {
        BlockingQueue<String> messages = subscribe(driver, "news");
        BlockingQueue<String> others = subscribe(driver, "other");
        server.kill();
        events.awaitMessages("down");
        get(driver.unsubscribe("news"));
        server.restart();
        events.awaitMessages("up");
        assertEquals(0, server.command("PUBLISH", "news", "x").asLong());
        server.command("PUBLISH", "other", "y");
        assertEquals("y", next(others));
        assertTrue(messages.isEmpty());
    }

    @Test
    void messages_connectionKilled_areSubscribedAgainBeforeUpIsReported() {
        List<BlockingQueue<String>> channels = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            channels.add(subscribe(driver, "news-" + i));
        }
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
        events.awaitMessages("down");
        events.awaitMessages("up");
        for (int i = 0; i < 20; i++) {
            assertEquals(1, server.command("PUBLISH", "news-" + i, "n" + i).asLong());
        }
        for (int i = 0; i < 20; i++) {
            assertEquals("n" + i, next(channels.get(i)));
        }
        assertNull(events.commandsSoon(), "the command connection was left alone");
    }

    @Test
    void messages_acknowledgementHeldBack_upIsNotReportedBeforeIt() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS)) {
            RecordedEvents seen = listen(behind);
            BlockingQueue<String> messages = subscribe(behind, "news");
            CompletableFuture<Caught> trap =
                    proxy.onRequest(text -> text.toUpperCase(Locale.ROOT).startsWith("SUBSCRIBE"), Fault.STALL_REPLY);
            assertEquals(1, proxy.killConnections(TcpProxy.Kind.MESSAGES));
            seen.awaitMessages("down");
            get(trap);
            assertNull(seen.messagesSoon());
            proxy.resume();
            seen.awaitMessages("up");
            server.command("PUBLISH", "news", "x");
            assertEquals("x", next(messages));
        }
    }
}
