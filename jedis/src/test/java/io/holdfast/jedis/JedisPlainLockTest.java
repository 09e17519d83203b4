package io.holdfast.jedis;

import io.holdfast.contracts.PlainLockContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisPlainLockTest extends PlainLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
