package io.holdfast.jedis;

import io.holdfast.contracts.JavaViewContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisJavaLockTest extends JavaViewContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
