package io.holdfast.jedis;

import io.holdfast.contracts.LockSetContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisLockSetTest extends LockSetContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
