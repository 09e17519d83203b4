package io.holdfast.jedis;

import io.holdfast.contracts.FencedValueContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisFencedValueTest extends FencedValueContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
