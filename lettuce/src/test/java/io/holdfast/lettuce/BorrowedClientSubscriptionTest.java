package io.holdfast.lettuce;

import io.holdfast.contracts.SubscriptionContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract with a client that was handed in. */
final class BorrowedClientSubscriptionTest extends SubscriptionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new BorrowedClientProvider();
    }
}
