package io.holdfast.jedis;

import io.holdfast.contracts.QuarantineContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisQuarantineTest extends QuarantineContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
