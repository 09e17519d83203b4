package io.holdfast.redisson;

import io.holdfast.contracts.SubscriptionContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract as configured by Redisson. */
final class ConfiguredSubscriptionTest extends SubscriptionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new Configured();
    }
}
