package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.ShardChannelContract;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class ShardChannelTest extends ShardChannelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
