package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.ShardChannelContract;
import io.holdfast.spi.RedisDriverProvider;

/** Over a client that was handed in. */
class BorrowedShardChannelTest extends ShardChannelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new OwnClientProvider();
    }
}
