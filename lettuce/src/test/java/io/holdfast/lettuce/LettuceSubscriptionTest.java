package io.holdfast.lettuce;

import io.holdfast.contracts.SubscriptionContract;
import io.holdfast.spi.RedisDriverProvider;

final class LettuceSubscriptionTest extends SubscriptionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
