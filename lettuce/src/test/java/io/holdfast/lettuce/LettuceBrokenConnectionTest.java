package io.holdfast.lettuce;

import io.holdfast.contracts.BrokenConnectionContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceBrokenConnectionTest extends BrokenConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
