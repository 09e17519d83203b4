package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The behaviour of a driver if the connection for messages carries no more data, and no error reports this. A driver's module
 * extends this class once for each way to connect.
 */
@Timeout(90)
public class HalfOpenMessagesContract extends DriverFixture {
    /** Ten seconds after the last arrival at the latest, with something for connecting and for slow machines. */
    private static final Duration SOON = Duration.ofSeconds(12);

    /** So long that a connection would have been replaced, had it been taken for dead. */
    private static final Duration SILENCE = Duration.ofSeconds(16);

    /** For the classes of the drivers. */
    protected HalfOpenMessagesContract() {}

    /** All at the same time, since each takes long: one that is swallowed, one that is silent, and one that has lost its last subscription. */
    @Test
    void messages_swallowedForGood_comeAgainSoon_andMereSilenceIsNoReason() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS);
                RedisDriver idle = provider().connect(server.address(), OPTIONS)) {
            RecordedEvents swallowed = listen(behind);
            BlockingQueue<String> lost = subscribe(behind, "news");
            BlockingQueue<String> rare = subscribe(driver, "rare");
            RecordedEvents nothing = listen(idle);
            BlockingQueue<String> before = subscribe(idle, "before");
            get(idle.unsubscribe("before"));
            long begin = System.nanoTime();
            assertEquals(1, proxy.silence(Kind.MESSAGES));
            swallowed.awaitMessages("down");
            swallowed.awaitMessages("up");
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            assertTrue(took.compareTo(SOON) < 0, () -> "only after " + took);
            server.command("PUBLISH", "news", "again");
            assertEquals("again", next(lost));
            assertNull(swallowed.commandsSoon());

            assertNull(events.messagesWithin(SILENCE.minusNanos(System.nanoTime() - begin)));
            assertNull(swallowed.messagesSoon());
            server.command("PUBLISH", "rare", "first");
            assertEquals("first", next(rare));
            assertNull(nothing.messagesSoon());
            BlockingQueue<String> after = subscribe(idle, "after");
            server.command("PUBLISH", "after", "x");
            assertEquals("x", next(after));
            assertTrue(before.isEmpty());
        }
    }
}
