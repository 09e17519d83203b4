package io.holdfast.platforms.jedis;

import io.holdfast.contracts.ExclusiveLockContract;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class LockTest extends ExclusiveLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
