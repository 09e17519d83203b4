package io.holdfast.platforms.jedis;

import io.holdfast.contracts.SentinelContract;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class SentinelTest extends SentinelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
