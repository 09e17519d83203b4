package io.holdfast.jedis;

import io.holdfast.contracts.QuorumElectionContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisQuorumElectionTest extends QuorumElectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
