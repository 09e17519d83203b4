package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.ShardConnectionContract;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class ShardConnectionTest extends ShardConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
