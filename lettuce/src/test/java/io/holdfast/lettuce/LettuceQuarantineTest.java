package io.holdfast.lettuce;

import io.holdfast.contracts.QuarantineContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceQuarantineTest extends QuarantineContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
