package io.holdfast.jedis;

import io.holdfast.contracts.SelfWaitContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisSelfWaitTest extends SelfWaitContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
