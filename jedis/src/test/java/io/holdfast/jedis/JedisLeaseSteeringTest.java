package io.holdfast.jedis;

import io.holdfast.contracts.LeaseSteeringContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisLeaseSteeringTest extends LeaseSteeringContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
