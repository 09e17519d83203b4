package io.holdfast.platforms.jedis;

import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.ClusterContract;

class ClusterTest extends ClusterContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
