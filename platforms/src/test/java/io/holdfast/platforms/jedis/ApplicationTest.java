package io.holdfast.platforms.jedis;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.jedis.JedisDriver;
import io.holdfast.platforms.ApplicationContract;
import org.junit.jupiter.api.Nested;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPool;

/** Each way in which the documents connect over Jedis that all versions have. */
class ApplicationTest {
    @Nested
    class Address extends ApplicationContract {
        @Override
        protected Holdfast connect(int port, HoldfastOptions options) {
            return Holdfast.connect("redis://127.0.0.1:" + port, options);
        }
    }

    @Nested
    class OwnJedisPool extends ApplicationContract {
        @Override
        protected Holdfast connect(int port, HoldfastOptions options) {
            JedisPool pool = new JedisPool("127.0.0.1", port);
            closeLater(pool::close);
            return Holdfast.over(JedisDriver.over(pool), options);
        }
    }

    @Nested
    class OwnConnectionPool extends ApplicationContract {
        @Override
        protected Holdfast connect(int port, HoldfastOptions options) {
            ConnectionPool pool = new ConnectionPool(
                    new HostAndPort("127.0.0.1", port),
                    DefaultJedisClientConfig.builder().build());
            closeLater(pool::close);
            return Holdfast.over(JedisDriver.over(pool), options);
        }
    }
}
