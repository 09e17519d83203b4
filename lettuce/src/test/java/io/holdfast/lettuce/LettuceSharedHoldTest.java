package io.holdfast.lettuce;

import io.holdfast.contracts.SharedHoldContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceSharedHoldTest extends SharedHoldContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
