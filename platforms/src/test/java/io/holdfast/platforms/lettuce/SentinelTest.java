package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.SentinelContract;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class SentinelTest extends SentinelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
