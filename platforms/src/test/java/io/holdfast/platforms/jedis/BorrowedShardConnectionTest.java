package io.holdfast.platforms.jedis;

import io.holdfast.contracts.ShardConnectionContract;
import io.holdfast.spi.RedisDriverProvider;

/** Over a pool that was handed in. */
class BorrowedShardConnectionTest extends ShardConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new OwnPoolProvider();
    }
}
