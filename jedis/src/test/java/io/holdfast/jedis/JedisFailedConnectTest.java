package io.holdfast.jedis;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.FailedConnectContract;

class JedisFailedConnectTest extends FailedConnectContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
