package io.holdfast.jedis;

import io.holdfast.contracts.OwnConflictContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisOwnConflictTest extends OwnConflictContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
