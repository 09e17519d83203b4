package io.holdfast.platforms.jedis;

import io.holdfast.contracts.DriverContract;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class DriverTest extends DriverContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
