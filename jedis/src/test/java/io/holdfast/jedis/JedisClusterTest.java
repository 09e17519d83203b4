package io.holdfast.jedis;

import io.holdfast.contracts.ClusterContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisClusterTest extends ClusterContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
