package io.holdfast.jedis;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.SharedHoldContract;

class JedisSharedHoldTest extends SharedHoldContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
