package io.holdfast.lettuce;

import io.holdfast.contracts.FailedConnectContract;
import io.holdfast.spi.RedisDriverProvider;

final class LettuceFailedConnectTest extends FailedConnectContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
