package io.holdfast.platforms.jedis;

import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.BrokenConnectionContract;

class BrokenConnectionTest extends BrokenConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
