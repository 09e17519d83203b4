package io.holdfast.lettuce;

import io.holdfast.contracts.HiddenClusterContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceHiddenClusterTest extends HiddenClusterContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
