package io.holdfast.jedis;

import io.holdfast.contracts.BrokenConnectionContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisBrokenConnectionTest extends BrokenConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
