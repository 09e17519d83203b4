package io.holdfast.lettuce;

import io.holdfast.contracts.BorrowedDriver;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.protocol.ProtocolVersion;

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
            return new BorrowedDriver(LettuceDriver.over(client, OwnClient.uri(address, options)), () -> {
                var unused = client.shutdownAsync();
            });
        } catch (DriverException e) {
            client.shutdown();
            throw e;
        }
    }
}
