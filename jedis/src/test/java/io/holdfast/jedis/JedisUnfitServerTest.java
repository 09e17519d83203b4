package io.holdfast.jedis;

import io.holdfast.contracts.UnfitServerContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisUnfitServerTest extends UnfitServerContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
