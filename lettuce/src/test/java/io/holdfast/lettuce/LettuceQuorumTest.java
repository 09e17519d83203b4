package io.holdfast.lettuce;

import io.holdfast.contracts.QuorumContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceQuorumTest extends QuorumContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
