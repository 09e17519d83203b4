package io.holdfast.lettuce;

import io.holdfast.contracts.UnfitServerContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceUnfitServerTest extends UnfitServerContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
