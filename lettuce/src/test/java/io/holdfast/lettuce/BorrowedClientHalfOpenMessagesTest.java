package io.holdfast.lettuce;

import io.holdfast.contracts.HalfOpenMessagesContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract with a client that was handed in. */
final class BorrowedClientHalfOpenMessagesTest extends HalfOpenMessagesContract {
    @Override
    protected RedisDriverProvider provider() {
        return new BorrowedClientProvider();
    }
}
