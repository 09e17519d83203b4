package io.holdfast.platforms.jedis;

import io.holdfast.contracts.ClusterContract;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class ClusterTest extends ClusterContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
