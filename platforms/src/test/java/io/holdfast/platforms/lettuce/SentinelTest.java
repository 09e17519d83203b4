package io.holdfast.platforms.lettuce;

import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.SentinelContract;

class SentinelTest extends SentinelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
