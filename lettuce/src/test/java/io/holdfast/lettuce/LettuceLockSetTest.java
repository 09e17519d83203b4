package io.holdfast.lettuce;

import io.holdfast.contracts.LockSetContract;
import io.holdfast.spi.RedisDriverProvider;

class LettuceLockSetTest extends LockSetContract {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }
}
