package io.holdfast.redisson;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Credentials;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Drivers over a client that has a configuration and nothing else: any other use of it fails the test. */
final class Configured implements RedisDriverProvider {
    @Override
    public String name() {
        return "redisson";
    }

    @Override
    public RedisDriver connect(RedisAddress address, ConnectOptions options) {
        Config config = new Config();
        config.useSingleServer()
                .setAddress((address.tls() ? "rediss://" : "redis://") + address.hostAndPort())
                .setDatabase(address.database())
                .setConnectTimeout((int) options.connectTimeout().toMillis())
                .setClientName(options.clientName());
        config.setUsername(address.user());
        Supplier<Credentials> credentials = options.credentials();
        if (credentials == null) {
            config.setPassword(address.password());
        } else {
            config.setCredentialsResolver(at -> {
                Credentials given = credentials.get();
                return CompletableFuture.completedFuture(
                        new org.redisson.config.Credentials(given.user(), given.password()));
            });
        }
        return RedissonDriver.over(client(config));
    }

    static RedissonClient client(Config config) {
        return (RedissonClient) Proxy.newProxyInstance(
                Configured.class.getClassLoader(), new Class<?>[] {RedissonClient.class}, (self, method, arguments) -> {
                    if (method.getName().equals("getConfig")) {
                        return config;
                    }
                    throw new AssertionError(method + " was called");
                });
    }
}
