package io.holdfast.platforms.jedis;

import io.holdfast.contracts.BlockingCallContract;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;

class BlockingCallTest extends BlockingCallContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
