package io.holdfast.jedis;

import io.holdfast.contracts.LockContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisLockTest extends LockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
