package io.holdfast.lettuce;

import io.holdfast.contracts.ElectionContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceElectionTest extends ElectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
