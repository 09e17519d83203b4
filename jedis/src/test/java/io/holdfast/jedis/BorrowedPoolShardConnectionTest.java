package io.holdfast.jedis;

import io.holdfast.contracts.ShardConnectionContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract with a pool that was handed in, and over the newer protocol. */
final class BorrowedPoolShardConnectionTest extends ShardConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new BorrowedPoolProvider();
    }
}
