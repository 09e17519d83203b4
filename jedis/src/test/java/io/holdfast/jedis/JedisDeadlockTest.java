package io.holdfast.jedis;

import io.holdfast.contracts.DeadlockContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisDeadlockTest extends DeadlockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
