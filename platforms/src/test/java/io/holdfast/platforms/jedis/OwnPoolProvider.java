package io.holdfast.platforms.jedis;

import io.holdfast.contracts.BorrowedDriver;
import io.holdfast.jedis.JedisDriver;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;

/** Drivers over a pool that was handed in. */
final class OwnPoolProvider implements RedisDriverProvider {
    @Override
    public String name() {
        return "borrowed";
    }

    @Override
    public RedisDriver connect(RedisAddress address, ConnectOptions options) {
        int millis = Math.toIntExact(options.connectTimeout().toMillis());
        ConnectionPool pool = new ConnectionPool(
                new HostAndPort(address.host(), address.port()),
                DefaultJedisClientConfig.builder()
                        .user(address.user())
                        .password(address.password())
                        .database(address.database())
                        .clientName(options.clientName())
                        .ssl(address.tls())
                        .connectionTimeoutMillis(millis)
                        .socketTimeoutMillis(millis)
                        .build());
        try {
            return new BorrowedDriver(JedisDriver.over(pool), pool::close);
        } catch (RuntimeException | Error e) {
            pool.close();
            throw e;
        }
    }
}
