package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.SubscriptionContract;
import io.holdfast.spi.RedisDriverProvider;

/** Over a client that was handed in. */
class BorrowedSubscriptionTest extends SubscriptionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new OwnClientProvider();
    }
}
