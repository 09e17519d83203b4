package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.SubscriptionContract;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class SubscriptionTest extends SubscriptionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
