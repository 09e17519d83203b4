package io.holdfast.jedis;

import io.holdfast.contracts.FailedConnectContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisFailedConnectTest extends FailedConnectContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
