package io.holdfast.jedis;

import io.holdfast.contracts.SemaphoreContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisSemaphoreTest extends SemaphoreContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
