package io.holdfast.lettuce;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.ForwardingDriver;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.concurrent.atomic.AtomicInteger;

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
    private static final class WithClient extends ForwardingDriver {
        private final RedisClient client;
        private final AtomicInteger users;

        WithClient(RedisDriver driver, RedisClient client, AtomicInteger users) {
            super(driver);
            this.client = client;
            this.users = users;
        }

        @Override
        public RedisDriver another(String key) {
            RedisDriver other = driver.another(key);
            users.incrementAndGet();
            return new WithClient(other, client, users);
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
