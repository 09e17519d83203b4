package io.holdfast.platforms.jedis;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.jedis.JedisDriver;
import io.holdfast.platforms.ApplicationContract;
import redis.clients.jedis.JedisPooled;

/** Over the client that Jedis 8 no longer has. */
class JedisPooledTest extends ApplicationContract {
    @Override
    protected Holdfast connect(int port, HoldfastOptions options) {
        JedisPooled client = new JedisPooled("127.0.0.1", port);
        closeLater(client::close);
        return Holdfast.over(JedisDriver.over(client), options);
    }
}
