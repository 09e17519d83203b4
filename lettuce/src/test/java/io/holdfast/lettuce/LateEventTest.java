package io.holdfast.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Lettuce may hand a connection out before it tells its listeners that it is there. */
final class LateEventTest {
    private static final long PATIENCE_SECONDS = 20;

    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    private final Link.Watcher watcher = new Link.Watcher() {
        @Override
        public void up(Epoch epoch) {
            told.add("up");
        }

        @Override
        public void down() {
            told.add("down");
        }
    };

    @Test
    void onRedisConnected_ofTheConnectionAsItWasHandedOut_isNoReconnect() throws Exception {
        try (RedisServer server = RedisServer.start();
                RedisClient client = RedisClient.create(server.url());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            Link link = new Link(connection, null, watcher);
            Epoch first = link.follow();
            CompletableFuture<Reply> answer =
                    link.send(Call.of(Command.of("BLPOP", "nothing", "0.3"), "the server")); // still under way
            link.onRedisConnected(
                    assertInstanceOf(RedisChannelHandler.class, connection),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));

            answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertEquals(0, told.size(), told::toString);
            CompletableFuture<Reply> next = link.send(first, Call.of(Command.of("PING"), "the server"));
            assertEquals("PONG", next.get(PATIENCE_SECONDS, TimeUnit.SECONDS).asString());

            server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            assertSame("down", told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
            assertSame("up", told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS));
            assertEquals(
                    "PONG",
                    link.send(Call.of(Command.of("PING"), "the server"))
                            .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                            .asString());
        }
    }
}
