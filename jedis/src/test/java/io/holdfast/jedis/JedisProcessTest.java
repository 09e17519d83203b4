package io.holdfast.jedis;

import io.holdfast.contracts.ProcessContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisProcessTest extends ProcessContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
