package io.holdfast.jedis;

import io.holdfast.contracts.MigrationLockContract;
import io.holdfast.spi.RedisDriverProvider;

class JedisMigrationLockTest extends MigrationLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }
}
