package io.holdfast.platforms.jedis;

import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.ShardChannelContract;

class ShardChannelTest extends ShardChannelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
