package io.holdfast.jedis;

import io.holdfast.contracts.RestContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisRestTest extends RestContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
