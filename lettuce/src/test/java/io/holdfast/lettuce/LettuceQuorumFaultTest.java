package io.holdfast.lettuce;

import io.holdfast.contracts.QuorumFaultContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceQuorumFaultTest extends QuorumFaultContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
