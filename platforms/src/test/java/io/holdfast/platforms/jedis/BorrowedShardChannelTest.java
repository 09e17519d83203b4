package io.holdfast.platforms.jedis;

import io.holdfast.contracts.ShardChannelContract;
import io.holdfast.spi.RedisDriverProvider;

/** Over a pool that was handed in. */
class BorrowedShardChannelTest extends ShardChannelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new OwnPoolProvider();
    }
}
