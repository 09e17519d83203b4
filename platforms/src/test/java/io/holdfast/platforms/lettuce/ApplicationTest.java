package io.holdfast.platforms.lettuce;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.lettuce.LettuceDriver;
import io.holdfast.platforms.ApplicationContract;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.Nested;

/** Each way in which the documents connect over Lettuce. */
class ApplicationTest {
    @Nested
    class Address extends ApplicationContract {
        @Override
        protected Holdfast connect(int port, HoldfastOptions options) {
            return Holdfast.connect("redis://127.0.0.1:" + port, options);
        }
    }

    @Nested
    class OwnClient extends ApplicationContract {
        @Override
        protected Holdfast connect(int port, HoldfastOptions options) {
            RedisClient client = RedisClient.create("redis://127.0.0.1:" + port);
            closeLater(client::shutdown);
            return Holdfast.over(LettuceDriver.over(client), options);
        }
    }

    @Nested
    class OwnClientAndUri extends ApplicationContract {
        @Override
        protected Holdfast connect(int port, HoldfastOptions options) {
            RedisClient client = RedisClient.create();
            closeLater(client::shutdown);
            RedisURI uri = RedisURI.builder()
                    .withHost("127.0.0.1")
                    .withPort(port)
                    .withDatabase(3)
                    .build();
            return Holdfast.over(LettuceDriver.over(client, uri), options);
        }
    }
}
