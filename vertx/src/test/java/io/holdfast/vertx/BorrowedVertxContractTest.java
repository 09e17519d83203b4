package io.holdfast.vertx;

import io.holdfast.contracts.DriverContract;
import io.holdfast.spi.RedisDriverProvider;

/** The contract with a Vert.x and options that were handed in. */
final class BorrowedVertxContractTest extends DriverContract {
    @Override
    protected RedisDriverProvider provider() {
        return new BorrowedVertxProvider();
    }
}
