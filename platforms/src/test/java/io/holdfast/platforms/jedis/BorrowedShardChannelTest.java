package io.holdfast.platforms.jedis;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.ShardChannelContract;

/** Over a pool that was handed in. */
class BorrowedShardChannelTest extends ShardChannelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new OwnPoolProvider();
    }
}
