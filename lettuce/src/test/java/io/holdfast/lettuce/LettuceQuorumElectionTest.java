package io.holdfast.lettuce;

import io.holdfast.contracts.QuorumElectionContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceQuorumElectionTest extends QuorumElectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
