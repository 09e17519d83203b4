package io.holdfast.lettuce;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.SharedHoldContract;

class LettuceSharedHoldTest extends SharedHoldContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
