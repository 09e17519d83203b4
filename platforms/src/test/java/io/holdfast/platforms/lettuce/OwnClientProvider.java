package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.BorrowedDriver;
import io.holdfast.lettuce.LettuceDriver;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

/** Drivers over a client that was handed in, with the options that this version of Lettuce has by itself. */
final class OwnClientProvider implements RedisDriverProvider {
    @Override
    public String name() {
        return "borrowed";
    }

    @Override
    public RedisDriver connect(RedisAddress address, ConnectOptions options) {
        RedisURI.Builder uri = RedisURI.builder()
                .withHost(address.host())
                .withPort(address.port())
                .withSsl(address.tls())
                .withDatabase(address.database())
                .withClientName(options.clientName())
                .withTimeout(options.connectTimeout());
        if (address.user() != null) {
            uri.withAuthentication(address.user(), address.password().toCharArray());
        } else if (address.password() != null) {
            uri.withPassword(address.password().toCharArray());
        }
        RedisClient client = RedisClient.create();
        try {
            return new BorrowedDriver(LettuceDriver.over(client, uri.build()), client::shutdownAsync);
        } catch (RuntimeException | Error e) {
            client.shutdown();
            throw e;
        }
    }
}
