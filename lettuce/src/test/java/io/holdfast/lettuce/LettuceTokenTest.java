package io.holdfast.lettuce;

import io.holdfast.contracts.TokenContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceTokenTest extends TokenContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
