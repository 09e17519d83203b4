package io.holdfast.platforms.jedis;

import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.ExclusiveLockContract;

class LockTest extends ExclusiveLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
