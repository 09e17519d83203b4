package io.holdfast.lettuce;

import io.holdfast.contracts.ShardConnectionContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract with a client that was handed in, and over the older protocol. */
final class BorrowedClientShardConnectionTest extends ShardConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new BorrowedClientProvider();
    }
}
