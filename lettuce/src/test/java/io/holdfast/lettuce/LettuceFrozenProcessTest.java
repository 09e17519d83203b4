package io.holdfast.lettuce;

import io.holdfast.contracts.FrozenProcessContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceFrozenProcessTest extends FrozenProcessContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
