package io.holdfast.jedis;

import io.holdfast.contracts.BorrowedDriver;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisProtocol;

/** Drivers over a pool that was handed in, and over the newer protocol. */
@SuppressWarnings("deprecation") // the other ways to ask for TLS are not in every version
final class BorrowedPoolProvider implements RedisDriverProvider {
    @Override
    public String name() {
        return "pool";
    }

    @Override
    public RedisDriver connect(RedisAddress address, ConnectOptions options) {
        ConnectionPool pool = new ConnectionPool(
                new HostAndPort(address.host(), address.port()),
                DefaultJedisClientConfig.builder()
                        .protocol(RedisProtocol.RESP3)
                        .user(address.user())
                        .password(address.password())
                        .database(address.database())
                        .clientName(options.clientName())
                        .ssl(address.tls())
                        .build());
        // What is given back as broken, the pool replaces.
        return new BorrowedDriver(JedisDriver.over(pool), pool::close);
    }
}
