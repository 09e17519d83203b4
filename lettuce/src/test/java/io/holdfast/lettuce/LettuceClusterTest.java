package io.holdfast.lettuce;

import io.holdfast.contracts.ClusterContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceClusterTest extends ClusterContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
