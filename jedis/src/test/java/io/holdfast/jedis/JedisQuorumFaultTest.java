package io.holdfast.jedis;

import io.holdfast.contracts.QuorumFaultContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisQuorumFaultTest extends QuorumFaultContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
