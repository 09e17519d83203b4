package io.holdfast.jedis;

import io.holdfast.contracts.DemotedServerContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisDemotedServerTest extends DemotedServerContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
