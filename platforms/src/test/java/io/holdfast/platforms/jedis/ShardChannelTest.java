package io.holdfast.platforms.jedis;

import io.holdfast.contracts.ShardChannelContract;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class ShardChannelTest extends ShardChannelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
