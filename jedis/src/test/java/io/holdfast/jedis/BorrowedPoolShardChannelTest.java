package io.holdfast.jedis;

import io.holdfast.contracts.ShardChannelContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract with a pool that was handed in, and over the newer protocol. */
final class BorrowedPoolShardChannelTest extends ShardChannelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new BorrowedPoolProvider();
    }
}
