package io.holdfast.jedis;

import io.holdfast.contracts.QueueOrderContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisQueueOrderTest extends QueueOrderContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
