package io.holdfast.lettuce;

import io.holdfast.contracts.LockContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceLockTest extends LockContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
