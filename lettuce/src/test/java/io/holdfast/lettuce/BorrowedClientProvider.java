package io.holdfast.lettuce;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.spi.Reply;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Drivers over a client that was handed in, whose options are Lettuce's defaults but for the older protocol. */
final class BorrowedClientProvider implements RedisDriverProvider {
    @Override
    public String name() {
        return "borrowed";
    }

    @Override
    public RedisDriver connect(RedisAddress address, ConnectOptions options) {
        RedisClient client = RedisClient.create();
        client.setOptions(
                ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build());
        try {
            return new WithClient(
                    LettuceDriver.over(client, OwnClient.uri(address, options)), client, new AtomicInteger(1));
        } catch (DriverException e) {
            client.shutdown();
            throw e;
        }
    }

    /** Closes the client after its last driver, as an application would. */
    private record WithClient(RedisDriver driver, RedisClient client, AtomicInteger users) implements RedisDriver {
        @Override
        public CompletionStage<Reply> send(Command command) {
            return driver.send(command);
        }

        @Override
        public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
            return driver.subscribe(channel, onMessage);
        }

        @Override
        public CompletionStage<Void> unsubscribe(String channel) {
            return driver.unsubscribe(channel);
        }

        @Override
        public CompletionStage<Void> subscribeShard(String channel, Consumer<String> onMessage, Runnable onEnded) {
            return driver.subscribeShard(channel, onMessage, onEnded);
        }

        @Override
        public CompletionStage<Void> unsubscribeShard(String channel) {
            return driver.unsubscribeShard(channel);
        }

        @Override
        public RedisDriver another(String key) {
            RedisDriver other = driver.another(key);
            users.incrementAndGet();
            return new WithClient(other, client, users);
        }

        @Override
        public void reconnect() {
            driver.reconnect();
        }

        @Override
        public void listen(ConnectionListener listener) {
            driver.listen(listener);
        }

        @Override
        public String describe() {
            return driver.describe();
        }

        @Override
        public void close() {
            driver.close();
            if (users.decrementAndGet() == 0) {
                var unused = client.shutdownAsync();
            }
        }
    }
}
