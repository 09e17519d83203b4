package io.holdfast.jedis;

import io.holdfast.contracts.ServerLimitsContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisServerLimitsTest extends ServerLimitsContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
