package io.holdfast.jedis;

import io.holdfast.contracts.QuorumContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisQuorumTest extends QuorumContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
