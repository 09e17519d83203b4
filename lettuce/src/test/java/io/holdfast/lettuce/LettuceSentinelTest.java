package io.holdfast.lettuce;

import io.holdfast.contracts.SentinelContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceSentinelTest extends SentinelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
