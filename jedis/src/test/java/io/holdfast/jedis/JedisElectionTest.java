package io.holdfast.jedis;

import io.holdfast.contracts.ElectionContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisElectionTest extends ElectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
