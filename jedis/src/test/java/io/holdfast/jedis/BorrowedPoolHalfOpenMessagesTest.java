package io.holdfast.jedis;

import io.holdfast.contracts.HalfOpenMessagesContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract with a pool that was handed in, and over the newer protocol. */
final class BorrowedPoolHalfOpenMessagesTest extends HalfOpenMessagesContract {
    @Override
    protected RedisDriverProvider provider() {
        return new BorrowedPoolProvider();
    }
}
