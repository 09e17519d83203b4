package io.holdfast.jedis;

import io.holdfast.contracts.FrozenProcessContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisFrozenProcessTest extends FrozenProcessContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
