package io.holdfast.jedis;

import io.holdfast.contracts.LeaseContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisLeaseTest extends LeaseContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
