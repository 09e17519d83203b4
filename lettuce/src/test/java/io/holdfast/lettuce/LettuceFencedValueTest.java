package io.holdfast.lettuce;

import io.holdfast.contracts.FencedValueContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceFencedValueTest extends FencedValueContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
