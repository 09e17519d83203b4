package io.holdfast.platforms.jedis;

import io.holdfast.contracts.BrokenConnectionContract;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class BrokenConnectionTest extends BrokenConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
