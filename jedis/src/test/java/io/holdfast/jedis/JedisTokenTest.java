package io.holdfast.jedis;

import io.holdfast.contracts.TokenContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisTokenTest extends TokenContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
