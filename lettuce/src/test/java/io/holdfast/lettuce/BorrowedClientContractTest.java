package io.holdfast.lettuce;

import io.holdfast.contracts.DriverContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract with a client that was handed in. */
final class BorrowedClientContractTest extends DriverContract {
    @Override
    protected RedisDriverProvider provider() {
        return new BorrowedClientProvider();
    }
}
