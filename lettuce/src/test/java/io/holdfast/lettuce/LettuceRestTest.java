package io.holdfast.lettuce;

import io.holdfast.contracts.RestContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceRestTest extends RestContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
