package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.DriverContract;
import io.holdfast.spi.RedisDriverProvider;

/** Over a client that was handed in. */
class BorrowedDriverTest extends DriverContract {
    @Override
    protected RedisDriverProvider provider() {
        return new OwnClientProvider();
    }
}
