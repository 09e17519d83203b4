package io.holdfast.jedis;

import io.holdfast.contracts.SubscriptionContract;
import io.holdfast.spi.RedisDriverProvider;

final class JedisSubscriptionTest extends SubscriptionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
