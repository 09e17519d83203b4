package io.holdfast.jedis;

import io.holdfast.contracts.DriverContract;
import io.holdfast.spi.RedisDriverProvider;

final class JedisDriverContractTest extends DriverContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
