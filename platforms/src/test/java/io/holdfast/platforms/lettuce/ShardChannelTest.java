package io.holdfast.platforms.lettuce;

import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.ShardChannelContract;

class ShardChannelTest extends ShardChannelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
