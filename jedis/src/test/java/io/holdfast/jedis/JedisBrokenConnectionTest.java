package io.holdfast.jedis;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.BrokenConnectionContract;

class JedisBrokenConnectionTest extends BrokenConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
