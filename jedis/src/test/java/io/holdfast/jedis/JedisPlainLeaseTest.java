package io.holdfast.jedis;

import io.holdfast.contracts.PlainLeaseContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisPlainLeaseTest extends PlainLeaseContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
