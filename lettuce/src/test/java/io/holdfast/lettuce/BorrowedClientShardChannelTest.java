package io.holdfast.lettuce;

import io.holdfast.contracts.ShardChannelContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract with a client that was handed in, and over the older protocol. */
final class BorrowedClientShardChannelTest extends ShardChannelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new BorrowedClientProvider();
    }
}
