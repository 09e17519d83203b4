package io.holdfast.lettuce;

import io.holdfast.contracts.ShardConnectionContract;
import io.holdfast.spi.RedisDriverProvider;

final class LettuceShardConnectionTest extends ShardConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
