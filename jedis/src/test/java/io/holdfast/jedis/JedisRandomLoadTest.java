package io.holdfast.jedis;

import io.holdfast.contracts.RandomLoadContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisRandomLoadTest extends RandomLoadContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
