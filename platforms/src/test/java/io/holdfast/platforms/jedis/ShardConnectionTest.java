package io.holdfast.platforms.jedis;

import io.holdfast.contracts.ShardConnectionContract;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class ShardConnectionTest extends ShardConnectionContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
