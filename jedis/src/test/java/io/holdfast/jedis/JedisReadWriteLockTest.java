package io.holdfast.jedis;

import io.holdfast.contracts.ReadWriteLockContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisReadWriteLockTest extends ReadWriteLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
