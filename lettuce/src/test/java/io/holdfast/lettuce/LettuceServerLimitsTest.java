package io.holdfast.lettuce;

import io.holdfast.contracts.ServerLimitsContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceServerLimitsTest extends ServerLimitsContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
