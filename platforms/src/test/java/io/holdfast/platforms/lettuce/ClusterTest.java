package io.holdfast.platforms.lettuce;

import io.holdfast.contracts.ClusterContract;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class ClusterTest extends ClusterContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
