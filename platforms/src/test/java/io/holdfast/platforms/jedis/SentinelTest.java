package io.holdfast.platforms.jedis;

import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.SentinelContract;

class SentinelTest extends SentinelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
