package io.holdfast.jedis;

import io.holdfast.contracts.ExclusiveLockContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisExclusiveLockTest extends ExclusiveLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
