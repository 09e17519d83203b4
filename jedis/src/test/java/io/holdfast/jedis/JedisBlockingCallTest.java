package io.holdfast.jedis;

import io.holdfast.contracts.BlockingCallContract;
import io.holdfast.spi.RedisDriverProvider;

final class JedisBlockingCallTest extends BlockingCallContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
