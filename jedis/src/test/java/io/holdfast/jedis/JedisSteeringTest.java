package io.holdfast.jedis;

import io.holdfast.contracts.SteeringContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisSteeringTest extends SteeringContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
