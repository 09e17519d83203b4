package io.holdfast.lettuce;

import io.holdfast.contracts.MigrationLockContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceMigrationLockTest extends MigrationLockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
