package io.holdfast.jedis;

import io.holdfast.contracts.SentinelContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisSentinelTest extends SentinelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
