package io.holdfast.lettuce;

import io.holdfast.contracts.DriverContract;
import io.holdfast.spi.RedisDriverProvider;

final class LettuceDriverContractTest extends DriverContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
