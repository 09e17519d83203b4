package io.holdfast.jedis;

import io.holdfast.contracts.HiddenClusterContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisHiddenClusterTest extends HiddenClusterContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
