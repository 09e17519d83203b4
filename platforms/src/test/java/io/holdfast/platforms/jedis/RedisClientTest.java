package io.holdfast.platforms.jedis;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.jedis.JedisDriver;
import io.holdfast.platforms.ApplicationContract;
import redis.clients.jedis.RedisClient;

/** Over the client that came with Jedis 7.2. */
class RedisClientTest extends ApplicationContract {
    @Override
    protected Holdfast connect(int port, HoldfastOptions options) {
        RedisClient client = RedisClient.create("127.0.0.1", port);
        closeLater(client::close);
        return Holdfast.over(JedisDriver.over(client), options);
    }
}
