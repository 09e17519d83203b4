package io.holdfast.lettuce;

import io.holdfast.contracts.FailedConnectContract;
import io.holdfast.spi.RedisDriverProvider;

final class BorrowedClientFailedConnectTest extends FailedConnectContract {
    @Override
    protected RedisDriverProvider provider() {
        return new BorrowedClientProvider();
    }

    /** The limits are those of the application's client. */
    @Override
    protected String longer() {
        return "";
    }
}
