package io.holdfast.platforms.jedis;

import io.holdfast.contracts.SubscriptionContract;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class SubscriptionTest extends SubscriptionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
