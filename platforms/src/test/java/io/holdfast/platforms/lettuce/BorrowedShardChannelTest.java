package io.holdfast.platforms.lettuce;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.ShardChannelContract;

/** Over a client that was handed in. */
class BorrowedShardChannelTest extends ShardChannelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new OwnClientProvider();
    }
}
