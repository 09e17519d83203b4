package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.ShardConnectionContract;
import io.holdfast.spi.RedisDriverProvider;

/** Over a client that was handed in. */
class BorrowedShardConnectionTest extends ShardConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new OwnClientProvider();
    }
}
