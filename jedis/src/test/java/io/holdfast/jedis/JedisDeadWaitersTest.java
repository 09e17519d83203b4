package io.holdfast.jedis;

import io.holdfast.contracts.DeadWaitersContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisDeadWaitersTest extends DeadWaitersContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
