package io.holdfast.lettuce;

import io.holdfast.contracts.ProcessContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceProcessTest extends ProcessContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
