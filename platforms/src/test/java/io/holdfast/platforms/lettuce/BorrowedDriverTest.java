package io.holdfast.platforms.lettuce;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.DriverContract;

/** Over a client that was handed in. */
class BorrowedDriverTest extends DriverContract {
    @Override
    protected RedisDriverProvider provider() {
        return new OwnClientProvider();
    }
}
