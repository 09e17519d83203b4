package io.holdfast.jedis;

import io.holdfast.contracts.ShardChannelContract;
import io.holdfast.spi.RedisDriverProvider;

final class JedisShardChannelTest extends ShardChannelContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
