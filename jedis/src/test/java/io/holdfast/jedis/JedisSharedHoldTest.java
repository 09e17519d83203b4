package io.holdfast.jedis;

import io.holdfast.contracts.SharedHoldContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisSharedHoldTest extends SharedHoldContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
